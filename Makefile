# Two commands do all: `make demo` shows the main job, `make test` proves it. Everything lives in .venv.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
INSTALLED := $(VENV)/installed

# Only the texts of TPC-H and TPC-DS inside are read, by one test; the extensions are of another DuckDB and never loaded.
BENCHMARK_TEXTS := duckdb-extension-tpch==1.5.5 duckdb-extension-tpcds==1.5.5

.PHONY: install demo test lint bench soak docs clean

install: $(INSTALLED)

# uv installs ten times faster than pip; where it cannot be had, pip does the same.
$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	if $(PY) -m pip install --quiet --disable-pip-version-check uv; \
	then $(VENV)/bin/uv pip install --quiet --python $(PY) --compile-bytecode -e '.[dev]'; \
	else $(PY) -m pip install --quiet --disable-pip-version-check -e '.[dev]'; fi
	-$(PY) -m pip install --quiet --disable-pip-version-check --no-deps $(BENCHMARK_TEXTS)
	touch $@

demo: install
	$(PY) notebooks/demo.py

test: install
	$(PY) -m pytest tests
	NUMBA_DISABLE_JIT=1 $(PY) -m pytest tests/kernels tests/test_text.py
	$(PY) -m pytest --nbval --nbval-sanitize-with notebooks/sanitize.cfg notebooks

lint: install
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	rm -rf .static && $(PY) -m pip install --quiet --disable-pip-version-check --no-deps --target .static .
	cd .static && ../$(PY) -m mypy --config-file ../pyproject.toml -p dbgraph_nb

bench: install
	-$(PY) -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(PY) tests/bench/run.py

# The long counts in full; the report is committed.
soak: install
	DBGRAPH_NB_SOAK=1 $(PY) tests/soak_run.py docs/soak.md

docs: install
	$(PY) docs/generate.py

clean:
	rm -rf $(VENV) .static .demo build dist *.egg-info

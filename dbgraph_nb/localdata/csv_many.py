"""Several CSVs as one relation: each is read as it is written, and their columns are put together by name.

In: the files of a pattern. Out: a SELECT, what was found. Never: a type that changes a value of one of the files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dbgraph_nb.localdata import csv_shape, csv_told
from dbgraph_nb.localdata.copies import Readable
from dbgraph_nb.localdata.csv_shape import Shape
from dbgraph_nb.localdata.csv_types import Ask, Column
from dbgraph_nb.localdata.formats import quoted_text, reader
from dbgraph_nb.localdata.options import CsvOptions

_EACH: Final = 50  # files that are looked at one by one
_WHOLE: Final = frozenset({"BIGINT", "HUGEINT"})


def examined(ask: Ask, suffix: str, texts: Sequence[Readable], wanted: CsvOptions) -> tuple[str, tuple[str, ...]]:
    """The SELECT that reads the files, and what was found.

    Raises:
        QueryFailed: one cannot be read as a CSV.
    """
    if len(texts) > _EACH:
        return _unseen(ask, suffix, texts, wanted)
    shapes = [csv_shape.examine(ask, suffix, text, wanted) for text in texts]
    if len(shapes) == 1:
        return shapes[0].select(suffix, [texts[0].path]), shapes[0].findings
    kept = [(shape, text.path) for shape, text in zip(shapes, texts, strict=True) if not shape.empty]
    if not kept:
        return shapes[0].select(suffix, []), shapes[0].findings
    said: list[str] = []
    if len(kept) < len(shapes):
        said.append("empty files are left out")
    agreed = _agreed(_named([shape for shape, _ in kept], said), said)
    groups: dict[Shape, list[str]] = {}
    for shape, (_, path) in zip(agreed, kept, strict=True):
        groups.setdefault(replace(shape, findings=()), []).append(path)
    for shape in agreed:
        said += [finding for finding in shape.findings if finding not in said]
    return " UNION ALL BY NAME ".join(shape.select(suffix, paths) for shape, paths in groups.items()), tuple(said)


def _unseen(ask: Ask, suffix: str, texts: Sequence[Readable], wanted: CsvOptions) -> tuple[str, tuple[str, ...]]:
    """Very many files: only the first is looked at, DuckDB finds out about the others."""
    shape = csv_shape.examine(ask, suffix, texts[0], wanted)
    options = ["union_by_name = true", "comment = ''"]
    options += [f"delim = {quoted_text(wanted.delim)}"] if wanted.delim is not None else []
    options += [f"quote = {quoted_text(wanted.quote)}"] if wanted.quote is not None else []
    options += [f"header = {str(wanted.header).lower()}"] if wanted.header is not None else []
    options += [f"skip = {wanted.skip}"] if wanted.skip is not None else []
    options += ["null_padding = true"] if wanted.ragged == "pad" else []
    options += ["ignore_errors = true"] if wanted.ragged == "skip" else []
    texts_only = [column.name for column in shape.columns if column.kind == "VARCHAR" and not column.empty]
    if "*" in wanted.text:
        options.append("all_varchar = true")
    elif texts_only:
        options.append(csv_shape.types("types", dict.fromkeys(texts_only, "VARCHAR")))
    return f"SELECT * FROM {reader(suffix, [text.path for text in texts], options)}", shape.findings


def _named(shapes: Sequence[Shape], said: list[str]) -> list[Shape]:
    """Files without a header have the names of the first that has one, if it has as many columns."""
    first = next((shape for shape in shapes if shape.header), None)
    if first is None or all(shape.header for shape in shapes):
        return list(shapes)
    found = []
    for shape in shapes:
        if not shape.header and len(shape.columns) == len(first.columns):
            named = [replace(own, name=one.name) for own, one in zip(shape.columns, first.columns, strict=True)]
            others = tuple(finding for finding in shape.findings if not finding.startswith("no header"))
            shape = replace(shape, columns=tuple(named), findings=others, header=False)
            if "files without a header: their columns are named as in the first" not in said:
                said.append("files without a header: their columns are named as in the first")
        found.append(shape)
    return found


def _agreed(shapes: Sequence[Shape], said: list[str]) -> list[Shape]:
    """The shapes with types that all files allow."""
    found: dict[str, list[Column]] = {}
    for shape in shapes:
        for column in shape.columns:
            found.setdefault(column.name.casefold(), []).append(column)
    missing = [columns[0].name for columns in found.values() if len(columns) < len(shapes)]
    if missing:
        said.append(f"columns that not all files have: {csv_told.some(missing)}")
    texts = {name for name, columns in found.items() if not _is_one_type(columns)}
    differing = [found[name][0].name for name in texts if any(column.form for column in found[name])]
    if differing:
        said.append(f"kept as text, since files differ: {csv_told.some(sorted(differing))}")
    return [replace(shape, columns=tuple(_as(column, found, texts) for column in shape.columns)) for shape in shapes]


def _as(column: Column, found: dict[str, list[Column]], texts: set[str]) -> Column:
    name = column.name.casefold()
    if name in texts:
        return Column(column.name, doubt=column.doubt)
    if column.empty:
        other = next((one for one in found[name] if not one.empty), column)
        return replace(column, form=other.form, words=column.words or other.words)
    return column


def _is_one_type(columns: Sequence[Column]) -> bool:
    """Whether DuckDB makes one type of those of a column and changes no value."""
    seen = [column for column in columns if not column.empty]
    if len({column.form for column in seen}) < 2:
        return True
    kinds = {column.kind for column in seen}
    if "DOUBLE" in kinds and kinds <= {"DOUBLE", "BIGINT"}:
        points = {column.form.point == "," for column in seen if column.form and column.kind == "DOUBLE"}
        return len(points) == 1 and not any(column.long for column in seen)
    return kinds <= _WHOLE or kinds <= {"DATE", "TIMESTAMP"} or (len(kinds) == 1 and "VARCHAR" not in kinds)

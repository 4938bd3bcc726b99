"""The sample files."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbgraph_nb import samples
from dbgraph_nb.errors import BadArgument


def test_files_are_the_same_everywhere(tmp_path: Path) -> None:
    assert samples.files(tmp_path, flights=False) == ["订单.csv", "visits.jsonl"]
    orders = (tmp_path / "订单.csv").read_bytes().decode("gbk").splitlines()
    assert orders[0] == "订单号;城市;商品;数量;金额;下单日期;收货人手机;身份证号"
    assert len(orders) == 401
    assert orders[1].startswith("20240000;成都;雨伞;1;772,16;2024-03-26;100")
    assert len((tmp_path / "visits.jsonl").read_text("utf-8").splitlines()) == 300
    with pytest.raises(BadArgument) as caught:
        samples.files(tmp_path, flights=False)
    assert caught.value.code == "sample-exists"
    with pytest.raises(BadArgument) as caught:
        samples.files(tmp_path / "none")
    assert caught.value.code == "sample-folder-missing"


def test_the_flights_are_those_of_the_package(tmp_path: Path) -> None:
    samples.files(tmp_path)
    with (tmp_path / "flights.csv").open("rb") as file:
        assert file.readline().startswith(b"year,month,day,dep_time")
        assert sum(1 for _ in file) == 336_776

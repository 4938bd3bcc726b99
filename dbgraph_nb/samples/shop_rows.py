"""The rows of the sample shop, thrown with dice of a fixed seed.

In: nothing. Out: ``rows()``, the rows per table in insert order; money is text with two decimals (no float ever),
booleans are 0 and 1, times are ISO text. Never: a value that differs between runs, machines or Python versions.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from dbgraph_nb.samples import shop_orders, shop_words
from dbgraph_nb.samples.fictional import Dice, bank_card, id_card, phone, phone_abroad
from dbgraph_nb.samples.schema import Row

SEED = 20250107
DEMO_USER = "张三"
# the one password that tests look for in places where no password may ever be
DEMO_PASSWORD = "kite-Harbor-4417-zhangsan"  # noqa: S105 - a sample value, and known to everybody

USERS = 60
EMPLOYEES = 18
LOGINS = 180

_NOW = datetime(2026, 6, 30, 18, 0)
# a whole GIF picture of one pixel, without its colour
_GIF = (b"GIF89a\x01\x00\x01\x00\x80\x00\x00", b"\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")


def rows() -> dict[str, list[Row]]:
    """All rows of the shop, table by table in the order of ``shop_tables.TABLES``; generated columns are left out."""
    # dice of their own for each part, so that a change in one does not ripple through the others
    users = _users(Dice(SEED))
    addresses = _addresses(Dice(SEED + 1), users)
    categories = _categories()
    products = _products(Dice(SEED + 2), categories)
    trade = shop_orders.rows(Dice(SEED + 3), users, addresses, products)
    return {
        "会员等级": [*shop_words.LEVELS],
        "users": users,
        "addresses": addresses,
        "employees": _employees(Dice(SEED + 4)),
        "供应商": _suppliers(Dice(SEED + 5)),
        "categories": categories,
        "products": products,
        "coupons": [
            (number, code, title, kind, shop_orders.money(value), shop_orders.money(least), start, end)
            for number, (code, title, kind, value, least, start, end) in enumerate(shop_words.COUPONS, start=1)
        ],
        **trade,
        "登录日志": _logins(Dice(SEED + 6)),
    }


def _users(dice: Dice) -> list[Row]:
    made: list[Row] = []
    for number in range(1, USERS + 1):
        name, gender, abroad = _person(dice, number)
        joined = datetime(2024, 1, 1, 9) + timedelta(days=number * 11, minutes=dice.below(600))
        points = 2380 if number == 1 else dice.pick((0, 35, 120, 480, 760, 1500, 2100, 4300, 6800, 9050))
        level = max(row[0] for row in shop_words.LEVELS if row[2] <= points)
        changed = joined + timedelta(days=dice.between(1, 200)) if dice.chance(50) else None
        made.append(
            (
                number,
                name,
                "zhangsan" if number == 1 else f"user{number:03d}",
                DEMO_PASSWORD if number == 1 else f"demo-{dice.hexadecimal(10)}",
                dice.hexadecimal(16),
                (phone_abroad(number) if abroad else phone(number)) if number == 1 or dice.chance(92) else None,
                _email(dice, number),
                gender,
                (date(1965, 1, 1) + timedelta(days=dice.below(15000))).isoformat() if dice.chance(80) else None,
                level,
                points,
                shop_orders.money(12850 if number == 1 else dice.below(50000) if dice.chance(60) else 0),
                int(number == 1 or dice.chance(93)),
                dice.pick((None, '{"语言": "中文", "推送": true}', '{"language": "en", "push": false}')),
                _GIF[0] + bytes(dice.below(256) for _ in range(3)) + _GIF[1] if dice.chance(40) else None,
                dice.between(1, number - 1) if number > 10 and dice.chance(35) else None,
                changed.isoformat(" ") if changed else None,
                joined.isoformat(" "),
            )
        )
    return made


def _person(dice: Dice, number: int) -> tuple[str, str, bool]:
    """Name, gender, and whether the phone is one of abroad. Two users may share a name, but nobody the demo user's."""
    if number == 1:
        return DEMO_USER, "male", False
    if number % 7 == 0:
        name, gender = shop_words.FOREIGN_USERS[number // 7 - 1]
        return name, gender, True
    return dice.pick(shop_words.SURNAMES) + dice.pick(shop_words.GIVEN), dice.pick(("male", "female", "unknown")), False


def _email(dice: Dice, number: int) -> str | None:
    if number == 1:
        return "zhangsan@example.com"
    return f"user{number:03d}@example.{dice.pick(('com', 'org'))}" if dice.chance(85) else None


def _addresses(dice: Dice, users: list[Row]) -> list[Row]:
    made: list[Row] = []
    for user in users:
        for turn in range(2 if user[0] == 1 else dice.between(1, 2)):
            province, city, street, postcode = dice.pick(shop_words.PLACES)
            where = street.format(dice.between(1, 300))
            contact = user[5] if user[5] is not None else phone(9000 + len(made))
            made.append((len(made) + 1, user[0], user[1], contact, province, city, where, postcode, int(turn == 0)))
    return made


def _employees(dice: Dice) -> list[Row]:
    made: list[Row] = []
    for number in range(1, EMPLOYEES + 1):
        dept, title, pay = shop_words.DEPARTMENTS[number % len(shop_words.DEPARTMENTS)]
        head = number <= len(shop_words.DEPARTMENTS)
        born = date(1970, 1, 1) + timedelta(days=dice.below(11000))
        boss = None if number == 1 else "E0001" if head else f"E{(number - 1) % len(shop_words.DEPARTMENTS) + 1:04d}"
        made.append(
            (
                f"E{number:04d}",
                dice.pick(shop_words.SURNAMES) + dice.pick(shop_words.GIVEN),
                id_card(born, number),
                phone(8000 + number),
                bank_card(number),
                dept,
                f"{dept}经理" if head else title,
                shop_orders.money(pay * (2 if head else 1) + dice.below(40) * 10000),
                (date(2015, 1, 1) + timedelta(days=dice.below(4000))).isoformat(),
                boss,
                "离职" if number == 12 else "休假" if number == 15 else "在职",
            )
        )
    return made


def _suppliers(dice: Dice) -> list[Row]:
    made: list[Row] = []
    for number, name in enumerate(shop_words.SUPPLIERS, start=1):
        person = dice.pick(shop_words.SURNAMES) + dice.pick(shop_words.GIVEN)
        status = {4: "已暂停", 6: "已终止"}.get(number, "合作中")
        buyer = None if status == "已终止" else f"E{dice.pick((1, 6, 11)):04d}"
        note = "月结 30 天" if dice.chance(50) else None
        bank = dice.pick(("示例银行", "样板银行", "Demo Bank"))
        made.append((number, name, person, phone(7000 + number), bank, bank_card(700 + number), status, buyer, note))
    return made


def _categories() -> list[Row]:
    made: list[Row] = []
    for place, (name, english, children) in enumerate(shop_words.CATEGORIES, start=1):
        parent = len(made) + 1
        made.append((parent, None, name, english, place))
        made += [
            (parent + nth, parent, child, child_english, nth)
            for nth, (child, child_english) in enumerate(children, start=1)
        ]
    return made


def _products(dice: Dice, categories: list[Row]) -> list[Row]:
    category = {row[3]: row[0] for row in categories}
    supplier = {"Tea": 6, "Snacks": 3, "Condiments": 3, "Menswear": 5, "Womenswear": 5, "Kitchen": 4, "Bedding": 4}
    made: list[Row] = []
    for number, (name, english, cents, attributes) in enumerate(shop_words.PRODUCTS, start=1):
        listed = date(2024, 3, 1) + timedelta(days=dice.below(300))
        cost = cents * dice.between(45, 70) // 100
        made.append(
            (
                number,
                f"SKU-{1000 + number}",
                name,
                category[english],
                supplier.get(english) or dice.between(1, 2),
                shop_orders.money(cents),
                shop_orders.money(cost),
                dice.below(400),
                attributes,
                int(number % 13 != 0),
                None if number % 13 == 0 else listed.isoformat(),
            )
        )
    return made


def _logins(dice: Dice) -> list[Row]:
    made: list[Row] = []
    for number in range(1, LOGINS + 1):
        when = _NOW - timedelta(hours=(LOGINS - number) * 5, minutes=dice.below(240))
        passed = dice.chance(88)
        token = dice.hexadecimal(16) + dice.hexadecimal(16)
        made.append(
            (
                number,
                1 if number % 30 == 0 else dice.between(1, USERS),
                when.isoformat(" "),
                f"{dice.pick(('192.0.2', '198.51.100', '203.0.113'))}.{dice.between(1, 254)}",
                dice.pick(("ios", "android", "web", "mini_program")),
                int(passed),
                token if passed else None,
            )
        )
    return made

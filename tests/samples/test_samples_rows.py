"""The rows of the sample shop: fictional, consistent with each other, and free of floats."""

import json
import re
from datetime import date
from decimal import Decimal

import pytest

from dbgraph_nb.samples.fictional import Dice, bank_card, id_card
from dbgraph_nb.samples.shop_rows import rows
from dbgraph_nb.samples.shop_tables import TABLES

# first two digits that GB/T 2260 gives to provinces, and 83 and 91 that later rules add
PROVINCES = {11, 12, 13, 14, 15, 21, 22, 23, 31, 32, 33, 34, 35, 36, 37, 41, 42, 43, 44, 45, 46}
PROVINCES |= {50, 51, 52, 53, 54, 61, 62, 63, 64, 65, 71, 81, 82, 83, 91}


@pytest.fixture(scope="module")
def shop():
    """Rows as dicts by stored column name, per table."""
    data = rows()
    return {t.name: [dict(zip(t.stored, row, strict=True)) for row in data[t.name]] for t in TABLES}


def test_dice_are_the_published_generator():
    dice = Dice(1234567)
    # the first outputs that the authors' C code prints for this seed
    assert [dice.bits() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_tables_come_in_an_order_that_satisfies_the_foreign_keys():
    seen = set()
    for table in TABLES:
        seen.add(table.name)
        assert {r.target for r in table.references} <= seen
    assert list(rows()) == [t.name for t in TABLES]


def test_no_value_is_a_float(shop):
    kinds = {type(v) for table in shop.values() for row in table for v in row.values()}
    assert kinds == {int, str, bytes, type(None)}


def test_id_cards_have_a_valid_check_character_and_an_impossible_region(shop):
    cards = [row["id_card"] for row in shop["employees"]]
    assert len(set(cards)) == len(cards)
    assert any(card.endswith("X") for card in cards)
    for card in cards:
        assert re.fullmatch(r"\d{17}[\dX]", card)
        total = sum(pow(2, 17 - i, 11) * (10 if c == "X" else int(c)) for i, c in enumerate(card))
        assert total % 11 == 1  # ISO 7064 MOD 11-2 over all 18 characters
        assert int(card[:2]) not in PROVINCES


def test_card_numbers_pass_luhn_and_belong_to_no_bank(shop):
    numbers = [row["bank_card"] for row in shop["employees"]]
    numbers += [row["银行账号"] for row in shop["供应商"]]
    numbers += [row["card_no"] for row in shop["payments"] if row["card_no"]]
    for number in numbers:
        doubled = [int(d) * (1 + i % 2) for i, d in enumerate(reversed(number))]
        assert sum(d - 9 * (d > 9) for d in doubled) % 10 == 0
        assert re.fullmatch(r"999999\d{13}", number)


def test_phones_mails_and_addresses_are_reserved_for_fiction(shop):
    phones = [row["mobile"] for row in shop["users"] if row["mobile"]]
    phones += [row["phone"] for row in shop["employees"] + shop["addresses"]]
    phones += [row["联系电话"] for row in shop["供应商"]]
    assert all(re.fullmatch(r"129\d{8}|\+1-202-555-01\d\d", p) for p in phones)
    assert all(re.search(r"@example\.(com|org)$", row["email"]) for row in shop["users"] if row["email"])
    nets = ("192.0.2.", "198.51.100.", "203.0.113.")  # RFC 5737
    assert all(row["登录IP"].startswith(nets) for row in shop["登录日志"])


def test_order_amounts_are_the_lines_less_the_discount(shop):
    for order in shop["orders"]:
        lines = [line for line in shop["order_items"] if line["order_id"] == order["id"]]
        total = sum(line["quantity"] * Decimal(line["unit_price"]) for line in lines)
        assert lines
        assert Decimal(order["amount"]) == total - Decimal(order["discount_amount"])
        assert Decimal(order["amount"]) > 0


def test_coupons_were_valid_when_used(shop):
    coupons = {c["id"]: c for c in shop["coupons"]}
    used = [o for o in shop["orders"] if o["coupon_id"]]
    assert len({o["coupon_id"] for o in used}) >= 4
    for order in shop["orders"]:
        assert (order["coupon_id"] is None) == (Decimal(order["discount_amount"]) == 0)
    for order in used:
        coupon = coupons[order["coupon_id"]]
        before = Decimal(order["amount"]) + Decimal(order["discount_amount"])
        assert coupon["valid_from"] <= order["created_at"][:10] <= coupon["valid_to"]
        assert before >= Decimal(coupon["min_amount"])


def test_payments_fit_the_state_of_the_order(shop):
    for order in shop["orders"]:
        paid = [p for p in shop["payments"] if p["order_id"] == order["id"]]
        states = {p["status"] for p in paid} - {"failed"}
        wanted = {"pending": [set()], "cancelled": [set(), {"refunded"}]}.get(order["status"], [{"success"}])
        assert states in wanted
        assert all(p["amount"] == order["amount"] for p in paid)
        assert all((p["card_no"] is None) == (p["channel"] != "card") for p in paid)
        assert (order["shipped_at"] is not None) == (order["status"] in ("shipped", "completed"))


def test_addresses_of_an_order_belong_to_its_user(shop):
    owner = {a["id"]: a["user_id"] for a in shop["addresses"]}
    for order in shop["orders"]:
        assert owner[order["shipping_address_id"]] == order["user_id"]
        assert order["billing_address_id"] is None or owner[order["billing_address_id"]] == order["user_id"]
    assert any(o["billing_address_id"] not in (None, o["shipping_address_id"]) for o in shop["orders"])


def test_reviews_are_of_completed_orders_by_the_buyer(shop):
    orders = {o["id"]: o for o in shop["orders"]}
    for review in shop["reviews"]:
        assert orders[review["order_id"]]["status"] == "completed"
        assert orders[review["order_id"]]["user_id"] == review["user_id"]
        assert 1 <= review["rating"] <= 5


def test_members_have_the_level_their_points_give(shop):
    for user in shop["users"]:
        level = [row for row in shop["会员等级"] if row["最低积分"] <= user["points"]][-1]
        assert user["level_id"] == level["编号"]


def test_json_columns_hold_json(shop):
    texts = [u["preferences"] for u in shop["users"]] + [p["attributes"] for p in shop["products"]]
    assert all(isinstance(json.loads(t), dict) for t in texts if t is not None)


def test_text_of_several_scripts_and_beyond_the_bmp(shop):
    names = " ".join(row["name"] for row in shop["users"])
    assert all(part in names for part in ("张三", "Alice", "陳", "𠮷", "O'Brien", "김"))
    assert any(ord(c) > 0xFFFF for row in shop["reviews"] for c in row["content"] or "")


def test_comments_stay_within_the_bmp():
    comments = [t.comment or "" for t in TABLES] + [c.comment or "" for t in TABLES for c in t.columns]
    assert max(ord(c) for text in comments for c in text) <= 0xFFFF
    assert any(c.comment is None for t in TABLES for c in t.columns)


def test_values_fit_their_declared_lengths(shop):
    for table in TABLES:
        for column in table.columns:
            if match := re.fullmatch(r"(?:var)?char\((\d+)\)", column.type):
                longest = max(len(row[column.name] or "") for row in shop[table.name])
                assert longest <= int(match[1]), (table.name, column.name)


def test_serial_numbers_make_distinct_cards():
    assert len({bank_card(n) for n in range(2000)}) == 2000
    assert len({id_card(date(1990, 1, 1), n) for n in range(100)}) == 100

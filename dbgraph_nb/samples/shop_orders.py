"""Orders of the sample shop, with their lines, payments and reviews.

In: dice, and the rows of users, addresses and products. Out: rows per table; an order's amount is the sum of its
lines less the discount, and only paid orders have a successful payment. Never: a float.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from dbgraph_nb.samples import shop_words
from dbgraph_nb.samples.fictional import Dice, bank_card
from dbgraph_nb.samples.schema import Row, Value

ORDERS = 140
# how often: most orders are done, some are open, a few went wrong
_STATES = ("completed",) * 9 + ("shipped",) * 4 + ("paid",) * 3 + ("pending",) * 2 + ("cancelled",) * 2


def money(cents: int) -> str:
    """Cents as decimal text.

    >>> money(12305)
    '123.05'
    """
    return f"{cents // 100}.{cents % 100:02d}"


def rows(dice: Dice, users: list[Row], addresses: list[Row], products: list[Row]) -> dict[str, list[Row]]:
    """Rows of ``orders``, ``order_items``, ``payments`` and ``reviews``, in that order."""
    at: dict[Value, list[Value]] = {}
    for row in addresses:
        at.setdefault(row[1], []).append(row[0])
    prices = [_cents(row[5]) for row in products]
    made: dict[str, list[Row]] = {"orders": [], "order_items": [], "payments": [], "reviews": []}
    for number in range(1, ORDERS + 1):
        user = 1 if number % 20 == 1 else dice.between(2, len(users))
        status = "completed" if number == 1 else dice.pick(_STATES)
        created = datetime(2025, 1, 6, 8) + timedelta(hours=number * 91, minutes=dice.below(720))
        lines, total = _lines(dice, number, prices)
        coupon, discount = _coupon(dice, total, created.date())
        shipped = created + timedelta(hours=dice.between(5, 60)) if status in ("shipped", "completed") else None
        made["orders"].append(
            (
                number,
                f"SO{created:%Y%m%d}{number:04d}",
                user,
                status,
                money(total - discount),
                money(discount),
                dice.pick(at[user]),
                dice.pick(at[user]) if dice.chance(70) else None,
                coupon,
                dice.pick(shop_words.REMARKS) if dice.chance(25) else None,
                created.isoformat(" "),
                shipped.isoformat(" ") if shipped else None,
            )
        )
        made["order_items"] += lines
        _pay(dice, made["payments"], number, user, status, total - discount, created)
        if status == "completed":
            _review(dice, made["reviews"], lines, user, created)
    return made


def _lines(dice: Dice, order: int, prices: list[int]) -> tuple[list[Row], int]:
    """One to four different products; returns the lines and their total in cents."""
    chosen: list[int] = []
    for _ in range(dice.between(1, 4)):
        product = dice.between(1, len(prices))
        if product not in chosen:
            chosen.append(product)
    counts = [dice.pick((1, 1, 1, 2, 3)) for _ in chosen]
    lines: list[Row] = [
        (order, line, product, count, money(prices[product - 1]))
        for line, (product, count) in enumerate(zip(chosen, counts, strict=True), start=1)
    ]
    return lines, sum(prices[p - 1] * n for p, n in zip(chosen, counts, strict=True))


def _coupon(dice: Dice, total: int, day: date) -> tuple[int | None, int]:
    """A coupon that is valid for the total on that day in a third of the orders, and its discount in cents."""
    number = dice.between(1, len(shop_words.COUPONS))
    _, _, kind, value, least, start, end = shop_words.COUPONS[number - 1]
    usable = total >= least and start <= day.isoformat() <= end
    if not usable or not dice.chance(50):
        return None, 0
    return number, value if kind == "fixed" else total * value // 10000


def _pay(dice: Dice, made: list[Row], order: int, user: int, status: str, cents: int, created: datetime) -> None:
    """Append the payments of one order: none while pending, sometimes a failed try, refunded when cancelled."""
    if status == "pending" or (status == "cancelled" and dice.chance(50)):
        return
    results = ["failed"] if dice.chance(8) else []
    results.append("refunded" if status == "cancelled" else "success")
    channel = dice.pick(("alipay", "alipay", "wechat", "wechat", "card"))
    for attempt, result in enumerate(results):
        when = created + timedelta(minutes=dice.between(1, 9) + 10 * attempt)
        card = bank_card(20000 + user) if channel == "card" else None
        trade = f"T{when:%Y%m%d%H%M}{order:04d}{attempt}"
        made.append((len(made) + 1, order, channel, money(cents), result, trade, card, when.isoformat(" ")))


def _review(dice: Dice, made: list[Row], lines: list[Row], user: int, created: datetime) -> None:
    """Append a review for most lines of a completed order."""
    for order, line, *_ in lines:
        if dice.chance(45):
            continue
        rating = dice.pick((5, 5, 5, 4, 4, 3, 2, 1))
        words = dice.pick(shop_words.PRAISE if rating >= 4 else shop_words.BLAME) if dice.chance(85) else None
        when = created + timedelta(days=dice.between(4, 20))
        made.append((len(made) + 1, order, line, user, rating, words, int(dice.chance(20)), when.isoformat(" ")))


def _cents(text: Value) -> int:
    return int(str(text).replace(".", ""))

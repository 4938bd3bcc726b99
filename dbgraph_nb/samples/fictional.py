"""Dice that fall the same way everywhere, and personal numbers that can belong to nobody.

In: a seed, or a running number. Out: ints, picks and strings. Never: a number that could be a real person's, nor a
result that depends on the Python version (``random`` promises that only for ``random()``).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TypeVar

T = TypeVar("T")

_MASK = (1 << 64) - 1
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


class Dice:
    """A SplitMix64 generator (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).

    >>> Dice(0).bits() == 0xE220A8397B1DCDAF
    True
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def bits(self) -> int:
        """The next 64 bits as an unsigned int."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """An int from 0 to ``n - 1``."""
        return self.bits() % n

    def between(self, low: int, high: int) -> int:
        """An int from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        """One of ``items``."""
        return items[self.below(len(items))]

    def chance(self, percent: int) -> bool:
        """True in ``percent`` of 100 throws."""
        return self.below(100) < percent

    def hexadecimal(self, length: int) -> str:
        """``length`` hexadecimal digits, at most 16."""
        return f"{self.bits():016x}"[:length]


def id_card_check(digits: str) -> str:
    """The check character of a Chinese identity number from its first 17 digits (ISO 7064 MOD 11-2, GB 11643).

    >>> id_card_check("11010519491231002")  # the standard's own example
    'X'
    """
    return "10X98765432"[sum(w * int(d) for w, d in zip(_ID_WEIGHTS, digits, strict=True)) % 11]


def id_card(born: date, serial: int) -> str:
    """An 18-character identity number with a valid check character in region 9990xx, which no place has.

    >>> id_card(date(1990, 1, 1), 1)[:14]
    '99900119900101'
    """
    digits = f"9990{serial % 100:02d}{born:%Y%m%d}{serial % 1000:03d}"
    return digits + id_card_check(digits)


def luhn_check(digits: str) -> str:
    """The Luhn check digit (ISO/IEC 7812-1, annex B) for ``digits``.

    >>> luhn_check("7992739871")
    '3'
    """
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (2 if place % 2 == 0 else 1)
        total += doubled - 9 if doubled > 9 else doubled
    return str(-total % 10)


def bank_card(serial: int) -> str:
    """A 19-digit card number with a valid Luhn digit under the issuer number 999999, which no bank has.

    >>> len(bank_card(1)), bank_card(1)[:6]
    (19, '999999')
    """
    digits = f"999999{serial * 7_919_317 % 10**12:012d}"
    return digits + luhn_check(digits)


def phone(serial: int) -> str:
    """An 11-digit number shaped like a Chinese mobile number, under 129, which no operator has.

    >>> phone(42)
    '12900000042'
    """
    return f"129{serial:08d}"


def phone_abroad(serial: int) -> str:
    """A number from +1-202-555-0100 to -0199, the block kept for fiction in North America.

    >>> phone_abroad(3)
    '+1-202-555-0103'
    """
    return f"+1-202-555-01{serial % 100:02d}"

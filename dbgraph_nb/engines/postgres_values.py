"""Values of PostgreSQL as Python values without loss: what Python has no type for stays the server's text.

In: a psycopg connection. Out: the same, with loaders. Never: a month that becomes 30 days, an infinite date that
becomes a finite one, a JSON number that becomes a float, an error because of a year.
"""

from __future__ import annotations

from typing import Any

# Their text is exact; psycopg's own objects for them are not, or say little in a table.
_RANGES = ("int4", "int8", "num", "date", "ts", "tstz")
_AS_TEXT = ("json", "jsonb", "inet", "cidr", *(f"{of}{kind}" for of in _RANGES for kind in ("range", "multirange")))
_TIMES = ("date", "timestamp", "timestamptz", "time", "timetz")


def keep_exact(connection: Any) -> None:
    """Registers the loaders on one connection."""
    from psycopg import DataError
    from psycopg.adapt import Loader
    from psycopg.types.string import TextLoader

    def tolerant(base: Any) -> Any:
        class Tolerant(Loader):
            """The driver's value, or the text where Python's type cannot hold it."""

            def __init__(self, oid: int, context: Any = None) -> None:
                super().__init__(oid, context)
                self._driver = base(oid, context)

            def load(self, data: Any) -> Any:
                try:
                    return self._driver.load(data)
                except (DataError, ValueError, OverflowError):
                    return bytes(data).decode()

        return Tolerant

    class Interval(TextLoader):
        """A ``timedelta`` where it is days and time; months and years have no fixed length and stay text."""

        def load(self, data: Any) -> Any:
            text = bytes(data).decode()
            return text if "mon" in text or "year" in text else plain.load(data)

    adapters = connection.adapters
    types = adapters.types
    plain = adapters.get_loader(types["interval"].oid, 0)(types["interval"].oid)
    for name in _AS_TEXT:
        if types.get(name):
            adapters.register_loader(name, TextLoader)
    for name in _TIMES:
        adapters.register_loader(name, tolerant(adapters.get_loader(types[name].oid, 0)))
    adapters.register_loader("interval", Interval)

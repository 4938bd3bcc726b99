"""Demo data, made by code: a bilingual shop, and a loader for the real flights of New York City in 2013.

In: a path or an open connection. Out: tables with rows. Never: data of a real person.
"""

from __future__ import annotations

from dbgraph_nb.samples.files import files
from dbgraph_nb.samples.flights import load_flights
from dbgraph_nb.samples.load import load_shop_mysql, shop_statements
from dbgraph_nb.samples.shop_rows import DEMO_PASSWORD, DEMO_USER
from dbgraph_nb.samples.shop_sqlite import shop

__all__ = ["DEMO_PASSWORD", "DEMO_USER", "files", "load_flights", "load_shop_mysql", "shop", "shop_statements"]

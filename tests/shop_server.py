"""A private MariaDB that holds the sample shop, and a reader who may only read it.

In: nothing. Out: the reader's URL with password, and the server. Never: the machine's own server.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import dbservers

from dbgraph_nb import samples

READER_PASSWORD = "reader-Pa55"  # of an account on a server that lives for one test run


@contextlib.contextmanager
def shop_on_mariadb() -> Iterator[tuple[str, str]]:
    """(URL of the shop for its reader, name and version of the server)."""
    with dbservers.mariadb() as server:
        load_shop(server, "shop")
        yield f"mysql://reader:{READER_PASSWORD}@127.0.0.1:{server.port}/shop", server.version


def load_shop(server: dbservers.MariaServer, database: str) -> None:
    """Makes the database with the shop in it, and the account ``reader``."""
    server.execute(f"CREATE DATABASE `{database}` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
    with server.connect(database=database) as connection:
        samples.load_shop_mysql(connection)
        connection.commit()
    server.execute(
        f"CREATE USER IF NOT EXISTS 'reader'@'127.0.0.1' IDENTIFIED BY '{READER_PASSWORD}'",
        f"GRANT SELECT, SHOW VIEW ON `{database}`.* TO 'reader'@'127.0.0.1'",
    )

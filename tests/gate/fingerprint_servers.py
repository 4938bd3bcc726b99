"""MariaDB and PostgreSQL as worlds of ``fingerprint``: the server's own root, and no read-only transaction.

In: a private server. Out: ``World``. Never: another server; ``reset`` drops databases and roles.
"""

from __future__ import annotations

import time
from typing import Any

import dbservers
from gate.fingerprint import SCHEMA, Fingerprint, World, files
from gate.grammar_functions import Function, from_mariadb, from_postgres

_READING = (
    "com_select", "com_show", "com_explain", "com_admin", "com_stmt", "com_begin", "com_commit",
    "com_analyze_format", "com_empty",
)  # fmt: skip
# of the session: what changes by itself, or by any statement
_MOVING = (
    "timestamp", "rand_seed1", "rand_seed2", "error_count", "warning_count", "gtid_binlog_state",
    "innodb_buffer_pool_load", "last_gtid", "pseudo_thread_id", "insert_id",
)  # fmt: skip


class MariaWorld(World):
    dialect = "mariadb"

    def __init__(self, server: dbservers.MariaServer) -> None:
        self.server, self.number = server, 0
        self.connection: Any = None
        self.asked = 0.0
        self.reset()

    def reset(self) -> None:
        self.close()
        self.number += 1
        name = f"gate{self.number}"
        self.server.execute(f"CREATE DATABASE {name}")
        self.name = name
        self._connect()
        drawing = ("CREATE TABLE td (a INT, c INT DEFAULT nextval(s))", "INSERT INTO td (a) VALUES (1)")
        for statement in (*SCHEMA, "CREATE SEQUENCE s NOCACHE", *drawing):
            self._ask(statement)

    def _connect(self) -> None:
        self.connection = self.server.connect(database=self.name, read_timeout=30)
        self._ask("SET max_statement_time = 2, SESSION max_recursive_iterations = 1000")

    def _ask(self, sql: str) -> Any:
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

    def begin(self) -> None:
        """One transaction for a batch, so that row locks stay to be seen; a statement that ends it is seen as well."""
        self._ask("COMMIT")
        self._ask("START TRANSACTION")

    def run(self, sql: str) -> str:
        import pymysql

        try:
            with self.connection.cursor() as cursor:
                cursor.execute(sql)
                return repr(cursor.fetchmany(500))
        except (pymysql.err.OperationalError, pymysql.err.InterfaceError) as error:
            if not self.connection.open or error.args[:1] in ((0,), (2006,), (2013,), (2014,)):
                self._connect()
                self.begin()
            return ""
        except (pymysql.Error, UnicodeError, ValueError):
            return ""

    def fingerprint(self) -> Fingerprint:
        ask, named = self._ask, f"table_schema = '{self.name}'"
        # the server keeps innodb_trx for a tenth of a second
        time.sleep(max(0.0, self.asked + 0.12 - time.monotonic()))
        state: Fingerprint = {
            "transaction": ask(
                "SELECT trx_tables_locked, trx_rows_locked, trx_rows_modified, trx_is_read_only "
                "FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = connection_id() "
                "AND trx_tables_locked + trx_rows_locked + trx_rows_modified > 0"
            ),
            "inside": ask("SELECT @@in_transaction"),
        }
        self.asked = time.monotonic()
        state |= {table: ask(f"SELECT * FROM {self.name}.{table} ORDER BY 1") for table in ("t", "u", "u2", "td")}
        count = ask("SHOW SESSION STATUS WHERE variable_name LIKE 'com\\_%' AND value > 0")
        session = ask("SHOW SESSION VARIABLES")
        return state | {
            "sequence": ask(f"SELECT next_not_cached_value, cycle_count FROM {self.name}.s"),
            "tables": ask("SELECT table_schema, table_name, table_type FROM information_schema.tables ORDER BY 1, 2"),
            "columns": ask(f"SELECT table_name, column_name, data_type FROM information_schema.columns WHERE {named}"),
            "indexes": ask(f"SELECT table_name, index_name FROM information_schema.statistics WHERE {named}"),
            "routines": ask("SELECT routine_schema, routine_name FROM information_schema.routines ORDER BY 1, 2"),
            "triggers": ask("SELECT trigger_name FROM information_schema.triggers"),
            "events": ask("SELECT event_name FROM information_schema.events"),
            "users": ask("SELECT user, host, priv FROM mysql.global_priv ORDER BY 1, 2"),
            "functions": ask("SELECT name FROM mysql.func"),
            "plugins": ask("SELECT plugin_name, plugin_status FROM information_schema.plugins ORDER BY 1"),
            "session": [row for row in session if row[0] not in _MOVING],
            "global": [row for row in ask("SHOW GLOBAL VARIABLES") if row[0] not in _MOVING],
            "variables": ask("SELECT * FROM information_schema.user_variables"),
            "named locks": ask("SELECT is_used_lock('planted'), is_used_lock('a'), is_used_lock('t')"),
            "prepared": ask("SHOW SESSION STATUS LIKE 'prepared_stmt_count'"),
            "commands": [row for row in count if not str(row[0]).lower().startswith(_READING)],
            "place": ask("SELECT DATABASE(), CURRENT_USER(), CURRENT_ROLE()"),
            "files": files(self.server.folder, _no_content),
        }

    def catalogue(self) -> list[Function]:
        with self.connection.cursor() as cursor:
            return from_mariadb(cursor)

    def close(self) -> None:
        if self.connection is not None:
            if self.connection.open:
                self.connection.close()
            self.server.execute(f"DROP DATABASE {self.name}")
            self.connection = None


def _no_content(name: str) -> bool:
    return False


_DUMPED = (
    "pg_class", "pg_proc", "pg_type", "pg_namespace", "pg_trigger", "pg_extension", "pg_authid", "pg_database",
    "pg_rewrite", "pg_db_role_setting", "pg_description", "pg_largeobject_metadata", "pg_language",
    "pg_foreign_server", "pg_publication", "pg_subscription", "pg_seclabel", "pg_default_acl", "pg_statistic",
    "pg_operator", "pg_cast", "pg_index", "pg_attribute",
)  # fmt: skip


class PostgresWorld(World):
    dialect = "postgres"

    def __init__(self, server: dbservers.PostgresServer) -> None:
        self.server, self.number = server, 0
        self.connection: Any = None
        self._admin("ALTER SYSTEM SET autovacuum = off", "SELECT pg_reload_conf()")  # it takes transaction numbers
        self.reset()

    def _admin(self, *statements: str) -> None:
        import psycopg

        with psycopg.connect(self.server.dsn, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def reset(self) -> None:
        import psycopg

        self.close()
        self.number += 1
        self.name = f"gate{self.number}"
        self._admin(f"CREATE DATABASE {self.name}")
        options = "-c statement_timeout=2000 -c max_parallel_workers_per_gather=0"
        dsn = f"{self.server.dsn} dbname={self.name} options='{options}'"
        self.connection = psycopg.connect(dsn, autocommit=True, prepare_threshold=None)
        self.listener = psycopg.connect(f"{self.server.dsn} dbname={self.name}", autocommit=True)
        self.listener.execute("LISTEN planted")
        self.notes: list[str] = []
        self.listener.add_notify_handler(lambda note: self.notes.append(note.channel))
        script = [statement.replace(" JSON)", " JSONB)") for statement in SCHEMA]
        for statement in (*script, "CREATE SEQUENCE s", "SELECT nextval('s')", "ANALYZE"):
            self.connection.execute(statement.encode())

    def run(self, sql: str) -> str:
        import psycopg

        try:
            cursor = self.connection.execute(sql.encode("utf-8", "surrogatepass"))
            return repr(cursor.fetchmany(500)) if cursor.description else ""
        except (psycopg.Error, UnicodeError, ValueError, OverflowError):
            return ""

    def fingerprint(self) -> Fingerprint:
        ask = lambda sql: self.connection.execute(sql.encode()).fetchall()  # noqa: E731 - twenty short questions
        who = ask("SELECT current_user, session_user, current_schemas(true), current_database()")
        if who[0][0] != "postgres":
            return {"who": who}  # may not see the rest
        # a transaction number is taken by every write, row lock and temporary table, and by no read
        state: Fingerprint = {"transaction number": ask("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")}
        for name in _DUMPED:
            state[name] = ask(f"SELECT count(*), sum(hashtextextended((c.*)::text, 0)) FROM {name} AS c")
        self.listener.execute("SELECT 1")
        return state | {
            "rows": [ask(f"SELECT c.*::text FROM public.{table} AS c ORDER BY 1") for table in ("t", "u", "u2")],
            "sequences": ask("SELECT sequencename, last_value FROM pg_sequences"),
            "settings": ask("SELECT name, setting, source FROM pg_settings ORDER BY 1"),
            "own setting": ask("SELECT current_setting('planted.x', true)"),
            "locks": ask(
                "SELECT locktype, mode, objid FROM pg_locks WHERE pid = pg_backend_pid() AND (locktype = 'advisory' "
                "OR relation IN ('public.t'::regclass, 'public.u'::regclass, 'public.v'::regclass))"
            ),
            "prepared": ask("SELECT name FROM pg_prepared_statements"),
            "cursors": ask("SELECT name FROM pg_cursors WHERE name <> ''"),
            "two-phase": ask("SELECT gid FROM pg_prepared_xacts"),
            "channels": ask("SELECT pg_listening_channels()"),
            "slots": ask("SELECT slot_name FROM pg_replication_slots"),
            "origins": ask("SELECT * FROM pg_replication_origin"),
            "large objects": ask("SELECT count(*) FROM pg_largeobject"),
            "reset": ask(
                "SELECT (SELECT max(stats_reset) FROM pg_stat_database), (SELECT stats_reset FROM pg_stat_bgwriter), "
                "(SELECT stats_reset FROM pg_stat_wal), (SELECT max(stats_reset) FROM pg_stat_slru)"
            ),
            "who": who,
            "segment": ask("SELECT pg_walfile_name(pg_current_wal_insert_lsn())"),
            "loaded": ask("SELECT pg_conf_load_time()"),
            "backends": ask("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"),
            "notifications": list(self.notes),
            "state": int(self.connection.info.transaction_status),
            "files": self._files(),
        }

    def _files(self) -> list[tuple[str, str]]:
        """Names and texts of the data folder, without what the server itself goes on writing."""
        data = self.server.folder / "data"
        moving = ("postmaster.pid", "pg_wal", "pg_stat_tmp")
        found = [(path.name, "") for path in sorted(data.iterdir()) if path.name not in moving]
        for name in ("postgresql.conf", "postgresql.auto.conf", "pg_hba.conf", "pg_ident.conf"):
            found.append((name, (data / name).read_text("utf-8")))
        return found + [(name, "") for name in sorted(path.name for path in self.server.folder.iterdir())]

    def catalogue(self) -> list[Function]:
        return from_postgres(self.connection)

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.listener.close()
            self._admin(f"DROP DATABASE {self.name} WITH (FORCE)")
            self.connection = None

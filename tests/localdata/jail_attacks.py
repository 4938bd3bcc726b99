"""Attacks on the jail of SQL over local files: paths that lead outside, ways to name a file, statements that write.

In: nothing. Out: templates, which ``test_jail`` fills in. Never: a path of one computer.

In a path: ``<out>`` the folder outside, ``<work>`` the workspace, ``<k>`` the ending that a way reads, ``<K>`` the same
in capitals, ``<fd>`` a descriptor of the secret file, ``<pid>`` this process, ``<port>`` a port that nobody may call,
``<up>``, ``<dots>`` and ``<long>`` many of the same.

In a statement: ``<p>`` the path as a literal, ``<i>`` as a quoted name, ``<parts>`` as two, ``<chr>`` spelled with
chr(), ``<d>`` in dollar quotes, ``<q>`` the literal of a statement that reads it, ``<qq>`` of one that runs that one,
``<tree>`` of its tree, ``<home>`` and ``<temp>`` the user's folders, ``<file>`` the mounted file, ``<nl>`` a new line.
``;;`` stands between separate calls.
"""

from __future__ import annotations

PATHS = (
    # absolute, and around
    "<out>/secret.<k>",
    "/<out>/secret.<k>",
    "//<out>//secret.<k>",
    "<out>/./secret.<k>",
    "<out>/../outside/secret.<k>",
    "/..<out>/secret.<k>",
    "/../../..<out>/secret.<k>",
    "<work>/../outside/secret.<k>",
    "<work>/data/../../outside/secret.<k>",
    "<work>2/secret.<k>",
    "/etc/passwd",
    "/etc/passwd.<k>",
    # relative
    "../outside/secret.<k>",
    "./../outside/secret.<k>",
    "..//outside///secret.<k>",
    "../outside/./secret.<k>",
    "../work/../outside/secret.<k>",
    "../work2/secret.<k>",
    "data/../../outside/secret.<k>",
    "data/deep/../../../outside/secret.<k>",
    "data/.//..//../outside/secret.<k>",
    "nowhere/../../outside/secret.<k>",
    "sales.parquet/../../outside/secret.<k>",
    ".../outside/secret.<k>",
    # links, and files with two names
    "link.<k>",
    "relative.<k>",
    "chain.<k>",
    "data/chain.<k>",
    "to_fd.<k>",
    "to_cwd.<k>",
    "loop.<k>",
    "outside_link/secret.<k>",
    "outside_up/secret.<k>",
    "outside_link/../outside/secret.<k>",
    "data/to_top/../outside/secret.<k>",
    "root_link<out>/secret.<k>",
    "root_link/proc/self/fd/<fd>",
    "proc_link/self/root<out>/secret.<k>",
    "proc_link/self/fd/<fd>",
    "hard.<k>",
    "data/hard.<k>",
    "outside_link/../work/hard.<k>",
    # what the system calls an open file
    "/proc/self/cwd/../outside/secret.<k>",
    "/proc/self/root<out>/secret.<k>",
    "/proc/self/fd/<fd>",
    "/proc/<pid>/fd/<fd>",
    "/proc/<pid>/root<out>/secret.<k>",
    "/proc/thread-self/fd/<fd>",
    "/proc/self/task/<pid>/fd/<fd>",
    "../../../../../../../../proc/self/fd/<fd>",
    "/dev/fd/<fd>",
    "/dev/stdin",
    "/proc/self/fd/0",
    "/proc/self/environ",
    "/proc/self/maps",
    "/proc/self/fd/<fd>/../<fd>",
    # URLs, and what only looks like one
    "file://<out>/secret.<k>",
    "file:<out>/secret.<k>",
    "FILE://<out>/secret.<k>",
    "File:<out>/secret.<k>",
    "file:/<out>/secret.<k>",
    "file://localhost<out>/secret.<k>",
    "file:../outside/secret.<k>",
    "file:///proc/self/fd/<fd>",
    "http://127.0.0.1:<port>/secret.<k>",
    "https://127.0.0.1:<port>/secret.<k>",
    "HTTP://127.0.0.1:<port>/secret.<k>",
    "http:127.0.0.1:<port>/secret.<k>",
    "s3://127.0.0.1:<port>/secret.<k>",
    "s3a://bucket/secret.<k>",
    "r2://bucket/secret.<k>",
    "gs://bucket/secret.<k>",
    "gcs://bucket/secret.<k>",
    "hf://datasets/user/name/secret.<k>",
    "az://container/secret.<k>",
    "azure://container/secret.<k>",
    "abfss://container@account/secret.<k>",
    "ftp://127.0.0.1:<port>/secret.<k>",
    "zip://<out>/secret.zip/secret.<k>",
    "gzip://<out>/secret.<k>",
    "tar://../outside/secret.tar!/secret.<k>",
    "jar:file:<out>/secret.jar!/secret.<k>",
    "data:text/csv,x",
    "memory://secret.<k>",
    "duckdb:<out>/secret.<k>",
    "sqlite:<out>/secret.<k>",
    "postgres:host=127.0.0.1 port=<port>",
    "postgresql://127.0.0.1:<port>/secret",
    "mysql:host=127.0.0.1 port=<port>",
    "md:secret.<k>",
    "ducklake:<out>/secret.<k>",
    "quack:127.0.0.1:<port>",
    # encoded
    "%2e%2e/outside/secret.<k>",
    "..%2foutside%2fsecret.<k>",
    "%2e%2e%2foutside%2fsecret.<k>",
    "..%252foutside%252fsecret.<k>",
    "..%c0%afoutside/secret.<k>",
    "file://%2e%2e/outside/secret.<k>",
    "..\\x2foutside/secret.<k>",
    "&#46;&#46;/outside/secret.<k>",
    # Unicode, case
    "．．/outside/secret.<k>",
    "..／outside／secret.<k>",
    "‥/outside/secret.<k>",
    "..∕outside∕secret.<k>",
    "..⁄outside⁄secret.<k>",
    "..\u200b/outside/secret.<k>",
    "\ufeff../outside/secret.<k>",
    "\u202e../outside/secret.<k>",
    "../outside/g\u00e9heim.<k>",
    "../outside/ge\u0301heim.<k>",
    "../OUTSIDE/SECRET.<K>",
    "../Outside/Secret.<k>",
    "../out\u017fide/secret.<k>",
    "../outside/secret.<K>",
    "\ud800/../../outside/secret.<k>",
    # something after it, or before
    "../outside/secret.<k>.",
    "../outside/secret.<k> ",
    "../outside/secret.<k>/",
    "../outside/secret.<k>/.",
    "../outside/secret.<k>//..//secret.<k>",
    " ../outside/secret.<k>",
    "\t../outside/secret.<k>",
    "../outside/secret.<k>\n",
    "../outside/secret.<k>?x=1",
    "../outside/secret.<k>#x",
    "../outside/secret.<k>?.<k>",
    "../outside/secret.<k>\0",
    "../outside/secret.<k>\0.<k>",
    "sales.parquet\0/../../outside/secret.<k>",
    "../outside/secret.<k>::$DATA",
    "../outside/secret.<k>,sales.parquet",
    "../outside/secret.<k>;sales.parquet",
    "../outside/secret.<k>:stream",
    # of other systems and of shells
    "..\\outside\\secret.<k>",
    "..\\/outside/secret.<k>",
    "C:\\outside\\secret.<k>",
    "C:../outside/secret.<k>",
    "\\\\host\\share\\secret.<k>",
    "\\\\?\\<out>\\secret.<k>",
    "//host/share/secret.<k>",
    "\\\\.\\pipe\\secret.<k>",
    "CON.<k>",
    "nul",
    "~/secret.<k>",
    "~/../outside/secret.<k>",
    "~root/secret.<k>",
    "~+/../outside/secret.<k>",
    "$HOME/secret.<k>",
    "${HOME}/secret.<k>",
    "%HOME%/secret.<k>",
    "$(cat ../outside/secret.<k>)",
    "`cat ../outside/secret.<k>`",
    "|cat ../outside/secret.<k>",
    # patterns
    "../*/secret.<k>",
    "../outside/*.<k>",
    "../outside/secret.[a-z]*",
    "../outsid?/secret.<k>",
    "../**/secret.<k>",
    "**/../../outside/secret.<k>",
    "<out>/s*.<k>",
    "{..}/outside/secret.<k>",
    "{../outside,x}/secret.<k>",
    "[.][.]/outside/secret.<k>",
    ".*/outside/secret.<k>",
    "..*/secret.<k>",
    "?*/secret.<k>",
    "outside_*/secret.<k>",
    "**/secret.<k>",
    "*ink.<k>",
    "[h]ard.<k>",
    "data/*/../../../outside/secret.<k>",
    "/proc/self/fd/*<fd>",
    "*/self/fd/<fd>",
    # very long
    "<up>outside/secret.<k>",
    "<dots>../outside/secret.<k>",
    "<long>/../../outside/secret.<k>",
    # quotes and lines in the name
    "../outside/it's.<k>",
    '../outside/"q".<k>',
    "../outside/new\nline.<k>",
    "../outside/a=b.<k>",
    "x=../outside/secret.<k>",
    "x'||'../outside/secret.<k>",
    "f0' UNION ALL FROM '../outside/secret.<k>",
    "sales.parquet') UNION ALL BY NAME SELECT * FROM read_text('../outside/secret.<k>",
)

# ending | statement, or several calls
WAYS = """
csv | SELECT * FROM <p>
csv | SELECT * FROM <i>
csv | FROM <p>
csv | FROM <i>
csv | TABLE <i>
csv | SELECT * FROM main.<i>
csv | SELECT * FROM memory.main.<i>
csv | SELECT * FROM <parts>
csv | SELECT f0.id, o.* FROM f0, <parts> AS o
csv | SELECT * FROM f0.<i>
csv | SELECT * FROM <p> AS f0
csv | SELECT * FROM <p> TABLESAMPLE 100%
csv | SELECT * FROM a : <p>
csv | FROM a: read_csv(<p>)
csv | FROM (FROM <p>) SELECT *
csv | SELECT * FROM\u00a0<p>
csv | SELECT #1, #2 FROM <p>
csv | CALL read_csv(<p>)
csv | SELECT * FROM read_csv(<p>) WITH ORDINALITY
csv | SELECT '\\' AS x UNION ALL BY NAME FROM <p> --'
csv | SELECT E'\\'' AS x UNION ALL BY NAME FROM <p>
csv | SELECT $$'$$ AS x UNION ALL BY NAME FROM <p>
csv | SELECT $a$ $$ $a$ AS x UNION ALL BY NAME FROM <p>
csv | SELECT 1 AS x /* /* */ UNION ALL BY NAME FROM <p> -- */
csv | SELECT 1 AS x /* /* */ */ UNION ALL BY NAME FROM <p>
csv | SELECT 1 AS x -- \r UNION ALL BY NAME FROM <p>
csv | SELECT 1 AS x --<nl>UNION ALL BY NAME FROM <p>
csv | SELECT 1 AS "a"";", 2 AS "b" UNION ALL BY NAME FROM <p>
csv | SELECT * FROM read_csv(<p>)
csv | SELECT * FROM read_csv([<p>])
csv | SELECT * FROM read_csv(['in.csv', <p>], union_by_name = true)
csv | SELECT * FROM read_csv_auto(<p>)
csv | SELECT * FROM "ReAd_CsV"(<p>)
csv | SELECT * FROM main.read_csv(<p>)
csv | SELECT * FROM system.main.read_csv(<p>)
csv | SELECT * FROM read_csv(<p> || '')
csv | SELECT * FROM read_csv(<chr>)
csv | SELECT * FROM read_csv(<d>)
csv | SELECT * FROM read_csv(CAST(<p> AS VARCHAR))
csv | SELECT * FROM read_csv(/* f0 */ <p> -- f0<nl>)
csv | SELECT * FROM read_csv(list_value(<p>))
csv | SELECT * FROM read_csv((SELECT <p>))
csv | SELECT * FROM read_csv(:p)
csv | SELECT * FROM read_csv([:p])
csv | SELECT * FROM query_table(:p)
csv | SELECT * FROM f0, read_csv(<p>) AS o
csv | SELECT * FROM f0 POSITIONAL JOIN <p>
csv | SELECT * FROM (SELECT <p> AS p) AS s, LATERAL read_csv(s.p)
csv | SELECT * FROM (VALUES (<p>)) AS s(p), read_csv(p)
csv | SELECT * FROM read_single_csv_file(<p>)
csv | SELECT * FROM sniff_csv(<p>)
csv | SELECT * FROM histogram(<p>, x)
csv | SELECT * FROM histogram_values(<i>, x)
csv | SELECT * FROM summary((FROM <p>))
csv | SELECT * FROM query_table(<p>)
csv | SELECT * FROM query_table([<p>])
csv | SELECT * FROM query(<q>)
csv | SELECT * FROM query(<qq>)
csv | WITH x AS (SELECT * FROM read_csv(<p>)) SELECT * FROM x
csv | WITH x AS MATERIALIZED (FROM <p>) FROM x
csv | WITH f0 AS (FROM <p>) SELECT * FROM f0
csv | WITH RECURSIVE x AS (SELECT * FROM <p> UNION SELECT * FROM x) FROM x
csv | SELECT 'a' AS x UNION ALL BY NAME FROM <p>
csv | SELECT x FROM <p> EXCEPT SELECT 'a'
csv | SELECT * FROM (FROM <p>)
csv | SELECT (SELECT max(x) FROM <p>) AS m
csv | SELECT id FROM f0 WHERE EXISTS (FROM <p>)
csv | SELECT id FROM f0 WHERE 'a' NOT IN (SELECT x FROM <p>)
csv | SELECT id FROM f0 WHERE 'a' <> ALL (SELECT x FROM <p>)
csv | VALUES ((SELECT max(x) FROM <p>))
csv | SELECT ARRAY(SELECT x FROM <p>)
csv | SELECT list(s) FROM <p> AS s
csv | SELECT DISTINCT ON (x) COLUMNS(*) FROM <p> QUALIFY row_number() OVER () < 9 ORDER BY ALL
csv | PIVOT <p> ON x USING count(*)
csv | PIVOT (FROM <p>) ON x USING count(*)
csv | SELECT * FROM (PIVOT <i> ON x USING count(*))
csv | UNPIVOT <p> ON COLUMNS(*)
csv | SELECT id FROM f0 ORDER BY (SELECT max(x) FROM <p>)
csv | SELECT id FROM f0 LIMIT (SELECT count(*) FROM <p>)
csv | SELECT count(*) FILTER (EXISTS (FROM <p>)) FROM f0
csv | SELECT max((SELECT max(x) FROM <p>)) OVER () FROM f0
csv | SELECT CASE WHEN id > 0 THEN (SELECT max(x) FROM <p>) END FROM f0
csv | SELECT f0.id, o.x FROM f0 LEFT JOIN LATERAL (FROM <p>) AS o ON true
csv | DESCRIBE <p>
csv | DESCRIBE FROM <p>
csv | DESCRIBE TABLE <i>
csv | SELECT * FROM (DESCRIBE <p>)
csv | SUMMARIZE <p>
csv | SUMMARIZE FROM <p>
csv | SELECT * FROM (SUMMARIZE <p>)
csv | SHOW <i>
csv | SELECT * FROM (SHOW <i>)
csv | EXPLAIN FROM <p>
csv | EXPLAIN ANALYZE FROM <p>
csv | EXPLAIN (FORMAT json) FROM <p>
csv | PRAGMA table_info(<p>)
csv | PRAGMA show(<p>)
csv | SELECT * FROM pragma_table_info(<p>)
csv | SELECT * FROM pragma_show(<p>)
csv | SELECT * FROM pragma_storage_info(<p>)
csv | SELECT * FROM duckdb_table_sample(<p>)
csv | CREATE TABLE t AS FROM <p> ;; FROM t
csv | CREATE TEMP TABLE t AS FROM <p> ;; FROM t
csv | CREATE VIEW v AS FROM <p> ;; FROM v
csv | CREATE OR REPLACE TEMP VIEW f0 AS FROM <p> ;; FROM f0
csv | CREATE MACRO m() AS TABLE FROM <p> ;; FROM m()
csv | CREATE MACRO m(p) AS TABLE FROM read_csv(p) ;; FROM m(<p>)
csv | CREATE MACRO m() AS (SELECT max(x) FROM <p>) ;; SELECT m()
csv | CREATE TYPE e AS ENUM (SELECT x FROM <p>) ;; SELECT enum_range(NULL::e)
csv | CREATE TABLE t (a VARCHAR, b VARCHAR) ;; COPY t FROM <p> ;; FROM t
csv | CREATE TABLE t (a VARCHAR, b VARCHAR) ;; INSERT INTO t FROM <p> ;; FROM t
csv | CREATE TABLE t (a VARCHAR, b VARCHAR) ;; MERGE INTO t USING <p> ON false WHEN NOT MATCHED THEN INSERT ;; FROM t
csv | PREPARE q AS FROM read_csv($1) ;; EXECUTE q(<p>)
csv | PREPARE q AS FROM <p> ;; EXECUTE q
csv | SET VARIABLE p = <p> ;; FROM read_csv(getvariable('p'))
csv | SET VARIABLE v = (SELECT max(x) FROM <p>) ;; SELECT getvariable('v')
csv | SELECT * FROM read_csv(getvariable('p'))
csv | SET file_search_path = '<out>' ;; FROM 'secret.csv'
csv | SET home_directory = '<out>' ;; FROM '~/secret.csv'
csv | SET allowed_paths = [<p>] ;; FROM <p>
csv | SET allowed_directories = ['<out>'] ;; FROM <p>
csv | SET enable_external_access = true ;; FROM <p>
csv | RESET enable_external_access ;; FROM <p>
csv | SET temp_directory = '<out>' ;; FROM <p>
csv | PRAGMA enable_object_cache ;; FROM <p>
csv | SELECT 1; FROM <p>
csv | FROM <p>; SELECT 1
csv | SELECT * FROM json_execute_serialized_sql(<tree>)
csv | PRAGMA json_execute_serialized_sql(<tree>)
csv | SELECT * FROM json_execute_serialized_sql(json_serialize_sql(<q>))
csv | SELECT json_serialize_plan(<q>)
csv | SELECT * FROM check_peg_parser(<q>)
csv | SELECT * FROM sql_auto_complete(<q>)
csv | SELECT * FROM from_substrait(<p>::BLOB)
csv | SELECT * FROM from_substrait_json(<p>)
csv | SELECT * FROM which_secret(<p>, 's3')
csv | CALL register_external_resource('t', 'n', MAP {'a': 'b'}, uri := <p>)
csv | CALL create_external_resource('t', params := MAP {'p': <p>})
csv | CALL add_grammar_extension(<p>)
csv | FROM duckdb_external_file_cache()
csv | SELECT * FROM pandas_scan(<p>)
csv | SELECT * FROM arrow_scan(<p>)
csv | SELECT * FROM seq_scan(<p>)
csv | SELECT * FROM python_map_function((FROM <p>))
csv | SELECT getenv('JAIL_CANARY')
parquet | SELECT * FROM <p>
parquet | SELECT * FROM read_parquet(<p>)
parquet | SELECT * FROM read_parquet([<p>])
parquet | SELECT * FROM read_parquet(['sales.parquet', <p>], union_by_name = true)
parquet | SELECT * FROM parquet_scan(<p>)
parquet | SELECT * FROM read_single_parquet_file(<p>)
parquet | SELECT * FROM parquet_metadata(<p>)
parquet | SELECT * FROM parquet_schema(<p>)
parquet | SELECT * FROM parquet_file_metadata(<p>)
parquet | SELECT * FROM parquet_full_metadata(<p>)
parquet | SELECT key::VARCHAR, value::VARCHAR FROM parquet_kv_metadata(<p>)
parquet | SELECT * FROM parquet_bloom_probe(<p>, 'x', 'a')
parquet | SELECT * FROM parquet_page_index(<p>)
parquet | PRAGMA add_parquet_key('k', <p>)
parquet | SELECT * FROM iceberg_scan(<p>)
parquet | SELECT * FROM delta_scan(<p>)
parquet | SELECT * FROM read_avro(<p>)
parquet | SELECT * FROM read_vortex(<p>)
json | SELECT * FROM <p>
json | SELECT * FROM read_json(<p>)
json | SELECT * FROM read_json(:p)
json | SELECT * FROM read_json_auto(<p>)
json | SELECT * FROM read_json_objects(<p>)
json | SELECT * FROM read_json_objects_auto(<p>)
json | SELECT * FROM read_ndjson(<p>)
json | SELECT * FROM read_ndjson_auto(<p>)
json | SELECT * FROM read_ndjson_objects(<p>)
json | SELECT * FROM read_single_json_file(<p>)
txt | SELECT * FROM read_text(<p>)
txt | SELECT * FROM read_text([<p>])
txt | SELECT * FROM read_blob(<p>)
txt | SELECT (SELECT any_value(content) FROM read_text(<p>)) AS c
txt | SELECT * FROM f0, read_text(<p>)
txt | SELECT * FROM read_csv(<p>, delim = '', header = false)
txt | SELECT * FROM glob(<p>)
txt | SELECT * FROM glob([<p>])
txt | SELECT * FROM glob('<out>/*')
txt | SELECT * FROM read_xlsx(<p>)
txt | SELECT * FROM st_read(<p>)
txt | SELECT * FROM st_read_meta(<p>)
txt | INSTALL <p>
txt | FORCE INSTALL <p>
txt | INSTALL x FROM <p>
txt | LOAD <p>
duckdb | ATTACH <p> AS s (READ_ONLY) ;; FROM s.t
duckdb | ATTACH <p> AS s ;; USE s ;; FROM t
duckdb | ATTACH IF NOT EXISTS <p> AS s ;; FROM s.t
duckdb | ATTACH <p> AS s (TYPE sqlite) ;; FROM s.t
duckdb | ATTACH <p> AS s (TYPE postgres) ;; FROM s.t
duckdb | ATTACH <p> AS s ;; COPY FROM DATABASE s TO memory ;; FROM t
duckdb | ATTACH <p> AS s ;; SELECT * FROM pragma_metadata_info('s')
duckdb | USE <i> ;; FROM t
duckdb | SELECT * FROM <p>
duckdb | SELECT * FROM <i>.t
duckdb | SELECT * FROM read_duckdb(<p>)
duckdb | SELECT * FROM read_duckdb(<p>, table_name = 't')
duckdb | SELECT * FROM sqlite_scan(<p>, 't')
duckdb | SELECT * FROM postgres_scan(<p>, 'public', 't')
duckdb | SELECT * FROM mysql_query(<p>, 'SELECT 1')
dump | IMPORT DATABASE <p> ;; FROM t
dump | PRAGMA import_database(<p>) ;; FROM t
"""

# Table functions of the engine that take a path, or SQL that may name one: each is in a way above.
TAKES_PATH = """
add_grammar_extension add_parquet_key arrow_scan create_external_resource duckdb_table_sample glob histogram
histogram_values import_database json_execute_serialized_sql pandas_scan parquet_bloom_probe parquet_file_metadata
parquet_full_metadata parquet_kv_metadata parquet_metadata parquet_page_index parquet_scan parquet_schema pragma_show
pragma_storage_info pragma_table_info python_map_function query query_table read_blob read_csv read_csv_auto
read_duckdb read_json read_json_auto read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto
read_ndjson_objects read_parquet read_single_csv_file read_single_json_file read_single_parquet_file read_text
register_external_resource seq_scan show sniff_csv summary table_info which_secret duckdb_external_file_cache
"""

# … that write a file or start something that does: each is in a write below.
WRITES_FILE = """
checkpoint copy_database enable_logging enable_profile enable_profiling force_checkpoint truncate_duckdb_logs
destroy_external_resource register_external_resource_type disable_checkpoint_on_shutdown
"""

# … that can name no file: they describe the engine or make rows.
NO_PATH = """
arrow_scan_dumb collations database_list database_size deregister_external_resource disable_logging
disable_object_cache disable_optimizer disable_print_progress_bar disable_profile disable_profiling
disable_progress_bar disable_verification disable_verify_parallelism duckdb_approx_database_count
duckdb_available_metrics duckdb_columns duckdb_connection_count duckdb_constraints duckdb_coordinate_systems
duckdb_databases duckdb_dependencies duckdb_dialects duckdb_eviction_queues duckdb_extension_repositories
duckdb_extensions duckdb_external_resource_types duckdb_external_resources duckdb_functions duckdb_grammar_extensions
duckdb_indexes duckdb_keywords duckdb_live_query_metrics duckdb_log_contexts duckdb_logs duckdb_logs_parsed
duckdb_memory duckdb_optimizers duckdb_prepared_statements duckdb_profiling_settings duckdb_schemas
duckdb_secret_type_parameters duckdb_secret_types duckdb_secrets duckdb_sequences duckdb_settings duckdb_tables
duckdb_temporary_files duckdb_triggers duckdb_types duckdb_variables duckdb_views enable_checkpoint_on_shutdown
enable_object_cache enable_optimizer enable_print_progress_bar enable_progress_bar enable_verification
extension_versions functions generate_series icu_calendar_names json_each json_tree metadata_info pg_timezone_names
platform pragma_collations pragma_database_size pragma_metadata_info pragma_platform pragma_user_agent
pragma_version python_arrow_scan range remove_grammar_extension repeat repeat_row show_databases show_tables
show_tables_expanded storage_info test_all_types test_vector_types unnest user_agent verify_parallelism version
"""

WRITES = """
CREATE TABLE t AS FROM f0
CREATE TEMP TABLE t AS FROM f0
CREATE TABLE t (a INTEGER)
CREATE VIEW v AS FROM f0
CREATE OR REPLACE VIEW f0 AS SELECT 1 AS id
CREATE SCHEMA s
CREATE SEQUENCE s
CREATE INDEX i ON f0 (id)
CREATE MACRO m() AS 1
CREATE TYPE e AS ENUM ('a')
DROP VIEW f0
ALTER VIEW f0 RENAME TO f9
COMMENT ON VIEW f0 IS 'x'
INSERT INTO f0 VALUES (1)
UPDATE f0 SET id = 1
DELETE FROM f0
TRUNCATE f0
MERGE INTO f0 USING (SELECT 1 AS id) AS s ON false WHEN NOT MATCHED THEN INSERT
COPY f0 TO '<work>/planted.csv'
COPY f0 TO 'planted.csv'
COPY f0 TO 'sales.parquet'
COPY f0 TO 'sales.parquet' (FORMAT csv)
COPY f0 TO '<file>' (FORMAT csv)
COPY f0 TO '<file>' (FORMAT csv, USE_TMP_FILE false)
COPY f0 TO 'link.csv'
COPY f0 TO 'hard.csv' (FORMAT csv, USE_TMP_FILE false)
COPY f0 TO '<out>/planted.csv'
COPY f0 TO '../outside/planted.parquet' (FORMAT parquet)
COPY f0 TO '<temp>/planted.csv'
COPY f0 TO '<home>/planted.csv'
COPY f0 TO '~/planted.csv'
COPY f0 TO 'file:planted.csv'
COPY f0 TO 'planted.json' (FORMAT json)
COPY f0 TO 'parts' (FORMAT parquet, PARTITION_BY (id))
COPY f0 TO 'many' (FORMAT csv, PER_THREAD_OUTPUT true)
COPY f0 TO 'planted.csv.gz' (COMPRESSION gzip)
COPY (FROM f0) TO 'planted.csv'
COPY (SELECT 1 AS a) TO 'secret.csv'
COPY f0 TO '/dev/stdout'
COPY f0 TO '/dev/fd/<fd>'
COPY f0 FROM 'in.csv'
COPY FROM DATABASE memory TO memory
PRAGMA copy_database('memory', 'memory')
WITH x AS (COPY f0 TO 'planted.csv') SELECT * FROM x
WITH x AS MATERIALIZED (COPY f0 TO 'planted.csv') SELECT 1
SELECT * FROM (COPY f0 TO 'planted.csv')
WITH x AS (INSERT INTO f0 VALUES (1) RETURNING *) FROM x
EXPLAIN ANALYZE COPY f0 TO 'planted.csv'
EXPLAIN ANALYZE CREATE TABLE t AS FROM f0
EXPLAIN (ANALYZE, FORMAT json) COPY f0 TO 'planted.csv'
EXPLAIN ANALYZE WITH x AS (COPY f0 TO 'planted.csv') FROM x
SELECT 1; COPY f0 TO 'planted.csv'
COPY f0 TO 'planted.csv'; SELECT 1
PREPARE q AS COPY f0 TO 'planted.csv' ;; EXECUTE q
SELECT * FROM query('COPY f0 TO ''planted.csv''')
EXPORT DATABASE 'planted'
EXPORT DATABASE '<out>/planted' (FORMAT parquet)
IMPORT DATABASE '../outside/secret.dump'
ATTACH 'planted.duckdb' AS p
ATTACH 'planted.duckdb' AS p ;; CREATE TABLE p.t AS SELECT 1
ATTACH 'own.duckdb' AS p ;; CREATE TABLE p.more AS SELECT 1
ATTACH '../outside/secret.duckdb' AS p ;; DELETE FROM p.t ;; CHECKPOINT p
ATTACH OR REPLACE 'own.duckdb' AS memory
DETACH memory
CHECKPOINT
FORCE CHECKPOINT
CALL checkpoint()
CALL force_checkpoint()
PRAGMA force_checkpoint
PRAGMA disable_checkpoint_on_shutdown
VACUUM
VACUUM ANALYZE
ANALYZE
INSTALL httpfs
INSTALL '../outside/secret.txt'
FORCE INSTALL excel
LOAD httpfs
UPDATE EXTENSIONS
SET temp_directory = '<work>/tmp'
SET home_directory = '<work>'
SET extension_directory = '<work>/ext'
SET secret_directory = '<work>/secrets'
SET profiling_output = '<work>/profile.json'
SET log_query_path = '<work>/log.txt'
SET log_query_path = '<work>/log.txt' ;; SELECT 1
SET profiling_output = '<work>/profile.json' ;; PRAGMA enable_profiling = 'json' ;; FROM f0
PRAGMA enable_profiling = 'json'
PRAGMA enable_profile
PRAGMA profiling_output = '<work>/profile.json'
CALL enable_profiling(save_location := '<work>/profile.json', format := 'json') ;; FROM f0
PRAGMA log_query_path = '<work>/log.txt'
CALL enable_logging(storage := 'file', storage_path := '<work>/logs') ;; FROM f0
CALL enable_logging(storage_path := '<work>/logs')
CALL truncate_duckdb_logs()
CALL destroy_external_resource('f', 'x')
CALL register_external_resource_type('a', 'b', 'c', 'd', 'e', 'f', 'g')
CREATE PERSISTENT SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')
CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'a')
CREATE SECRET s (TYPE http, BEARER_TOKEN 'a')
DROP SECRET s
SET VARIABLE x = 1
RESET ALL
USE system
BEGIN
SELECT * FROM range(300000) AS a(i) ORDER BY hash(i), i DESC LIMIT 3
SET memory_limit = '60MB'
"""

# What a file of the workspace may hold: views of a database, with what they need before them.
VIEWS = """
SELECT * FROM read_csv('<out>/secret.csv')
SELECT * FROM '<out>/secret.csv'
SELECT * FROM '../outside/secret.csv'
SELECT * FROM read_text('<out>/secret.txt')
SELECT * FROM read_text('<work>/../outside/secret.txt')
SELECT * FROM read_text('/proc/self/fd/<fd>')
SELECT * FROM read_text('link.txt')
SELECT * FROM read_parquet('<out>/secret.parquet')
SELECT * FROM parquet_schema('<out>/secret.parquet')
SELECT * FROM read_json('<out>/secret.json')
SELECT * FROM read_duckdb('<out>/secret.duckdb')
SELECT * FROM glob('<out>/*')
SELECT * FROM sniff_csv('<out>/secret.csv')
SELECT * FROM query('FROM ''<out>/secret.csv''')
SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM ''<out>/secret.csv'''))
SELECT (SELECT max(x) FROM '<out>/secret.csv') AS m
SELECT 1 AS a WHERE EXISTS (FROM '<out>/secret.csv')
CREATE MACRO m() AS TABLE SELECT * FROM read_text('<out>/secret.txt') ;; SELECT * FROM m()
CREATE MACRO m() AS (SELECT max(content) FROM read_text('<out>/secret.txt')) ;; SELECT m() AS a
CREATE VIEW w AS SELECT * FROM read_text('<out>/secret.txt') ;; SELECT * FROM w
"""

# Names of columns, tables and schemas of a file that end the text or the name they are put into.
NAMES = (
    """x' UNION ALL FROM '../outside/secret.csv""",
    """x'}) UNION ALL BY NAME SELECT * FROM read_text('../outside/secret.txt') --""",
    """x": VARCHAR}) UNION ALL BY NAME SELECT * FROM read_text('../outside/secret.txt') --""",
    """x" FROM '../outside/secret.csv' --""",
    """x"; COPY (SELECT 1) TO 'in.csv' (USE_TMP_FILE false); --""",
    """x'; COPY (SELECT 1) TO 'in.csv' (USE_TMP_FILE false); --""",
    """x'']); COPY (SELECT 1) TO '<file>'; --""",
    """x"; COPY (SELECT 1) TO '<file>' (USE_TMP_FILE false); --""",
    """../outside/secret"."csv""",
    """../outside/secret.csv""",
    """<out>/secret.csv""",
    """$$ FROM '../outside/secret.csv' $$""",
    """x\\'; FROM '../outside/secret.csv'; --""",
)

-- The tables that this transaction has read and whose rows no state covers (read-state.sql): what was made from them may be other at the next
-- moment. Views have no rows of their own. Params: none. Result: names. Locks: none.
-- Not null: name.
SELECT DISTINCT format('%s.%s', n.nspname, c.relname) AS name
  FROM pg_catalog.pg_locks l
  JOIN pg_catalog.pg_class c ON c.oid = l.relation
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND c.relkind IN ('r', 'p', 'm', 'f')
   AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
   AND n.nspname NOT IN ('pg_catalog', 'pg_toast', 'search', 'search_partitions', 'search_stored')
   AND format('%s.%s', n.nspname, c.relname) NOT IN (
         'searchmill.figure_changes', 'searchmill.stale_weeks', 'searchmill.account_logins', 'searchmill.own_domains', 'searchmill.competitors',
         'searchmill.aliases', 'searchmill.jobs', 'searchmill.slices', 'searchmill.signal_looks', 'searchmill.signals', 'searchmill.week_changes',
         -- Through searchmill.coverage only: the text of a panel that reads the ledger itself is told apart before.
         'searchmill.executions', 'searchmill.pauses', 'searchmill.publications', 'searchmill.annotations', 'searchmill.schema_digests',
         -- Through search_reports.requests only: that of a published load is written before it is published, and is kept as long as it is.
         'searchmill.drift_events')
 ORDER BY name

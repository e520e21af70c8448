-- Locks on tables are waited for this long until the transaction ends: whoever reads a staging table, as pg_dump does for an hour,
-- holds back its load and no place that other loads need.
SET LOCAL lock_timeout = '2s'

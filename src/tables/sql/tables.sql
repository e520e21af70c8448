-- The tables of the datasets and their partitions.

-- name: tables/compare-values
-- Rows of each value of a column, in the table and in the answer that would replace them. It reads all rows of the window, so only
-- run it for an answer that is held.
-- Params: :job, :accountId, :windowStart, :windowEnd, :maxValues; :shrunkWeeks (from 0 for the first) leaves only the rows of these
--         weeks, and the values that would have fewer of them; null: all.
-- Result: value, its rows before and after, the greatest change first; and values, how many such values there are. Locks: none.
-- Not null: before, after, values.
SELECT value, sum(before)::bigint AS before, sum(after)::bigint AS after, count(*) OVER () AS values
  FROM (SELECT t.{column}::text AS value, count(*) AS before, 0 AS after
          FROM {table} t JOIN searchmill.slices o ON o.id = t._slice
         WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd AND o.job = :job
           AND (:shrunkWeeks::integer[] IS NULL OR (t.time_period_start - :windowStart::date) / 7 = ANY (:shrunkWeeks))
         GROUP BY 1
        UNION ALL
        SELECT {column}::text, 0, count(*)
          FROM {staging}
         WHERE :shrunkWeeks::integer[] IS NULL
            OR (time_period_start BETWEEN :windowStart AND :windowEnd
                AND (time_period_start - :windowStart::date) / 7 = ANY (:shrunkWeeks))
         GROUP BY 1) counts
 GROUP BY value
HAVING :shrunkWeeks::integer[] IS NULL OR sum(after) < sum(before)
 ORDER BY abs(sum(after) - sum(before)) DESC, greatest(sum(before), sum(after)) DESC, value
 LIMIT :maxValues;

-- name: tables/count-rows
-- Rows of a warehouse table.
-- Not null: rows.
SELECT count(*) AS rows FROM {table};

-- name: tables/count-weeks
-- Rows the job has in the table in each week of a window that has some.
-- Params: :job, :accountId, :windowStart, :windowEnd. Result: week, from 0 for the first, and rows.
-- Not null: week, rows.
SELECT (t.time_period_start - :windowStart::date) / 7 AS week, count(*) AS rows
  FROM {table} t JOIN searchmill.slices o ON o.id = t._slice
 WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd AND o.job = :job
 GROUP BY 1;

-- name: tables/ensure-partition
-- Makes the partition of one month of a dataset's table, unless attached ones take its rows. Params: :dataset, :month (its first day).
-- Locks: one advisory lock, and SHARE UPDATE EXCLUSIVE on the table, which readers and writers do not notice.
SELECT searchmill.ensure_partition(:dataset, :month);

-- name: tables/exists
-- Whether a table is there, read as rows: to_regclass may answer from a cache that does not know yet.
-- Params: :schema, :name. Locks: none.
-- Not null: found.
SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = :schema AND c.relname = :name) AS found;

-- name: tables/find-partition
-- A partition that takes a whole month of its table now. Its name does not prove that: a detached partition keeps it, and so may one with other
-- bounds.
-- Run it after reading from the table in the same transaction, so that the partition cannot be detached meanwhile.
-- Params: :name, in schema search_partitions; :parent, in schema search; :month, its first day.
-- Result: takesAlone, whether rows may go to it without its table, which then has nothing that sees only what is inserted into itself:
-- statement triggers, rules and policies. No row where it is none.
-- Not null: takesAlone.
SELECT NOT p.relrowsecurity
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_rewrite w WHERE w.ev_class = p.oid AND w.ev_enabled IN ('O', 'A'))
       -- Bit 0: for each row; these are on the partition, too. Bit 2: for INSERT.
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger t
                        WHERE t.tgrelid = p.oid AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
                          AND t.tgtype & 1 = 0 AND t.tgtype & 4 <> 0) AS "takesAlone"
  FROM pg_catalog.pg_inherits i
  JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid JOIN pg_catalog.pg_class p ON p.oid = i.inhparent
 WHERE c.relnamespace = 'search_partitions'::regnamespace AND c.relname = :name
   AND p.relnamespace = 'search'::regnamespace AND p.relname = :parent AND NOT i.inhdetachpending
   AND pg_catalog.pg_get_expr(c.relpartbound, c.oid)
       = pg_catalog.format('FOR VALUES FROM (%L) TO (%L)', :month::date, (:month::date + interval '1 month')::date);

-- name: tables/has-rows
-- Whether a table has rows of some accounts in a span of days. Params: :accounts, :from, :to.
-- Not null: found.
SELECT EXISTS (SELECT 1 FROM {table} WHERE account_id = ANY (:accounts) AND time_period_start BETWEEN :from AND :to) AS found;

-- name: tables/has-triggers
-- Whether triggers or rules that are on, of people, may make something else of the rows that a statement writes: on a table of the warehouse or on
-- one of its partitions. Params: :dataset. Locks: none.
-- Not null: found.
WITH RECURSIVE relations AS (
  SELECT pg_catalog.format('search.%I', :dataset::text)::regclass::oid AS oid
  UNION ALL
  SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN relations r ON i.inhparent = r.oid
)
SELECT EXISTS (SELECT FROM relations r JOIN pg_catalog.pg_trigger t ON t.tgrelid = r.oid
                 WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
                   -- Ours fills promoted columns, which are no part of what is compared.
                   AND NOT (t.tgname = 'searchmill_promoted'
                            AND t.tgfoid IN (SELECT p.oid FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'searchmill'::regnamespace)))
    OR EXISTS (SELECT FROM relations r JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.oid WHERE w.ev_enabled IN ('O', 'A')) AS found;

-- name: tables/lock-dataset
-- For publishes whose rows may lie anywhere: keeps all others of the dataset out. Everybody else shares it, and locks days.
-- Params: :dataset, :isAlone. Locks: one advisory lock, until the transaction ends.
SELECT CASE WHEN :isAlone THEN pg_advisory_xact_lock(hashtext('searchmill publish ' || :dataset), 0)
            ELSE pg_advisory_xact_lock_shared(hashtext('searchmill publish ' || :dataset), 0) END;

-- name: tables/lock-days
-- Lets publishes whose rows may meet go one after another, so that overlapping slices cannot deadlock. Those of other days go side
-- by side. Runs after tables/lock-dataset.
-- Params: :dataset, :accountId, :windowStart, :windowEnd.
-- Locks: up to 100 advisory locks in one order, until the transaction ends; days that lie 100 apart share one.
SELECT pg_advisory_xact_lock(hashtext('searchmill publish ' || :dataset || ' ' || :accountId::bigint), day)
  FROM (SELECT DISTINCT mod(day, 100) AS day
          FROM generate_series(:windowStart::date - date '0001-01-01', least(:windowEnd::date, :windowStart::date + 99) - date '0001-01-01') AS day
         ORDER BY 1
        -- Sorted before anything is locked.
        OFFSET 0) AS days;

-- name: tables/read-approved-extent
-- Where the published rows of a slice lie, if somebody approved them in spite of the audit: they may then lie outside its window. Only
-- for such a slice the table is read, and all of it.
-- Params: :sliceId. Result: accounts as text, first and last day; null without rows.
SELECT NULL::date[] AS months, array_agg(DISTINCT account_id::text) AS accounts, min(time_period_start) AS first, max(time_period_start) AS last
  FROM {table}
 WHERE _slice = :sliceId
   AND EXISTS (SELECT 1 FROM searchmill.slices s JOIN searchmill.executions e ON e.id = s.published_execution_id
                WHERE s.id = :sliceId AND e.approved_at IS NOT NULL);

-- name: tables/run-deferred-triggers
-- Lets triggers run now that wait for the end of the transaction, so that what they do is seen, and undone, in it.
SET CONSTRAINTS ALL IMMEDIATE;

-- name: tables/sample-vanishing
-- Some rows that a job has published and a held answer lacks, as JSON with all columns.
-- Params: :job, :accountId, :windowStart, :windowEnd, :maxRows. Locks: none.
SELECT to_jsonb(t) AS row
  FROM {table} t JOIN searchmill.slices o ON o.id = t._slice
 WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd AND o.job = :job
   AND NOT EXISTS (SELECT 1 FROM {staging} s
                    WHERE s.account_id = t.account_id AND s.time_period_start = t.time_period_start
                      AND s._key = t._key AND s._occurrence = t._occurrence)
 LIMIT :maxRows;

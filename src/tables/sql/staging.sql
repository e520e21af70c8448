-- The staging table of an execution.

-- name: staging/analyze
-- Statistics for the joins that follow: autovacuum never sees a table this young.
ANALYZE {staging} ({columns});

-- name: staging/audit
-- What the audit needs to know about the staged rows, in one pass: rows are first counted by account and period, which are few.
-- Params: :windowStart, :windowEnd, :accountId, :periodDays (days of a row's period; null when any period is right).
-- Result: rows. outside: rows beyond the window. offPeriod: rows within it whose period is not one of its weeks (or days), with an
--         example of such a period. otherAccount. first and last time_period_start. periods: rows and digest of each account and
--         time_period_start, as published-periods.ts has them; null when they are more than :maxPeriods.
-- Not null: rows, outside, offPeriod, otherAccount.
WITH periods AS MATERIALIZED (
  SELECT s.time_period_start, s.time_period_end, s.account_id, count(*) AS rows, sum({digest}) AS digest
    FROM {staging} s
   GROUP BY s.time_period_start, s.time_period_end, s.account_id
)
SELECT coalesce(sum(rows), 0)::bigint AS rows,
       coalesce(sum(rows) FILTER (WHERE fault = 'outside'), 0)::bigint AS outside,
       coalesce(sum(rows) FILTER (WHERE fault = 'off period'), 0)::bigint AS "offPeriod",
       min(to_char(time_period_start, 'YYYY-MM-DD') || '..' || coalesce(to_char(time_period_end, 'YYYY-MM-DD'), 'nothing'))
         FILTER (WHERE fault = 'off period') AS "offPeriodExample",
       coalesce(sum(rows) FILTER (WHERE account_id <> :accountId), 0)::bigint AS "otherAccount",
       min(time_period_start) AS first, max(time_period_start) AS last,
       (SELECT jsonb_agg(jsonb_build_object('account', account_id::text, 'period', to_char(time_period_start, 'YYYY-MM-DD'), 'rows', rows, 'digest', digest::text)
                         ORDER BY account_id, time_period_start)
          FROM (SELECT account_id, time_period_start, sum(rows)::bigint AS rows, sum(digest) AS digest FROM periods GROUP BY 1, 2) AS each
         WHERE (SELECT count(*) FROM periods) <= :maxPeriods) AS periods
  FROM (SELECT time_period_start, time_period_end, account_id, rows,
               CASE WHEN time_period_start < :windowStart OR time_period_start > :windowEnd OR time_period_end > :windowEnd OR time_period_end < time_period_start
                    THEN 'outside'
                    WHEN :periodDays::integer IS NOT NULL AND ((time_period_start - :windowStart::date) % :periodDays <> 0
                                                      OR time_period_end IS DISTINCT FROM time_period_start + (:periodDays - 1))
                    THEN 'off period' END AS fault
          FROM periods) judged;

-- name: staging/copy
-- Receives pages in COPY's binary format, which is read in two thirds of the time of its text.
COPY {staging} ({columns}) FROM STDIN (FORMAT binary);

-- name: staging/count-weeks
-- Staged rows in each week of a window that has some. Params: :windowStart, :windowEnd.
-- Result: week, from 0 for the first, and rows.
-- Not null: week, rows.
SELECT (time_period_start - :windowStart::date) / 7 AS week, count(*) AS rows
  FROM {staging}
 WHERE time_period_start BETWEEN :windowStart AND :windowEnd
 GROUP BY 1;

-- name: staging/create
-- The staging table of one execution: what publishing needs, then the dataset's columns.
-- Locks: none that others wait for.
CREATE TABLE {staging} (
  _key uuid NOT NULL,
  _page integer NOT NULL,
  _position integer NOT NULL,
  _occurrence integer NOT NULL DEFAULT 1,
  {columns},
  _extra jsonb
) WITH (autovacuum_enabled = false);

-- name: staging/drop
-- Removes a staging table. Repeating changes nothing. Locks: the table; its readers are waited for.
DROP TABLE IF EXISTS {staging};

-- name: staging/empty
-- Removes the rows of an ended execution's staging table that no sweep has removed yet, so that a replay can use it.
-- Repeating changes nothing.
DELETE FROM {staging};

-- name: staging/has-duplicates
-- Whether rows may share a key. By the key alone, which is quicker than with what goes before it in the primary key; and by
-- sorting, which takes a third of the time of grouping.
-- Not null: found.
SELECT count(*) <> count(DISTINCT _key) AS found FROM {staging};

-- name: staging/number-duplicates
-- Numbers rows that share a key, so that every duplicate the service sent keeps a row of its own. The order is that of
-- their values, so the same answer gets the same numbers in any order of pages.
-- Repeating changes nothing.
UPDATE {staging} t SET _occurrence = n.occurrence
  FROM (SELECT s.ctid AS row_id,
               row_number() OVER (PARTITION BY s.account_id, s.time_period_start, s._key ORDER BY {order}, s._page, s._position) AS occurrence
          FROM {staging} s
         WHERE (s.account_id, s.time_period_start, s._key) IN (
                 SELECT account_id, time_period_start, _key FROM {staging} GROUP BY 1, 2, 3 HAVING count(*) > 1)) n
 WHERE t.ctid = n.row_id AND n.occurrence > 1;

-- name: staging/read-extent
-- Where the staged rows lie, when they go beyond what was asked for. Result: months, accounts as text, first and last day.
SELECT array_agg(DISTINCT date_trunc('month', time_period_start)::date::text) AS months, array_agg(DISTINCT account_id::text) AS accounts,
       min(time_period_start) AS first, max(time_period_start) AS last
  FROM {staging};

-- name: staging/set-replica-identity
-- Lets rows of a staging table be changed where a publication FOR ALL TABLES holds it: it has no key to know them by.
-- Locks: the table, which is new.
ALTER TABLE {staging} REPLICA IDENTITY FULL;

-- name: staging/share
-- Gives a staging table that this session has made to the role that all logins of the service share. Params: :executionId.
-- Locks: the table, which is new. Repeating changes nothing.
SELECT searchmill.share_staging(:executionId);

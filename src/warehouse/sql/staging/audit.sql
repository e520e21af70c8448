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
          FROM periods) judged

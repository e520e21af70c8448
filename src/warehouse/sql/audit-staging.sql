-- What the audit needs to know about the staged rows, in one pass.
-- Params: $1 first and $2 last day of the window, $3 account, $4 days of a row's period, or null when any period is right.
-- Result: rows; outside, rows beyond the window; offPeriod, rows within it whose period is not one of its weeks (or days), with an
--         example of such a period; otherAccount; first and last time_period_start.
SELECT count(*) AS rows,
       count(*) FILTER (WHERE place = 'outside') AS outside,
       count(*) FILTER (WHERE place = 'off period') AS "offPeriod",
       min(to_char(time_period_start, 'YYYY-MM-DD') || '..' || coalesce(to_char(time_period_end, 'YYYY-MM-DD'), 'nothing'))
         FILTER (WHERE place = 'off period') AS "offPeriodExample",
       count(*) FILTER (WHERE account_id <> $3) AS "otherAccount",
       min(time_period_start) AS first, max(time_period_start) AS last
  FROM (SELECT s.time_period_start, s.time_period_end, s.account_id,
               CASE WHEN time_period_start < $1 OR time_period_start > $2 OR time_period_end > $2 OR time_period_end < time_period_start
                    THEN 'outside'
                    WHEN $4::integer IS NOT NULL AND ((time_period_start - $1::date) % $4 <> 0
                                                      OR time_period_end IS DISTINCT FROM time_period_start + ($4 - 1))
                    THEN 'off period' END AS place
          FROM {staging} s) placed

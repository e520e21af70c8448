-- What the audit needs to know about the staged rows, in one pass.
-- Params: :windowStart, :windowEnd, :accountId, :periodDays (days of a row's period; null when any period is right).
-- Result: rows. outside: rows beyond the window. offPeriod: rows within it whose period is not one of its weeks (or days), with an
--         example of such a period. otherAccount. first and last time_period_start.
SELECT count(*) AS rows,
       count(*) FILTER (WHERE place = 'outside') AS outside,
       count(*) FILTER (WHERE place = 'off period') AS "offPeriod",
       min(to_char(time_period_start, 'YYYY-MM-DD') || '..' || coalesce(to_char(time_period_end, 'YYYY-MM-DD'), 'nothing'))
         FILTER (WHERE place = 'off period') AS "offPeriodExample",
       count(*) FILTER (WHERE account_id <> :accountId) AS "otherAccount",
       min(time_period_start) AS first, max(time_period_start) AS last
  FROM (SELECT s.time_period_start, s.time_period_end, s.account_id,
               CASE WHEN time_period_start < :windowStart OR time_period_start > :windowEnd OR time_period_end > :windowEnd OR time_period_end < time_period_start
                    THEN 'outside'
                    WHEN :periodDays::integer IS NOT NULL AND ((time_period_start - :windowStart::date) % :periodDays <> 0
                                                      OR time_period_end IS DISTINCT FROM time_period_start + (:periodDays - 1))
                    THEN 'off period' END AS place
          FROM {staging} s) placed

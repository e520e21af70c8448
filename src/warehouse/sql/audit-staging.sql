-- What the audit needs to know about the staged rows, in one pass. Params: $1 first and $2 last day of the window, $3 account.
SELECT count(*) AS rows,
       count(*) FILTER (WHERE time_period_start < $1 OR time_period_start > $2 OR time_period_end > $2
                           OR time_period_end < time_period_start) AS outside,
       count(*) FILTER (WHERE account_id <> $3) AS "otherAccount",
       min(time_period_start) AS first, max(time_period_start) AS last
  FROM {staging}

-- Where the staged rows lie, when they go beyond what was asked for. Result: months, accounts as text, first and last day.
SELECT array_agg(DISTINCT date_trunc('month', time_period_start)::date::text) AS months, array_agg(DISTINCT account_id::text) AS accounts,
       min(time_period_start) AS first, max(time_period_start) AS last
  FROM {staging}

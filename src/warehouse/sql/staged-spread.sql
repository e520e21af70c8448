-- Which months and accounts the staged rows fall into, when they go beyond what was asked for.
SELECT array_agg(DISTINCT date_trunc('month', time_period_start)::date::text) AS months, array_agg(DISTINCT account_id) AS accounts
  FROM {staging}

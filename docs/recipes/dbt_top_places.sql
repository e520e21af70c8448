-- A dbt model that replaces the weeks that have changed since its last run, whole: `dbt run --select dbt_top_places`.
-- Weeks without rows any more are replaced by one row without a site, so that what was there goes. The table is asked for the time from the first to
-- the last of these weeks, so that Postgres reads no other partitions of it. With another ledger, as after a restore, cursors mean nothing: every week
-- is replaced then. A table that an earlier form of this model made has no ledger: run it once with --full-refresh.
{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key=['account_id', 'week']) }}

WITH changed AS MATERIALIZED (
  SELECT account_id, week, cursor, ledger FROM {{ source('search_reports', 'changed_weeks') }}
   WHERE dataset = 'keyword_rankings'
{% if is_incremental() %}
     AND cursor > (SELECT coalesce(max(cursor), 0) FROM {{ this }}
                    WHERE ledger = (SELECT max(ledger) FROM {{ source('search_reports', 'changed_weeks') }}))
{% endif %}
)
SELECT c.account_id, c.week, c.cursor, c.ledger, r.root_domain AS site, count(r.account_id) AS results
  FROM changed c
  LEFT JOIN {{ source('search', 'keyword_rankings') }} r
    ON r.account_id = c.account_id AND r.time_period_start >= c.week AND r.time_period_start < c.week + 7 AND r.rank_standard <= 3
   AND r.time_period_start >= (SELECT min(week) FROM changed) AND r.time_period_start < (SELECT max(week) + 7 FROM changed)
 GROUP BY c.account_id, c.week, c.cursor, c.ledger, r.root_domain

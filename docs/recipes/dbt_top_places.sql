-- A dbt model that replaces the weeks that have changed since its last run, whole: `dbt run --select dbt_top_places`.
-- Weeks without rows any more are replaced by one row without a site, so that what was there goes.
{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key=['account_id', 'week']) }}

SELECT c.account_id, c.week, c.cursor, r.root_domain AS site, count(r.account_id) AS results
  FROM {{ source('search_reports', 'changed_weeks') }} c
  LEFT JOIN {{ source('search', 'keyword_rankings') }} r
    ON r.account_id = c.account_id AND r.time_period_start >= c.week AND r.time_period_start < c.week + 7 AND r.rank_standard <= 3
 WHERE c.dataset = 'keyword_rankings'
{% if is_incremental() %}
   AND c.cursor > (SELECT coalesce(max(cursor), 0) FROM {{ this }})
{% endif %}
 GROUP BY c.account_id, c.week, c.cursor, r.root_domain

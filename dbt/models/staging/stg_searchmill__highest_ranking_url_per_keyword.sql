SELECT search_reports.week_of(time_period_start) AS week, *
  FROM {{ source('search', 'highest_ranking_url_per_keyword') }}

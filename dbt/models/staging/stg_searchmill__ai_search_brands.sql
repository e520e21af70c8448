SELECT search_reports.week_of(time_period_start) AS week, *
  FROM {{ source('search', 'ai_search_brands') }}

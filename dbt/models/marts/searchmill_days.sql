{{ config(enabled=var('searchmill_time_spine', true)) }}
SELECT day::date AS day
  FROM generate_series(DATE '2015-01-01', current_date + 370, INTERVAL '1 day') AS day

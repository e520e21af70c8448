-- Web properties of whatever boards filter by them, from what is stored of the newest 13 weeks, by the name that their newest rows have. A week
-- whose rows are gone since it was stored leaves the name to the week before; without any it is the number.
SELECT web_property_id AS value,
       coalesce(name || CASE WHEN count(*) OVER (PARTITION BY name) > 1 THEN format(' (%s)', web_property_id) ELSE '' END, web_property_id::text) AS label
  FROM search_reports.web_properties(:account::bigint)
 ORDER BY 2, 1

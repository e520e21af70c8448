-- Web properties of whatever boards filter by them, of the newest 13 weeks, by the name that their newest rows have. A week whose rows are
-- gone since it was stored leaves the name to the week before; without any it is the number.
SELECT value, coalesce(name || CASE WHEN count(*) OVER (PARTITION BY name) > 1 THEN format(' (%s)', value) ELSE '' END, value) AS label
  FROM (SELECT value, search_reports.web_property_name(:account::bigint, nullif(value, '(none)')::bigint,
                                                       array_agg(week ORDER BY week DESC)) AS name
          FROM search_reports.choices('web_property', :account::bigint)
         GROUP BY value) AS known
 ORDER BY 2, 1

-- The measures, by their titles.
SELECT name AS value, title AS label FROM search_reports.measures() ORDER BY name <> 'visibility', title

-- Sites of others that are seen in the newest week, in rankings and citations, each by how often.
SELECT t.value, t.label
  FROM search_reports.things('site', :account::bigint) AS t CROSS JOIN search_reports.own_sites_of(:account::bigint) AS ours
 WHERE NOT search_reports.is_related(t.value, ours)
 ORDER BY t.number

-- Web properties of whatever boards filter by them, from what is stored of the newest 13 weeks, by the name that their newest rows have. A week
-- whose rows are gone since it was stored leaves the name to the week before; without any it is the number.
SELECT k.web_property_id AS value,
       coalesce(n.name || CASE WHEN count(*) OVER (PARTITION BY n.name) > 1 THEN format(' (%s)', k.web_property_id) ELSE '' END, k.web_property_id::text) AS label
  FROM (SELECT web_property_id, array_agg(week ORDER BY week DESC) AS weeks
          FROM (SELECT web_property_id, week FROM search_reports.ranking_totals_stored
                 WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ranking_totals_stored WHERE account_id = :account::bigint) - 7 * 13
                UNION SELECT web_property_id, week FROM search_reports.ai_answers_stored
                 WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ai_answers_stored WHERE account_id = :account::bigint) - 7 * 13
                UNION SELECT web_property_id, week FROM search_reports.ai_citation_totals_stored
                 WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ai_citation_totals_stored WHERE account_id = :account::bigint) - 7 * 13
                UNION SELECT web_property_id, week FROM search_reports.ai_sentiments_stored
                 WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ai_sentiments_stored WHERE account_id = :account::bigint) - 7 * 13
                UNION SELECT web_property_id, week FROM search_reports.ai_fan_out_stored
                 WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ai_fan_out_stored WHERE account_id = :account::bigint) - 7 * 13) AS summaries
         WHERE web_property_id IS NOT NULL
         GROUP BY 1) AS k
  CROSS JOIN LATERAL (SELECT search_reports.web_property_name(:account::bigint, k.web_property_id, k.weeks) AS name) AS n
 ORDER BY 2, 1

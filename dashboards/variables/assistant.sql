-- Assistants with answers, citations or sentiments.
SELECT assistant AS value, assistant AS label
  FROM (SELECT assistant FROM search_reports.ai_answers WHERE account_id = :account::bigint
        UNION SELECT assistant FROM search_reports.ai_citation_sites WHERE account_id = :account::bigint
        UNION SELECT assistant FROM search_reports.ai_sentiments WHERE account_id = :account::bigint
        UNION SELECT assistant FROM search_reports.ai_fan_out WHERE account_id = :account::bigint) AS known
 WHERE assistant <> ''
 ORDER BY assistant

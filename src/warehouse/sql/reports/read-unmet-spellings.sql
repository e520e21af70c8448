-- Engines, places and languages that answers spell otherwise than brands or citations, in the newest 13 weeks that are stored.
-- Result: account as text, dataset, kind, spelling of that dataset, answersSpelling, weeks, firstWeek, lastWeek, and line, which makes both one.
-- Locks: none.
-- Not null: accountId, dataset, kind, spelling, answersSpelling, weeks, firstWeek, lastWeek, line.
SELECT account_id::text AS "accountId", dataset, kind, spelling, answers_spelling AS "answersSpelling", count(*)::integer AS weeks,
       min(week) AS "firstWeek", max(week) AS "lastWeek", search_reports.alias_line(kind, answers_spelling, spelling) AS line
  FROM search_reports.unmet_spellings(ARRAY(SELECT account_id FROM search_reports.accounts WHERE is_configured),
                                      ARRAY['ai_search_brands', 'ai_search_citations'], NULL)
 GROUP BY account_id, dataset, kind, spelling, answers_spelling
 ORDER BY account_id, dataset, kind, spelling, answers_spelling

-- Prompts of the newest week with answers.
SELECT value, label FROM search_reports.things('prompt', :account::bigint) ORDER BY number

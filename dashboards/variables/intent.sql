-- Intents of prompts in the newest week with answers.
SELECT value, label FROM search_reports.things('intent', :account::bigint) ORDER BY number

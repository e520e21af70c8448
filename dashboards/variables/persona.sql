-- Personas of prompts in the newest week with answers.
SELECT value, label FROM search_reports.things('persona', :account::bigint) ORDER BY number

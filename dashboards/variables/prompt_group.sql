-- Groups of prompts in the newest week with answers.
SELECT value, label FROM search_reports.things('prompt_group', :account::bigint) ORDER BY number

-- Prompts of the newest week with answers, as far as their kind is chosen.
SELECT value, label
  FROM search_reports.things('prompt', :account::bigint, :persona::text[], :intent::text[], :prompt_group::text[])
 ORDER BY number

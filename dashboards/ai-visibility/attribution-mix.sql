-- Title: Attribution mix of citations
-- Question: How are citations divided between us, competitors and everybody else?
-- Chart: stacked
-- X: week
-- Y: percent
-- Series: attribution
-- Unit: %
-- Note: Of prompts of which all citations were asked for. A week without any has no share.
-- Computed: Citations by their attribution in the service, divided by all citations; those of our domains are You, too. low and high are the 95 % interval of
--   the share, based on how much the prompts differ.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks
-- Order: 40
SELECT week, attribution, round(level, 1) AS percent, round(low, 1) AS low, round(high, 1) AS high, part AS citations,
       whole AS all_citations, reason, question
  FROM search_reports.attribution_levels(:choices, :weeks::text)
 ORDER BY attribution IS NULL, attribution <> 'you', attribution = 'other', attribution, week

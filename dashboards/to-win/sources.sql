-- Title: Sources of answers without us
-- Question: Which sites do assistants rely on when they do not name us?
-- Chart: table
-- Links: site
-- Note: The rule: cited in answers to prompts of which no answer of the assistant names us; our own sites apart. The most cited
--   first.
-- Empty: Answers that leave us out cite no site of others.
-- Computed: Citations of the newest week by site. percent is of all citations in these answers. Competitors are those of
--   jobs.config.yaml and the chosen ones, else those that citations attribute to SEO Competitor.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks, competitor
-- Order: 30
SELECT k.site, CASE WHEN k.is_competitor THEN 'competitor' END AS kind, k.citations, round(k.percent, 1) AS percent, k.prompts,
       k.assistants,
       coalesce(s.reason, CASE WHEN k.site IS NULL THEN coalesce(search_reports.unasked_of('brands', :choices, s.week),
                                                                 search_reports.unasked_of('citations', :choices, s.week)) END) AS reason,
       concat_ws(' ', s.notice, CASE WHEN k.citations > 0
         THEN format('%s sites, in answers to %s prompts.', count(*) OVER (), k.cited_prompts) END) AS notice
  FROM search_reports.shown_weeks('mention_rate', :account::bigint, :weeks::text) AS s
  LEFT JOIN LATERAL search_reports.silent_sources(:choices, s.week, :competitor::text[]) AS k ON true
 ORDER BY k.citations DESC, k.site

-- Title: Shares of voice
-- Question: How often do the texts of answers have our names and how often rivals', and who gains?
-- Chart: table
-- Changes: change
-- Measure: share_of_voice
-- Note: Our names together, and each rival's. The change is like for like: of the prompts that both weeks have.
-- Empty: No answer has one of these names.
-- Computed: Answers whose text has the name, of all answers with one of the names, each counted once for each of them; all names of ours
--   count as one. Names are found as whole words, whatever their case and accents, within addresses, too; of two that begin at one place the longer one. Answers
--   without a text do not count. Names are those of own_brands and rival_brands in jobs.config.yaml. added and dropped are what prompts add
--   that only one of the weeks has. reading says whether the change is more than chance, by prompt; it is empty where fewer than six
--   changed.
-- Datasets: ai_search_response
-- Variables: account, web_property, assistant, country, branded, topics, weeks, compare
-- Order: 15
SELECT x.name, x.kind, round(x.level, 2) AS share, round(x.level_before, 2) AS share_before, round(x.like_for_like, 2) AS change, x.reading,
       round(x.added, 2) AS added, round(x.dropped, 2) AS dropped, round(100 * x.matched, 1) AS same, x.kept AS prompts, x.part AS answers,
       coalesce(p.reason, p.refusal, CASE WHEN x.name IS NULL
         THEN search_reports.lacks_between('share_of_voice', :choices, p.week, p.before) END) AS reason, p.notice
  FROM search_reports.measure_pair('share_of_voice', :account::bigint, :weeks::text, :compare::text) AS p
  LEFT JOIN LATERAL search_reports.voice_changes(:choices, p.week, p.before) AS x ON true
 ORDER BY x.level DESC NULLS LAST, x.name

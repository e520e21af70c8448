-- Title: Its prompts
-- Question: Which prompts on this topic name us, and which do not?
-- Chart: table
-- Links: prompt
-- Empty: No answer on this topic is loaded in this week.
-- Computed: Answers of the newest week by prompt, those that name a brand of ours, and the assistants that do not name one in any answer.
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, topic, web_property, assistant, country, weeks
-- Order: 30
WITH shown AS (
  SELECT * FROM search_reports.shown_weeks('mention_rate', :account::bigint, :weeks::text)
), silent AS (
  SELECT a.prompt, string_agg(a.assistant, ', ' ORDER BY a.assistant) AS assistants
    FROM (SELECT p.prompt, p.assistant FROM shown s CROSS JOIN LATERAL search_reports.prompts(:choices, ARRAY[s.week]) AS p
           GROUP BY 1, 2 HAVING sum(p.answers) > 0 AND sum(p.naming) = 0 AND sum(p.unmet_brands) = 0) AS a GROUP BY 1
)
SELECT l.line AS prompt, l.part AS answers_naming_us, l.whole AS answers, round(l.level, 1) AS percent, a.assistants AS silent_assistants,
       coalesce(s.reason, l.reason) AS reason, s.notice
  FROM shown s
  LEFT JOIN LATERAL search_reports.levels('mention_rate', 'prompt', :choices, format('%s..%s', s.week, s.week)) AS l ON s.week IS NOT NULL
  LEFT JOIN silent a ON a.prompt = l.line
 ORDER BY l.level, l.whole DESC, l.line

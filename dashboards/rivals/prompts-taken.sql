-- Title: Prompts taken
-- Question: In answers to which prompts did a rival take citations from us, and where did we?
-- Chart: table
-- Links: site, prompt
-- Changes: points
-- Beside: points, Taken from a rival, Taken by a rival
-- Note: Prompts of both weeks whose answers cite one in a larger share and the other in a smaller one, the largest first.
-- Empty: In answers to no prompt did a rival gain citations that we lost, or lose some that we gained.
-- Computed: What the change of our citations, and of the rival's, adds to the citation share, by what happened and not by other numbers of
--   citations, in points; points is the smaller of both. Rivals are the competitors of jobs.config.yaml and the chosen ones, and the ten
--   sites that are cited most.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks, compare, competitor
-- Order: 40
SELECT t.site, t.prompt, t.assistant, t.country, t.our_citations_before AS ours_before, t.our_citations AS ours_now,
       t.cited_before AS theirs_before, t.cited AS theirs_now, round(t.taken, 4) AS points,
       coalesce(p.reason, p.refusal, k.lacks) AS reason,
       concat_ws(' ', p.notice, CASE WHEN t.kept > 0
         THEN format('%s times a rival took from us and %s times we did, of %s prompts.', count(*) FILTER (WHERE t.taken < 0) OVER (),
                     count(*) FILTER (WHERE t.taken > 0) OVER (), t.kept) END) AS notice
  FROM search_reports.measure_pair('citation_share', :account::bigint, :weeks::text, :compare::text) AS p
 CROSS JOIN LATERAL search_reports.lacks_between('citation_share', :choices, p.week, p.before) AS k (lacks)
  LEFT JOIN LATERAL search_reports.taken_prompts(:choices, p.week, p.before, ARRAY(
            SELECT site FROM search_reports.compared_sites('citations', :choices, :weeks::text, 10, :competitor::text[])
             WHERE kind <> 'ours')) AS t ON true
 ORDER BY abs(t.taken) DESC, t.site, t.prompt, t.assistant, t.country

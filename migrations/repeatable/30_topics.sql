-- Which topics of two weeks are not the same.

CREATE OR REPLACE FUNCTION search_reports.moved_topics(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, of_week date, week_before date, of_topics text[] DEFAULT NULL
) RETURNS TABLE (topic text)
LANGUAGE plpgsql STABLE ROWS 10 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT s.topic
    FROM (SELECT t.topic, jsonb_object_agg(t.part, t.prompts) FILTER (WHERE t.week = week_before) || jsonb_build_object('digest', sum(t.digest) FILTER (WHERE t.week = week_before)) AS before,
                 jsonb_object_agg(t.part, t.prompts) FILTER (WHERE t.week = of_week) || jsonb_build_object('digest', sum(t.digest) FILTER (WHERE t.week = of_week)) AS now
            FROM (SELECT week, topic, ROW(assistant, country, web_property)::text AS part, prompts, digest
                    FROM search_reports.tracked_prompts(of_account, jsonb_build_object('web_property', of_property, 'assistant', of_assistant, 'country', of_country,
                                                                                       'prompt_type', of_prompt_type, 'topic', of_topics), least(of_week, week_before))
                   WHERE week IN (of_week, week_before)) AS t
           GROUP BY t.topic) AS s
   WHERE s.before IS NOT NULL AND s.now IS NOT NULL
     AND (search_reports.moved_parts(jsonb_build_object('', s.before), jsonb_build_object('', s.now))).is_moved;
END
$$;
COMMENT ON FUNCTION search_reports.moved_topics IS 'Topics of two weeks in which more than a tenth of the prompts came or went, by assistant, country and web property, so that their rates cannot be compared.';

-- What the panel Topics by assistant reads: how often answers name us, and whom they cite, by topic and assistant. Figures over several weeks
-- include only weeks that answer the same question.

CREATE OR REPLACE FUNCTION search_reports.of_newest_question(weeks jsonb, subject text DEFAULT '') RETURNS TABLE (week date, gap text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 52
BEGIN ATOMIC
  SELECT w.week, coalesce(w.gap, CASE WHEN w.asked ->> 'question' <> first_value(w.asked ->> 'question') OVER (ORDER BY w.gap IS NOT NULL, w.week DESC)
                                      THEN 'another question: ' || subject || (w.asked ->> 'question') END)
    FROM jsonb_to_recordset(weeks) AS w (week date, gap text, asked jsonb);
END;
COMMENT ON FUNCTION search_reports.of_newest_question IS 'Some weeks (week, gap, and column asked of search_reports.frame), where a week that answers another question than the newest one without a gap gets a gap, too. It names its question after subject.';

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

CREATE OR REPLACE FUNCTION search_reports.named_on_topics(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, of_topics text[], frame jsonb
) RETURNS TABLE (
  topic text, assistant text, answers bigint, naming bigint, bounds numeric[], weeks bigint, unasked text, others text, brand_rows bigint, brand_rows_met bigint
)
LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  begins date := (SELECT min(f.week) FROM jsonb_to_recordset(frame) AS f (week date));
BEGIN
  RETURN QUERY
  WITH whole AS MATERIALIZED (
    SELECT f.* FROM jsonb_to_recordset(frame) AS f (week date, gap text, asked jsonb) WHERE f.gap IS NULL
  ), joins AS MATERIALIZED (
    SELECT * FROM search_reports.joined_brands(of_account, ARRAY(SELECT week FROM whole))
  ), counted AS MATERIALIZED (
    SELECT coalesce(a.topic, '(none)') AS topic, coalesce(a.assistant, '(unknown)') AS assistant, w.week, g.gap,
           a.answers, a.naming, a.answers_squared, a.answers_by_naming, a.naming_squared,
           -- Weeks of different questions are not added up.
           l.question = first_value(l.question) OVER (PARTITION BY a.topic, a.assistant ORDER BY g.gap IS NOT NULL, w.week DESC) AS is_pooled
      FROM search_reports.answers_of(of_account, of_property, of_assistant, of_country, of_prompt_type, begins, of_topics) AS a
      JOIN whole w ON w.week = a.week
      LEFT JOIN joins j ON j.week = a.week AND j.assistant IS NOT DISTINCT FROM a.assistant
     CROSS JOIN LATERAL search_reports.line(w.asked, jsonb_build_object('assistant', coalesce(a.assistant, ''), 'topic', coalesce(a.topic, '')), a.naming > 0) AS l
     CROSS JOIN LATERAL (SELECT coalesce(j.gap, l.unasked, (search_reports.lost_rows(a.naming, a.lost)).gap) AS gap) AS g
  ), told AS (
    SELECT topic, assistant, max(gap) AS unasked, string_agg(week::text, ', ' ORDER BY week) FILTER (WHERE gap IS NULL AND NOT is_pooled) AS others
      FROM counted
     GROUP BY 1, 2
  ), pooled AS (
    SELECT topic, assistant, sum(answers) AS answers, sum(naming) AS naming, count(DISTINCT week) AS weeks, sum(answers_squared) AS answers_squared,
           sum(answers_by_naming) AS answers_by_naming, sum(naming_squared) AS naming_squared
      FROM counted
     WHERE gap IS NULL AND is_pooled
     GROUP BY 1, 2
  ), brands AS (
    SELECT coalesce(assistant, '(unknown)') AS assistant, sum(brand_rows) AS brand_rows, sum(brand_rows_met) AS brand_rows_met FROM joins GROUP BY 1
  )
  -- Each week asks the same prompts, so more weeks mean more answers to each prompt, but not more prompts.
  SELECT t.topic, t.assistant, p.answers::bigint, p.naming::bigint,
         search_reports.rate_interval(p.naming::float8, p.answers::float8, (p.weeks * p.answers_squared)::float8, (p.weeks * p.answers_by_naming)::float8,
                                      (p.weeks * p.naming_squared)::float8),
         coalesce(p.weeks, 0), t.unasked, t.others, b.brand_rows::bigint, b.brand_rows_met::bigint
    FROM told t
    LEFT JOIN pooled p ON p.topic = t.topic AND p.assistant = t.assistant
    LEFT JOIN brands b ON b.assistant = t.assistant;
END
$$;
COMMENT ON FUNCTION search_reports.named_on_topics IS 'Answers in weeks of search_reports.frame that match the choices, by topic and assistant, and those that name a brand of ours (naming), with the 95 % interval of the rate in percent (bounds). Only weeks (weeks: their number) with the question of the newest week that has figures of the topic and assistant; others lists the rest, unasked says why there are none. brand_rows and brand_rows_met: rows of own brands of the assistant, and those that found an answer.';

CREATE OR REPLACE FUNCTION search_reports.cited_on_topics(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, of_weeks date[], competitors text[]
) RETURNS TABLE (topic text, assistant text, competitor text, competitor_percent numeric, site text, site_percent numeric)
LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH sites AS MATERIALIZED (
    SELECT coalesce(s.topic, '(none)') AS topic, coalesce(s.assistant, '(unknown)') AS assistant, coalesce(nullif(s.site, ''), '(none)') AS site,
           s.citations, s.of_others, s.of_competitors
      FROM search_reports.cited_sites_of(of_account, of_property, of_assistant, of_country, of_prompt_type, of_weeks, competitors) AS s
  ), cited AS (
    SELECT topic, assistant, sum(citations) AS citations, max(of_competitors) AS of_competitors, max(of_others) AS of_others FROM sites GROUP BY 1, 2
  )
  SELECT s.topic, s.assistant, min(s.site COLLATE "C") FILTER (WHERE s.of_competitors = c.of_competitors),
         round(100.0 * max(c.of_competitors) / nullif(max(c.citations), 0), 1), min(s.site COLLATE "C") FILTER (WHERE s.of_others = c.of_others),
         round(100.0 * max(c.of_others) / nullif(max(c.citations), 0), 1)
    FROM sites s JOIN cited c ON c.topic = s.topic AND c.assistant = s.assistant
   GROUP BY s.topic, s.assistant;
END
$$;
COMMENT ON FUNCTION search_reports.cited_on_topics IS 'By topic and assistant, over some weeks, for rows that match the choices: the competitor and the other site that are cited most (see search_reports.cited_sites_of; of equal ones the first by name), each with its share of all citations there.';

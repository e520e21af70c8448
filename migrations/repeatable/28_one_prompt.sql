-- What boards of one prompt or one topic show. Answers are read from the tables, because summaries have no texts. In PL/pgSQL: Citus runs each of
-- their queries on the node that has the account.

CREATE OR REPLACE FUNCTION search_reports.prompt_pair(
  of_dataset text, of_account bigint, of_assistant text[], of_country text[], of_prompt text, of_persona text[], of_intent text[], of_groups text[],
  chosen date, chosen_before date, is_alone boolean DEFAULT false
) RETURNS TABLE (week date, before date, reason text, refusal text, notice text)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH frame AS MATERIALIZED (
    SELECT * FROM search_reports.frame(ARRAY[of_dataset], of_account,
             jsonb_build_object('assistant', of_assistant, 'country', of_country, 'prompt', of_prompt, 'persona', of_persona, 'intent', of_intent, 'prompt_group', of_groups), NULL)
  ), pair AS (
    SELECT w.week, CASE WHEN NOT is_alone THEN coalesce(chosen_before, w.week - 7) END AS before FROM (SELECT coalesce(chosen, max(week) FILTER (WHERE gap IS NULL)) AS week FROM frame) AS w
  ), told AS (
    SELECT p.week, p.before, n.gap IS NULL AND n.week IS NOT NULL AS is_there, p.before < p.week AND b.gap IS NULL AND b.week IS NOT NULL AS is_before_there,
           CASE WHEN p.week IS NULL THEN coalesce((SELECT format('The week of %s has no figures: %s.', week, gap) FROM frame ORDER BY week DESC LIMIT 1), search_reports.no_week(of_dataset, of_account, NULL)) WHEN n.week IS NULL THEN format('The week of %s is not loaded.', p.week)
                WHEN n.gap IS NOT NULL THEN format('The week of %s has no figures: %s.', p.week, n.gap)
                WHEN n.asked ->> 'unasked' IS NOT NULL THEN format('Week of %s: %s.', p.week, n.asked ->> 'unasked') END AS reason,
           format('The week of %s is not compared', p.week)
           || CASE WHEN is_alone THEN NULL WHEN p.before >= p.week THEN format(': the week of %s is not before it.', p.before)
                   WHEN b.week IS NULL THEN format(': the week of %s is not loaded.', p.before)
                   WHEN b.gap IS NOT NULL THEN format(': the week of %s has no figures, %s.', p.before, b.gap)
                   WHEN b.asked ->> 'unasked' IS NOT NULL THEN format(': of the week of %s, this was not asked for.', p.before)
                   WHEN c.change IS NOT NULL THEN format(' with that of %s: it answers another question. %s.', p.before, c.change) END AS refusal,
           concat_ws(' ', CASE WHEN n.note IS NOT NULL THEN format('Week of %s: %s.', p.week, n.note) END,
                     CASE WHEN b.note IS NOT NULL AND p.before < p.week THEN format('Week of %s: %s.', p.before, b.note) END,
                     CASE WHEN chosen IS NULL THEN
                       (SELECT string_agg(format('The week of %s is left out: %s.', o.week, o.gap), ' ' ORDER BY o.week) FROM frame o WHERE o.week > p.week) END) AS remarks
      FROM pair p LEFT JOIN frame n ON n.week = p.week LEFT JOIN frame b ON b.week = p.before
     CROSS JOIN LATERAL search_reports.compared(search_reports.without_tracked(n.asked -> 'asked'), search_reports.without_tracked(b.asked -> 'asked'), '{}', true) AS c
  )
  SELECT CASE WHEN t.is_there THEN t.week END, CASE WHEN t.is_there AND t.is_before_there THEN t.before END, t.reason, CASE WHEN t.reason IS NULL THEN t.refusal END,
         nullif(concat_ws(' ', CASE WHEN t.reason IS NOT NULL THEN NULL WHEN is_alone THEN format('Week of %s.', t.week) WHEN t.refusal IS NULL THEN format('Week of %s, compared with the week of %s.', t.week, t.before)
                                    ELSE t.refusal END, nullif(t.remarks, '')), '')
    FROM told t;
END
$$;
COMMENT ON FUNCTION search_reports.prompt_pair IS 'A week of a prompt in a dataset and the week to compare it with: those that are chosen, else the newest that has figures and the week before it. Either is NULL without figures; the second also if the first is shown alone (is_alone). reason says why there is no such week, refusal why figures of both are not compared, notice names the weeks and what they lack.';

CREATE OR REPLACE FUNCTION search_reports.answers_to(
  of_account bigint, of_assistant text[], of_country text[], of_prompt text, of_weeks date[],
  of_persona text[] DEFAULT NULL, of_intent text[] DEFAULT NULL, of_groups text[] DEFAULT NULL
) RETURNS TABLE (week date, assistant text, locode text, language text, persona text, web_property text, collected date, answer text)
LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  aliases jsonb := search_reports.aliases_of(of_account);
BEGIN
  RETURN QUERY
  SELECT DISTINCT ON (1, 2, 3, 4, 5, 6) w.week, search_reports.spelled('engine', r.ai_search_engine, aliases), search_reports.spelled('locode', r.locode, aliases),
         search_reports.spelled('language', r.language, aliases), r.persona, r.web_property_name, r.collection_date, r.ai_response
    FROM unnest(of_weeks) AS w (week)
    JOIN search.ai_search_response r ON r.account_id = of_account AND r.time_period_start BETWEEN w.week AND w.week + 6 AND r.prompt = of_prompt
   WHERE search_reports.is_served_chosen(r.web_property_id, r.ai_search_engine, r.locode, aliases, NULL, of_assistant, of_country)
     AND search_reports.is_of_kind(r.persona, r.intent, r.prompt_group_names, of_persona, of_intent, of_groups)
   ORDER BY 1, 2, 3, 4, 5, 6, r.time_period_start DESC, r._key, r._occurrence;
END
$$;
COMMENT ON FUNCTION search_reports.answers_to IS 'Answers to a prompt in some weeks that match the choices, by assistant, place, language, persona and web property; of several in one week, the newest.';

CREATE OR REPLACE FUNCTION search_reports.brands_around(of_account bigint, of_prompt text, of_weeks date[], OUT ours text, OUT rivals text)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  own text[];
BEGIN
  SELECT array_agg(DISTINCT b.brand_or_product_name) INTO own
    FROM unnest(of_weeks) AS w (week)
    JOIN search.ai_search_brands b ON b.account_id = of_account AND b.time_period_start BETWEEN w.week AND w.week + 6
   WHERE lower(b.brand_or_product_attribution) = 'you' AND b.brand_or_product_name <> '';
  ours := array_to_string(own, chr(10));
  SELECT string_agg(DISTINCT s.sentiment_brand, chr(10)) INTO rivals
    FROM unnest(of_weeks) AS w (week)
    JOIN search.ai_search_sentiments s ON s.account_id = of_account AND s.time_period_start BETWEEN w.week AND w.week + 6
   WHERE s.prompt = of_prompt AND s.sentiment_brand <> '' AND NOT EXISTS (SELECT FROM unnest(own) AS name WHERE lower(name) = lower(s.sentiment_brand));
END
$$;
COMMENT ON FUNCTION search_reports.brands_around IS 'Names of brands to look for in answers to a prompt, one per line: ours, which ai_search_brands attributes to You in some weeks, and rivals, which are the other brands with sentiments in answers to the prompt.';

-- Sequential scans are off: many accounts may share a month, and only the rows of this one are read.
CREATE OR REPLACE FUNCTION search_reports.named_in_answers(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt text, of_topic text, from_week date, to_week date,
  of_persona text[] DEFAULT NULL, of_intent text[] DEFAULT NULL, of_groups text[] DEFAULT NULL
) RETURNS TABLE (week date, prompt text, assistant text, answers bigint, naming bigint, lost bigint, asked text)
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET enable_seqscan = off SET jit = off SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  aliases jsonb := search_reports.aliases_of(of_account);
BEGIN
  RETURN QUERY
  WITH served AS (
    SELECT r.web_property_id, r.collection_frequency, r.time_period_start, r.time_period_end, r.topic, r.prompt, r.persona, true AS is_answer,
           search_reports.spelled('engine', r.ai_search_engine, aliases) AS assistant, search_reports.spelled('locode', r.locode, aliases) AS locode,
           search_reports.join_key(search_reports.spelled('language', r.language, aliases)) AS language,
           search_reports.is_of_kind(r.persona, r.intent, r.prompt_group_names, of_persona, of_intent, of_groups) AS is_chosen
      FROM search.ai_search_response r
     WHERE r.account_id = of_account AND r.time_period_start BETWEEN from_week AND to_week + 6
       AND (of_prompt IS NULL OR r.prompt = of_prompt) AND (of_topic IS NULL OR r.topic = of_topic)
    UNION ALL
    SELECT b.web_property_id, b.collection_frequency, b.time_period_start, b.time_period_end, b.topic, b.prompt, b.persona, false,
           search_reports.spelled('engine', b.ai_search_engine, aliases), search_reports.spelled('locode', b.locode, aliases),
           search_reports.join_key(search_reports.spelled('language', b.language, aliases)), false
      FROM search.ai_search_brands b
     WHERE b.account_id = of_account AND b.time_period_start BETWEEN from_week AND to_week + 6 AND lower(b.brand_or_product_attribution) = 'you'
       AND (of_prompt IS NULL OR b.prompt = of_prompt) AND (of_topic IS NULL OR b.topic = of_topic)
  ), collected AS (
    SELECT search_reports.week_of(s.time_period_start) AS week, s.prompt, max(s.assistant COLLATE "C") FILTER (WHERE s.is_answer) AS answered_by,
           max(s.assistant COLLATE "C") AS assistant, max(search_reports.country_of(s.locode) COLLATE "C") AS country, s.web_property_id,
           concat_ws(' ', search_reports.join_key(s.locode), s.language, s.persona, 'property ' || s.web_property_id) AS way,
           count(*) FILTER (WHERE s.is_answer) AS found, count(*) FILTER (WHERE s.is_chosen) AS answers, count(*) FILTER (WHERE NOT s.is_answer) AS brands
      FROM served s
     GROUP BY s.web_property_id, lower(s.collection_frequency), s.time_period_start, s.time_period_end, search_reports.join_key(s.locode), s.language,
              search_reports.join_key(s.assistant), s.topic, s.prompt, s.persona
  ), spelled AS (
    -- Brands without an answer count for the assistant in the spelling of answers.
    SELECT c.*, coalesce(c.answered_by, max(c.answered_by) OVER (PARTITION BY search_reports.join_key(c.assistant)), c.assistant) AS named
      FROM collected c
  )
  SELECT c.week, c.prompt, c.named, sum(c.answers)::bigint, coalesce(sum(c.answers) FILTER (WHERE c.brands > 0), 0)::bigint,
         coalesce(sum(c.brands) FILTER (WHERE c.found = 0), 0)::bigint, string_agg(DISTINCT c.way, '; ') FILTER (WHERE c.answers > 0)
    FROM spelled c
   WHERE search_reports.is_assistant_chosen(c.web_property_id, c.named, c.country, of_property, of_assistant, of_country)
   GROUP BY 1, 2, 3
  HAVING sum(c.answers) > 0;
END
$$;
COMMENT ON FUNCTION search_reports.named_in_answers IS 'Answers from one week to another that match the choices, to a prompt or on a topic (NULL chooses all), by prompt and assistant, and those that name a brand of ours, joined as in search_reports.ai_answers. lost are rows of own brands that found no answer of any kind. asked says in which places and languages, as which personas and for which web properties the answers were asked for.';

CREATE OR REPLACE FUNCTION search_reports.searches_for(
  of_account bigint, of_assistant text[], of_country text[], of_prompt text, keyword text, of_week date,
  of_persona text[] DEFAULT NULL, of_intent text[] DEFAULT NULL, of_groups text[] DEFAULT NULL
) RETURNS TABLE (assistant text, prompt text, query text, place integer, searches bigint)
LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  aliases jsonb := search_reports.aliases_of(of_account);
BEGIN
  RETURN QUERY
  SELECT search_reports.spelled('engine', f.ai_search_engine, aliases), f.prompt, f.fan_out_query, min(f.fan_out_query_position)::integer, sum(f.amount_of_searches)::bigint
    FROM search.ai_search_fan_out f
   WHERE f.account_id = of_account AND f.time_period_start BETWEEN of_week AND of_week + 6 AND f.fan_out_query <> ''
     AND (of_prompt IS NULL OR f.prompt = of_prompt) AND (keyword IS NULL OR lower(f.fan_out_query) = lower(keyword))
     AND search_reports.is_served_chosen(f.web_property_id, f.ai_search_engine, f.locode, aliases, NULL, of_assistant, of_country)
     AND search_reports.is_of_kind(f.persona, f.intent, f.prompt_group_names, of_persona, of_intent, of_groups)
   GROUP BY 1, 2, 3;
END
$$;
COMMENT ON FUNCTION search_reports.searches_for IS 'Searches of assistants in a week that match the choices, made before they answered a prompt, or with the words of a keyword (in any case); NULL chooses all.';

CREATE OR REPLACE FUNCTION search_reports.said_in(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt text, of_topic text, of_week date,
  of_persona text[] DEFAULT NULL, of_intent text[] DEFAULT NULL, of_groups text[] DEFAULT NULL
) RETURNS TABLE (place bigint, brand text, sentiment text, score double precision, category text, snippet text, assistant text, prompt text, source text, url text)
LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  aliases jsonb := search_reports.aliases_of(of_account);
BEGIN
  RETURN QUERY
  SELECT row_number() OVER (ORDER BY lower(s.sentiment_value) <> 'negative', s.sentiment_brand, s.ai_search_engine, s.sentiment_score NULLS LAST, s._key, s._occurrence),
         s.sentiment_brand, s.sentiment_value, s.sentiment_score, s.sentiment_category, s.sentiment_snippet,
         search_reports.spelled('engine', s.ai_search_engine, aliases), s.prompt, nullif(search_reports.bare_domain(s.sentiment_source_domain), ''), nullif(search_reports.bare_url(s.sentiment_source_url), '')
    FROM search.ai_search_sentiments s
   WHERE s.account_id = of_account AND s.time_period_start BETWEEN of_week AND of_week + 6
     AND (of_prompt IS NULL OR s.prompt = of_prompt) AND (of_topic IS NULL OR s.topic = of_topic)
     AND search_reports.is_served_chosen(s.web_property_id, s.ai_search_engine, s.locode, aliases, of_property, of_assistant, of_country)
     AND search_reports.is_of_kind(s.persona, s.intent, s.prompt_group_names, of_persona, of_intent, of_groups)
   ORDER BY 1;
END
$$;
COMMENT ON FUNCTION search_reports.said_in IS 'What answers of a week say about brands, for rows that match the choices, to a prompt or on a topic (NULL chooses all), the negative ones first.';

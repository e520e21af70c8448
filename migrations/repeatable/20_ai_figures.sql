-- What panels of AI search read: their weeks, and figures from summaries for the rows that match the choices. Only the tables have texts of answers.

CREATE OR REPLACE FUNCTION search_reports.ai_frame(
  of_datasets text[], of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, span text, of_topics text[] DEFAULT NULL
) RETURNS TABLE (week date, gap text, note text, asked jsonb)
LANGUAGE plpgsql STABLE ROWS 52 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM search_reports.frame(of_datasets, of_account, jsonb_build_object('web_property', of_property, 'assistant', of_assistant, 'country', of_country,
                                                                                 'prompt_type', of_prompt_type, 'brand_attribution', 'you', 'topic', of_topics), span);
  IF NOT FOUND THEN
    RETURN QUERY SELECT NULL::date, search_reports.no_week(of_datasets[1], of_account, span), NULL, NULL::jsonb;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.ai_frame IS 'The weeks of search_reports.frame for the board AI visibility and its choices, with our own brands only. If there is none, one row without a week, whose gap says why.';

CREATE OR REPLACE FUNCTION search_reports.ai_pair(
  of_datasets text[], of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, span text DEFAULT NULL, compare text DEFAULT NULL, of_topics text[] DEFAULT NULL
) RETURNS TABLE (week date, before date, asked jsonb, reason text, refusal text, notice text)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM search_reports.newest_pair(of_datasets, of_account, jsonb_build_object('web_property', of_property, 'assistant', of_assistant, 'country', of_country,
                                                                                       'prompt_type', of_prompt_type, 'brand_attribution', 'you', 'topic', of_topics), span, compare);
END
$$;
COMMENT ON FUNCTION search_reports.ai_pair IS 'The weeks of search_reports.newest_pair for the board AI visibility and its choices, with our own brands only.';

-- What is little of all may be much of a topic.
CREATE OR REPLACE FUNCTION search_reports.lost_rows(naming numeric, lost numeric, OUT gap text, OUT note text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (CASE WHEN naming = 0 AND lost > 0 THEN 'rows of own brands found no answer' END,
        CASE WHEN 10 * lost > naming + lost THEN format('own brands of %s answers found none', lost) END);
COMMENT ON FUNCTION search_reports.lost_rows IS 'What answers that own brands name but did not find (lost) say of a number of answers that name us: gap says that a 0 is not known to be one, note that more than a tenth is missing.';

CREATE OR REPLACE FUNCTION search_reports.other_sentiments(good numeric, valued numeric, mentions numeric, OUT gap text, OUT note text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT (CASE WHEN mentions IS NULL THEN NULL WHEN valued = 0 THEN 'no sentiment values' WHEN good = 0 AND mentions > valued THEN o.words END,
                CASE WHEN 10 * (mentions - valued) > mentions THEN o.words END)
          FROM (SELECT format('%s of %s mentions have another sentiment than positive, neutral and negative', mentions - valued, mentions) AS words) AS o);
COMMENT ON FUNCTION search_reports.other_sentiments IS 'What mentions with another sentiment than positive, neutral and negative say of a score, given its positives and half of its neutrals (good) and the mentions with one of the three (valued): gap says that there is no score, or that a 0 is not known to be one, note that more than a tenth is another.';

CREATE OR REPLACE FUNCTION search_reports.unattributed(counted numeric, unknown numeric, citations numeric, OUT gap text, OUT note text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT (CASE WHEN coalesce(counted, 0) = 0 AND unknown > 0 THEN u.words END, CASE WHEN 10 * unknown > citations THEN u.words END)
          FROM (SELECT format('%s of %s citations have no attribution', unknown, citations) AS words) AS u);
COMMENT ON FUNCTION search_reports.unattributed IS 'What citations without an attribution (unknown) say of a share of all by attribution: gap says that a 0 (counted) is not known to be one, note that more than a tenth has none.';

-- A prompt of unknown kind counts as unbranded.
CREATE OR REPLACE FUNCTION search_reports.answers_of(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, from_week date, of_topics text[] DEFAULT NULL
) RETURNS TABLE (week date, assistant text, topic text, answers bigint, naming bigint, answers_squared numeric, answers_by_naming numeric, naming_squared numeric, lost bigint)
LANGUAGE plpgsql STABLE ROWS 1000 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT a.week, nullif(a.assistant, ''), nullif(a.topic, ''), sum(a.answers), sum(a.naming_answers), sum(a.answers_squared), sum(a.answers_by_naming), sum(a.naming_squared), sum(a.lost)
    FROM search_reports.ai_answers a
   WHERE a.account_id = of_account AND a.week >= from_week
     AND search_reports.is_assistant_chosen(a.web_property_id, a.assistant, a.country, of_property, of_assistant, of_country) AND (of_prompt_type IS NULL OR coalesce(a.prompt_type, 'unbranded') = of_prompt_type)
     AND search_reports.is_chosen(a.topic, of_topics)
   GROUP BY 1, 2, 3;
END
$$;
COMMENT ON FUNCTION search_reports.answers_of IS 'Answers from a week on that match the choices, by assistant and topic, those that name a brand of ours (naming), and squares and products for search_reports.rate_interval.';

CREATE OR REPLACE FUNCTION search_reports.citations_of(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, from_week date
) RETURNS TABLE (week date, attribution text, citations bigint, citations_by_all numeric, citations_squared numeric)
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT c.week, nullif(c.attribution, ''), sum(c.citations), sum(c.citations_by_all), sum(c.citations_squared)
    FROM search_reports.ai_citation_totals c
   WHERE c.account_id = of_account AND c.week >= from_week
     AND search_reports.is_assistant_chosen(c.web_property_id, c.assistant, c.country, of_property, of_assistant, of_country) AND (of_prompt_type IS NULL OR c.prompt_type = of_prompt_type)
   GROUP BY 1, 2;
END
$$;
COMMENT ON FUNCTION search_reports.citations_of IS 'Citations from a week on that match the choices, by attribution, with squares and products for search_reports.rate_interval.';

CREATE OR REPLACE FUNCTION search_reports.cited_pages_of(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, newest date, week_before date
) RETURNS TABLE (url text, site text, attribution text, is_ours boolean, assistants bigint, citations bigint, before bigint)
LANGUAGE plpgsql STABLE ROWS 1000 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT nullif(p.url, ''), max(p.site), max(p.attribution), coalesce(p.attribution, '') = 'you', count(DISTINCT p.assistant) FILTER (WHERE p.week = newest),
         sum(p.citations) FILTER (WHERE p.week = newest), CASE WHEN week_before IS NOT NULL THEN coalesce(sum(p.citations) FILTER (WHERE p.week = week_before), 0) END
    FROM search_reports.ai_cited_pages p
   WHERE p.account_id = of_account AND p.week IN (newest, week_before)
     AND search_reports.is_assistant_chosen(p.web_property_id, p.assistant, p.country, of_property, of_assistant, of_country) AND (of_prompt_type IS NULL OR p.prompt_type = of_prompt_type)
   GROUP BY 1, 4
  HAVING sum(p.citations) FILTER (WHERE p.week = newest) > 0;
END
$$;
COMMENT ON FUNCTION search_reports.cited_pages_of IS 'Pages cited in a week that match the choices, ours and others as separate rows, and their citations in the week before; NULL if that is not compared.';

CREATE OR REPLACE FUNCTION search_reports.sentiments_of(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, from_week date, of_topics text[] DEFAULT NULL
) RETURNS TABLE (
  week date, brand text, positive bigint, neutral bigint, negative bigint, mentions bigint,
  mentions_squared numeric, mentions_by_halves numeric, halves_squared numeric, points numeric
)
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT t.week, t.brand, sum(t.positive)::bigint, sum(t.neutral)::bigint, sum(t.negative)::bigint, sum(t.mentions)::bigint,
         sum(t.mentions_squared), sum(t.mentions_by_halves), sum(t.halves_squared), avg(t.prompt_points / nullif(t.prompts, 0))
    FROM (
  SELECT s.week, nullif(s.brand, '') AS brand, s.topic, sum(s.positive) AS positive, sum(s.neutral) AS neutral, sum(s.negative) AS negative,
         sum(s.positive + s.neutral + s.negative + s.other) AS mentions, sum(s.mentions_squared) AS mentions_squared,
         sum(s.mentions_by_halves) AS mentions_by_halves, sum(s.halves_squared) AS halves_squared,
         sum(s.prompt_points) AS prompt_points, sum(s.prompts) AS prompts
    FROM search_reports.ai_sentiments s
   WHERE s.account_id = of_account AND s.week >= from_week
     AND search_reports.is_assistant_chosen(s.web_property_id, s.assistant, s.country, of_property, of_assistant, of_country) AND (of_prompt_type IS NULL OR s.prompt_type = of_prompt_type)
     AND search_reports.is_chosen(s.topic, of_topics)
   GROUP BY 1, 2, 3) AS t
   GROUP BY t.week, t.brand;
END
$$;
COMMENT ON FUNCTION search_reports.sentiments_of IS 'Mentions of brands from a week on that match the choices, by sentiment; what search_reports.rate_interval needs; and points, the mean over prompts, then topics, with 10, 5 and 1 for positive, neutral and negative.';

CREATE OR REPLACE FUNCTION search_reports.own_brands(of_account bigint, of_week date) RETURNS text[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT lower(b.brand_or_product_name) FROM search.ai_search_brands b
                WHERE b.account_id = of_account AND b.time_period_start BETWEEN of_week AND of_week + 6 AND lower(b.brand_or_product_attribution) = 'you' ORDER BY 1);
END
$$;
COMMENT ON FUNCTION search_reports.own_brands IS 'Brands and products attributed to You in a week, in lower case.';

-- Read from the table, because summaries have no sentences.
CREATE OR REPLACE FUNCTION search_reports.criticism_of(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, newest date, of_topics text[]
) RETURNS TABLE (place bigint, brand text, snippet text, sentiment_score double precision, category text, assistant text, topic text, prompt text, source text)
LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  aliases jsonb := search_reports.aliases_of(of_account);
  ours   text[] := search_reports.own_brands(of_account, newest);
BEGIN
  RETURN QUERY
  SELECT row_number() OVER (ORDER BY s.sentiment_score NULLS LAST, s.sentiment_brand, s.sentiment_snippet, s._key, s._occurrence), s.sentiment_brand, s.sentiment_snippet,
         s.sentiment_score, s.sentiment_category, search_reports.spelled('engine', s.ai_search_engine, aliases), s.topic, s.prompt, s.sentiment_source_domain
    FROM search.ai_search_sentiments s
   WHERE s.account_id = of_account AND s.time_period_start BETWEEN newest AND newest + 6
     AND lower(s.sentiment_value) = 'negative' AND s.sentiment_snippet <> ''
     AND (lower(s.sentiment_brand) = ANY (ours) OR ours = '{}')
     AND search_reports.is_served_chosen(s.web_property_id, s.ai_search_engine, s.locode, aliases, of_property, of_assistant, of_country) AND (of_prompt_type IS NULL OR lower(s.prompt_type) = of_prompt_type)
     AND search_reports.is_chosen(s.topic, of_topics)
   ORDER BY 1;
END
$$;
COMMENT ON FUNCTION search_reports.criticism_of IS 'Negative sentences about our brands in a week, the worst first; about all brands if none is attributed to You.';

-- What the board of one prompt shows. Answers are read from the tables, because facts have no texts. In PL/pgSQL: Citus runs each query on
-- the node that has the account.

CREATE OR REPLACE FUNCTION search_reports.answers_to(c search_reports.choices, weeks date[])
RETURNS TABLE (week date, assistant text, locode text, language text, persona text, web_property text, collected date, answer text,
  cited text)
LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  aliases jsonb := search_reports.aliases_of(c.account);
  -- JSON, since the nodes of a Citus cluster know its type.
  known   jsonb := (SELECT jsonb_agg(jsonb_build_object('week', p.week, 'unit', p.unit)) FROM search_reports.prompts(c, weeks) AS p
                     WHERE p.citations IS NOT NULL);
BEGIN
  RETURN QUERY
  WITH found AS (
    SELECT w.week, nullif(search_reports.bare_url(r.citation_url), '') AS url,
           search_reports.prompt_key_of(r.web_property_id, r.ai_search_engine, r.locode, r.language, r.persona, r.collection_frequency,
                                        r.prompt, aliases) AS unit
      FROM unnest(weeks) AS w (week)
      JOIN search.ai_search_citations r ON r.account_id = c.account AND r.time_period_start BETWEEN w.week AND w.week + 6
        AND r.prompt = c.prompt
  ), cited AS MATERIALIZED (
    SELECT p.week, p.unit, coalesce(string_agg(DISTINCT f.url, chr(10)), '') AS urls
      FROM jsonb_to_recordset(coalesce(known, '[]')) AS p (week date, unit uuid)
      LEFT JOIN found f ON f.week = p.week AND f.unit = p.unit
     GROUP BY 1, 2
  )
  SELECT DISTINCT ON (1, 2, 3, 4, 5, 6) w.week, search_reports.spelled('engine', r.ai_search_engine, aliases),
         search_reports.spelled('locode', r.locode, aliases),
         search_reports.spelled('language', r.language, aliases), r.persona, r.web_property_name, r.collection_date, r.ai_response,
         k.urls
    FROM unnest(weeks) AS w (week)
    JOIN search.ai_search_response r ON r.account_id = c.account AND r.time_period_start BETWEEN w.week AND w.week + 6
      AND r.prompt = c.prompt
    LEFT JOIN cited k ON k.week = w.week
      AND k.unit = search_reports.prompt_key_of(r.web_property_id, r.ai_search_engine, r.locode, r.language, r.persona,
                                                r.collection_frequency, r.prompt, aliases)
   WHERE search_reports.is_row_chosen(c, aliases, r.web_property_id, r.ai_search_engine, r.locode, r.topic, r.persona, r.intent,
                                      r.prompt_group_names)
   ORDER BY 1, 2, 3, 4, 5, 6, r.time_period_start DESC, r._key, r._occurrence;
END
$$;
COMMENT ON FUNCTION search_reports.answers_to IS 'Answers to the chosen prompt in some weeks, by assistant, place, language, persona and '
  'web property; of several in one week, the newest. cited has the pages that the prompt''s answers cite, one per line; NULL where not '
  'all citations are known.';

CREATE OR REPLACE FUNCTION search_reports.brands_around(c search_reports.choices, weeks date[], OUT ours text, OUT rivals text)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  names text[] := search_reports.own_names(c.account);
BEGIN
  SELECT string_agg(DISTINCT coalesce(b.name, n), chr(10)) INTO ours
    FROM unnest(names) AS n
    LEFT JOIN (SELECT DISTINCT r.brand_or_product_name AS name
                 FROM unnest(weeks) AS w (week)
                 JOIN search.ai_search_brands r ON r.account_id = c.account AND r.time_period_start BETWEEN w.week AND w.week + 6) AS b
           ON search_reports.folded(b.name) = n;
  SELECT string_agg(DISTINCT s.sentiment_brand, chr(10)) INTO rivals
    FROM unnest(weeks) AS w (week)
    JOIN search.ai_search_sentiments s ON s.account_id = c.account AND s.time_period_start BETWEEN w.week AND w.week + 6
   WHERE s.prompt = c.prompt AND s.sentiment_brand <> '' AND search_reports.folded(s.sentiment_brand) <> ALL (names);
END
$$;
COMMENT ON FUNCTION search_reports.brands_around IS 'Names of brands to look for in answers to the chosen prompt, one per line: ours, as '
  'rows of some weeks spell them, and rivals, which are the other brands with sentiments in answers to the prompt.';

CREATE OR REPLACE FUNCTION search_reports.searches_for(c search_reports.choices, of_week date)
RETURNS TABLE (assistant text, prompt text, query text, place integer, searches bigint)
LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  aliases jsonb := search_reports.aliases_of(c.account);
BEGIN
  RETURN QUERY
  SELECT search_reports.spelled('engine', f.ai_search_engine, aliases), f.prompt, f.fan_out_query, min(f.fan_out_query_position)::integer,
         sum(f.amount_of_searches)::bigint
    FROM search.ai_search_fan_out f
   WHERE f.account_id = c.account AND f.time_period_start BETWEEN of_week AND of_week + 6 AND f.fan_out_query <> ''
     AND (c.prompt IS NULL OR f.prompt = c.prompt)
     AND (c.keyword IS NULL OR search_reports.folded(f.fan_out_query) = search_reports.folded(c.keyword))
     AND search_reports.is_row_chosen(c, aliases, f.web_property_id, f.ai_search_engine, f.locode, f.topic, f.persona, f.intent,
                                      f.prompt_group_names)
     AND (f._occurrence = 1 OR search_reports.is_first_copy(to_jsonb(f), ARRAY(
          SELECT to_jsonb(o) FROM search.ai_search_fan_out o
           WHERE o.account_id = f.account_id AND o.time_period_start = f.time_period_start AND o._key = f._key
             AND o._occurrence < f._occurrence)))
   GROUP BY 1, 2, 3;
END
$$;
COMMENT ON FUNCTION search_reports.searches_for IS 'Searches of assistants in a week, for what is chosen, made before they answered the '
  'chosen prompt, or with the words of the chosen keyword (in any case).';

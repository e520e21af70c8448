-- The units that figures are sums over: tracked searches and tracked prompts of some weeks, as far as they are chosen. A measure
-- (27_measures.sql) is an expression over the columns of one of these two relations. Conditions that nothing is chosen for fall away, since
-- a query is planned for its choices.

CREATE OR REPLACE FUNCTION search_reports.has_volumes(account bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT v.week FROM search_reports.search_values v
              WHERE v.account_id = account AND v.variable = 'volume'
                AND v.week NOT IN (SELECT w.week FROM search_reports.live_weeks w
                                    WHERE w.subject = 'rankings' AND w.account_id = account)) THEN
    RETURN true;
  END IF;
  -- Of weeks that are not stored yet one row tells, so no facts are computed. Not reached without such weeks: that reader may have no right
  -- to the table.
  IF NOT EXISTS (SELECT FROM search_reports.live_weeks w WHERE w.subject = 'rankings' AND w.account_id = account) THEN
    RETURN false;
  END IF;
  RETURN EXISTS (SELECT w.week FROM search_reports.live_weeks w
                   JOIN search.keyword_rankings r ON r.account_id = w.account_id AND r.time_period_start BETWEEN w.week AND w.week + 6
                  WHERE w.subject = 'rankings' AND w.account_id = account
                    AND coalesce(r.average_search_volume, r.approximate_search_volume) > 0);
END
$$;
COMMENT ON FUNCTION search_reports.has_volumes IS 'Whether any week of an account has search volumes. Without any, every search weighs 1.';

CREATE OR REPLACE FUNCTION search_reports.is_any_of(given text[], chosen text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN chosen IS NULL OR given && chosen OR '(none)' = ANY (chosen) AND cardinality(given) = 0;
COMMENT ON FUNCTION search_reports.is_any_of IS 'Whether one of the values of a list is chosen. NULL chooses all, (none) chooses an empty '
  'list.';

-- Without any volume in the account every search weighs 1. With some, a search without one has no weight.
CREATE OR REPLACE FUNCTION search_reports.weighed(c search_reports.choices, measure text DEFAULT NULL) RETURNS search_reports.choices
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF c.by_volume AND NOT EXISTS (SELECT FROM search_reports.measures() AS m WHERE m.name = measure AND m.units = 'prompts') THEN
    c.by_volume := search_reports.has_volumes(c.account);
  END IF;
  RETURN c;
END
$$;
COMMENT ON FUNCTION search_reports.weighed IS 'The same choices, but not by volume if no search has one. For a measure of prompts '
  '(measure) that makes no difference and is not looked up.';

CREATE OR REPLACE FUNCTION search_reports.all_of(account bigint, kind text DEFAULT NULL) RETURNS search_reports.choices
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ROW(account, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, kind, NULL, NULL, NULL, NULL, 'standard', 10,
           true)::search_reports.choices;
COMMENT ON FUNCTION search_reports.all_of IS 'The choices of an account that leave nothing out, or prompts of one kind only; the first ten '
  'places by standard rank, by volume.';

-- Functions of units become a part of the statement around them (they are inlined), which reads the columns that it needs and nothing else.
-- Citus plans before that, and would read the empty tables of the coordinator: on a cluster search_reports.searches and the like, which
-- run the bodies of these functions, take their place.
CREATE OR REPLACE FUNCTION search_reports.body_of(inlined text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT replace(replace(replace(regexp_replace(pg_get_function_sqlbody(p.oid), '^\s*BEGIN ATOMIC(.*);\s*END\s*$', '\1'),
                                       inlined || '.c)', '$1)'), inlined || '.weeks', '$2'), inlined || '.by_assistant', '$3')
          FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'search_reports'::regnamespace AND p.proname = inlined);
COMMENT ON FUNCTION search_reports.body_of IS 'The SELECT that a function of units consists of: $1 are the choices, $2 the weeks, $3 is '
  'by_assistant.';

CREATE OR REPLACE FUNCTION search_reports.units_function(units text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN format('search_reports.%s%s', CASE WHEN search_reports.is_inlined() THEN 'chosen_' ELSE '' END, units);
COMMENT ON FUNCTION search_reports.units_function IS 'The function that statements read units from (searches, prompts or prompt_sums): one '
  'that becomes a part of them, or on a cluster one that does not.';

CREATE OR REPLACE FUNCTION search_reports.chosen_searches(c search_reports.choices, weeks date[]) RETURNS TABLE (
  week date, unit uuid, cut text, keyword text, web_property_id bigint, engine text, country text, language text, locode text, device text,
  keyword_groups text[], volume bigint, weight numeric, places integer, held numeric, place integer, own_results integer, url text,
  first_loaded integer, last_loaded integer, is_whole boolean, shows_us boolean, deepest integer, period_start date
)
LANGUAGE sql STABLE ROWS 10000
BEGIN ATOMIC
  SELECT f.week, f.search_key, coalesce(f.result_types, ''), f.query, f.web_property_id, f.search_engine, f.country, f.language, f.locode,
         f.device,
         f.keyword_groups, f.volume, CASE WHEN (c).by_volume THEN f.volume ELSE 1 END::numeric, coalesce((c).places, 10),
         CASE WHEN coalesce((c).rank, 'standard') = 'standard'
              THEN CASE coalesce((c).places, 10) WHEN 1 THEN f.standard_1 WHEN 3 THEN f.standard_3 WHEN 5 THEN f.standard_5
                                                 WHEN 10 THEN f.standard_10 WHEN 20 THEN f.standard_20 END
              ELSE CASE coalesce((c).places, 10) WHEN 1 THEN f.true_1 WHEN 3 THEN f.true_3 WHEN 5 THEN f.true_5
                                                 WHEN 10 THEN f.true_10 WHEN 20 THEN f.true_20 END END,
         CASE WHEN coalesce((c).rank, 'standard') = 'standard' THEN f.own_standard ELSE f.own_true END, f.own_results,
         CASE WHEN coalesce((c).rank, 'standard') = 'standard' THEN f.own_url_standard ELSE f.own_url_true END, f.first_loaded,
         f.last_loaded,
         f.is_whole, f.shows_us, CASE WHEN coalesce((c).rank, 'standard') = 'standard' THEN f.deepest_standard ELSE f.deepest_true END,
         f.period_start
    FROM search_reports.search_facts f
   WHERE f.account_id = (c).account AND f.week = ANY (weeks)
     AND ((c).keyword IS NULL OR f.query = (c).keyword)
     AND search_reports.is_market_chosen(f.web_property_id, f.search_engine, f.country, f.device, (c).web_property, (c).engine,
                                         (c).country, (c).device)
     AND search_reports.is_any_of(f.keyword_groups, (c).keyword_group);
END;
COMMENT ON FUNCTION search_reports.chosen_searches IS 'The same as search_reports.searches, given choices of search_reports.weighed.';

CREATE OR REPLACE FUNCTION search_reports.searches(c search_reports.choices, weeks date[]) RETURNS TABLE (
  week date, unit uuid, cut text, keyword text, web_property_id bigint, engine text, country text, language text, locode text, device text,
  keyword_groups text[], volume bigint, weight numeric, places integer, held numeric, place integer, own_results integer, url text,
  first_loaded integer, last_loaded integer, is_whole boolean, shows_us boolean, deepest integer, period_start date
)
LANGUAGE plpgsql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $$
BEGIN
  c := search_reports.weighed(c);
  RETURN QUERY EXECUTE search_reports.body_of('chosen_searches') USING c, weeks;
END
$$;
COMMENT ON FUNCTION search_reports.searches IS 'Tracked searches of some weeks that are chosen: unit names the search in every week; cut '
  'says which types of results were loaded; weight is its volume (NULL if unknown) or 1; held is how much of the first places we hold, '
  'place our best place by the chosen rank (NULL without one), url the page there, deepest the deepest place that was loaded.';

CREATE OR REPLACE FUNCTION search_reports.chosen_prompts(c search_reports.choices, weeks date[]) RETURNS TABLE (
  week date, unit uuid, cut text, prompt text, web_property_id bigint, assistant text, country text, locode text, language text,
  persona text, topic text,
  intent text, prompt_type text, prompt_groups text[], asked text[], answers integer, naming integer, citing integer, unmet_brands integer,
  own_citations integer, citations integer, unattributed integer, positive integer, neutral integer, negative integer, unvalued integer,
  cited_sites text[], attributions text[], texts integer, own_voices integer, rival_voices text[], units integer
)
LANGUAGE sql STABLE ROWS 10000
BEGIN ATOMIC
  SELECT f.week, f.prompt_key, '', f.prompt, f.web_property_id, f.assistant, f.country, f.locode, f.language, f.persona, f.topic, f.intent,
         f.prompt_type,
         f.prompt_groups, f.asked, f.answers, f.naming, f.citing, f.unmet_brands, f.own_citations, f.citations, f.unattributed, f.positive,
         f.neutral,
         f.negative, f.unvalued, f.cited_sites, f.attributions, f.texts, f.own_voices, f.rival_voices, 1
    FROM search_reports.prompt_facts f
   WHERE f.account_id = (c).account AND f.week = ANY (weeks)
     AND ((c).prompt IS NULL OR f.prompt = (c).prompt) AND ((c).kind IS NULL OR f.prompt_type = (c).kind)
     AND search_reports.is_assistant_chosen(f.web_property_id, f.assistant, f.country, (c).web_property, (c).assistant, (c).country)
     AND search_reports.is_chosen(f.topic, (c).topic) AND search_reports.is_chosen(f.persona, (c).persona)
     AND search_reports.is_chosen(f.intent, (c).intent) AND search_reports.is_any_of(f.prompt_groups, (c).prompt_group);
END;
COMMENT ON FUNCTION search_reports.chosen_prompts IS 'The same as search_reports.prompts.';

CREATE OR REPLACE FUNCTION search_reports.prompts(c search_reports.choices, weeks date[]) RETURNS TABLE (
  week date, unit uuid, cut text, prompt text, web_property_id bigint, assistant text, country text, locode text, language text,
  persona text, topic text,
  intent text, prompt_type text, prompt_groups text[], asked text[], answers integer, naming integer, citing integer, unmet_brands integer,
  own_citations integer, citations integer, unattributed integer, positive integer, neutral integer, negative integer, unvalued integer,
  cited_sites text[], attributions text[], texts integer, own_voices integer, rival_voices text[], units integer
)
LANGUAGE plpgsql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $$
BEGIN
  RETURN QUERY EXECUTE search_reports.body_of('chosen_prompts') USING c, weeks;
END
$$;
COMMENT ON FUNCTION search_reports.prompts IS 'Tracked prompts of some weeks that are chosen: unit names the tracked prompt in every week; '
  'units is 1, the other columns are those of search_reports.prompt_facts.';

-- Sums of tracked prompts in place of single ones
-- ------------------------------------------------------------------------------
-- A measure of prompts is linear in the counts of facts, so that sums of them serve as well wherever no place, language or frequency is
-- chosen or shown: some thousand rows a week instead of some ten thousand. Two weeks have the same tracked prompts in sums of the same
-- units_key. Where only a part of the tracked prompts of a text is the same, or moved to another topic, they are read one by one.

CREATE OR REPLACE FUNCTION search_reports.chosen_prompt_sums(c search_reports.choices, weeks date[], by_assistant boolean) RETURNS TABLE (
  week date, unit uuid, cut text, prompt text, web_property_id bigint, assistant text, persona text, topic text, intent text,
  prompt_type text, prompt_groups text[], answers integer, naming integer, citing integer, unmet_brands integer, own_citations integer,
  citations integer, unattributed integer, positive integer, neutral integer, negative integer, unvalued integer, cited_sites text[],
  attributions text[], texts integer, own_voices integer, rival_voices text[], units integer
)
LANGUAGE sql STABLE ROWS 10000
BEGIN ATOMIC
  SELECT f.week, f.units_key, '', f.prompt, f.web_property_id, f.assistant, f.persona, f.topic, f.intent, f.prompt_type, f.prompt_groups,
         f.answers, f.naming, f.citing, f.unmet_brands, f.own_citations, f.citations, f.unattributed, f.positive, f.neutral, f.negative,
         f.unvalued, f.cited_sites, f.attributions, f.texts, f.own_voices, f.rival_voices, f.units
    FROM search_reports.prompt_sums f
   WHERE f.account_id = (c).account AND f.week = ANY (weeks) AND f.is_by_assistant = by_assistant
     AND ((c).prompt IS NULL OR f.prompt = (c).prompt) AND ((c).kind IS NULL OR f.prompt_type = (c).kind)
     AND search_reports.is_assistant_chosen(f.web_property_id, f.assistant, NULL, (c).web_property, (c).assistant, NULL)
     AND search_reports.is_chosen(f.topic, (c).topic) AND search_reports.is_chosen(f.persona, (c).persona)
     AND search_reports.is_chosen(f.intent, (c).intent) AND search_reports.is_any_of(f.prompt_groups, (c).prompt_group);
END;
COMMENT ON FUNCTION search_reports.chosen_prompt_sums IS 'The same as search_reports.prompts, as sums over places, languages and '
  'frequencies (by_assistant), or over assistants, too: unit is the units_key of search_reports.prompt_sums. No country may be chosen, and '
  'without by_assistant no assistant.';

CREATE OR REPLACE FUNCTION search_reports.prompt_sums(c search_reports.choices, weeks date[], by_assistant boolean) RETURNS TABLE (
  week date, unit uuid, cut text, prompt text, web_property_id bigint, assistant text, persona text, topic text, intent text,
  prompt_type text, prompt_groups text[], answers integer, naming integer, citing integer, unmet_brands integer, own_citations integer,
  citations integer, unattributed integer, positive integer, neutral integer, negative integer, unvalued integer, cited_sites text[],
  attributions text[], texts integer, own_voices integer, rival_voices text[], units integer
)
LANGUAGE plpgsql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  RETURN QUERY EXECUTE search_reports.body_of('chosen_prompt_sums') USING c, weeks, by_assistant;
END
$$;
COMMENT ON FUNCTION search_reports.prompt_sums IS 'The same as search_reports.chosen_prompt_sums.';

-- Choices are no parameter: a prompt that is read one by one without need has the same figures. One answer serves both kinds of sums, since
-- units_key has the assistants in it.
CREATE OR REPLACE FUNCTION search_reports.split_prompts(account bigint, weeks date[], befores date[])
RETURNS TABLE (prompt text)
LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off
SET work_mem = '64MB' SET enable_mergejoin = off SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY
  WITH sums AS MATERIALIZED (
    SELECT s.week, s.units_key, coalesce(s.prompt, '') AS prompt FROM search_reports.prompt_sums s
     WHERE s.account_id = account AND NOT s.is_by_assistant AND s.week = ANY (weeks || befores)
  ), digests AS MATERIALIZED (
    SELECT s.week, s.prompt, bit_xor(uuid_hash_extended(s.units_key, 0)) AS digest FROM sums s GROUP BY s.week, s.prompt
  ), differing AS MATERIALIZED (
    -- Of most prompts both weeks have the same sums.
    SELECT p.week, p.before, n.prompt
      FROM unnest(weeks, befores) AS p (week, before)
      JOIN digests n ON n.week = p.week
      JOIN digests b ON b.week = p.before AND b.prompt = n.prompt
     WHERE b.digest <> n.digest
  )
  SELECT x.prompt
    FROM (SELECT d.week, d.prompt, s.units_key, min(s.week) AS only_in
            FROM differing d JOIN sums s ON s.prompt = d.prompt AND s.week IN (d.week, d.before)
           GROUP BY d.week, d.prompt, s.units_key
          HAVING count(*) = 1) AS x
   GROUP BY x.prompt, x.week
  HAVING count(DISTINCT x.only_in) = 2;
END
$$;
COMMENT ON FUNCTION search_reports.split_prompts IS 'Texts of prompts whose tracked prompts are only partly the same in a pair of weeks '
  '(weeks, and befores in the same order): each of the two has a sum that the other lacks. These are read one by one. An empty text stands '
  'for no prompt.';

CREATE OR REPLACE FUNCTION search_reports.prompts_source(c search_reports.choices, shown text[], weeks date[] DEFAULT '{}',
                                                         befores date[] DEFAULT '{}') RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  summed       text[]  := '{assistant,web_property_id,persona,topic,intent,prompt_type,prompt_group,prompt}';
  by_assistant boolean := c.assistant IS NOT NULL OR coalesce('assistant' = ANY (shown), false);
  columns      text    := 'p.week, p.unit, p.cut, p.prompt, p.web_property_id, p.assistant, p.persona, p.topic, p.intent, p.prompt_type,
    p.prompt_groups, p.answers, p.naming, p.citing, p.unmet_brands, p.own_citations, p.citations, p.unattributed, p.positive, p.neutral,
    p.negative, p.unvalued, p.cited_sites, p.attributions, p.texts, p.own_voices, p.rival_voices, p.units';
  split        text[];
BEGIN
  IF c.country IS NOT NULL OR NOT array_remove(shown, NULL) <@ summed THEN
    RETURN search_reports.units_function('prompts') || '($1, $2)';
  END IF;
  -- Levels without a change have no pairs.
  split := CASE weeks WHEN '{}' THEN '{}' ELSE ARRAY(SELECT p.prompt FROM jsonb_to_recordset(search_reports.read_once(format(
             'SELECT * FROM search_reports.split_prompts(%L, %L, %L)', c.account, weeks, befores))) AS p (prompt text)) END;
  RETURN CASE split WHEN '{}' THEN format('%s($1, $2, %L)', search_reports.units_function('prompt_sums'), by_assistant)
              ELSE format('(SELECT %1$s FROM %5$s($1, $2, %2$L) AS p
                             WHERE NOT coalesce(p.prompt, '''') = ANY (%3$L::text[])
                             UNION ALL
                            SELECT %1$s FROM %6$s($1, $2) AS p WHERE p.prompt = ANY (%3$L::text[]) %4$s)',
                          columns, by_assistant, split, CASE WHEN '' = ANY (split) THEN 'OR p.prompt IS NULL' END,
                          search_reports.units_function('prompt_sums'), search_reports.units_function('prompts')) END;
END
$$;
COMMENT ON FUNCTION search_reports.prompts_source IS 'What a statement reads tracked prompts from, as an item of FROM: sums where choices '
  'and the columns that are shown allow it, and single ones of those texts that are not the same in pairs of weeks (weeks, befores). '
  '$1 are the choices, $2 the weeks that are read.';

CREATE OR REPLACE FUNCTION search_reports.chosen_sums(c search_reports.choices, shown text[], weeks date[]) RETURNS TABLE (
  week date, prompt text, assistant text, topic text, citations integer, cited_sites text[], attributions text[]
)
LANGUAGE plpgsql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT u.week, u.prompt, u.assistant, u.topic, u.citations, u.cited_sites, u.attributions FROM %s AS u',
                              search_reports.prompts_source(c, shown)) USING c, weeks;
END
$$;
COMMENT ON FUNCTION search_reports.chosen_sums IS 'Citations of tracked prompts of some weeks, as sums where choices and the columns that '
  'are shown allow it.';

-- What the rows of a unit lack for a figure, as the reason of a gap
-- ------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.lacks_places(first_loaded integer, last_loaded integer, is_whole boolean,
                                                       needed integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN NOT is_whole THEN 'searches without a result of the domains asked for are not known'
            WHEN first_loaded > 1 THEN 'places before ' || first_loaded::text || ' were not asked for (min_rank)'
            WHEN last_loaded < needed THEN 'tracked to place ' || last_loaded::text || ' only (max_rank)' END;
COMMENT ON FUNCTION search_reports.lacks_places IS 'Why the results of a search do not show who holds the first places (needed: how many); '
  'NULL if they do.';

CREATE OR REPLACE FUNCTION search_reports.lacks_us(shows_us boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN NOT shows_us THEN 'no site is known to be ours, or results of it were not asked for' END;
COMMENT ON FUNCTION search_reports.lacks_us IS 'Why the results of a search do not show ours; NULL if they do.';

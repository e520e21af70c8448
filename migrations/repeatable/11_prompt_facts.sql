-- Facts of tracked prompts by account and week. Each function computes the rows of the view of the same name.

CREATE OR REPLACE FUNCTION search_reports.country_of(locode text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN upper(substring(locode FROM '^[^ -]+') COLLATE "C");
COMMENT ON FUNCTION search_reports.country_of IS 'The country that a location code begins with, in upper case.';

CREATE OR REPLACE FUNCTION search_reports.compute_ai_names(account bigint, sunday date) RETURNS TABLE (account_id bigint, week date,
    name text, is_own boolean)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 50 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, search_reports.folded(b.brand_or_product_name),
         bool_or(lower(b.brand_or_product_attribution COLLATE "C") = 'you') IS TRUE
    FROM search.ai_search_brands b
   WHERE b.account_id = account AND b.time_period_start BETWEEN sunday AND sunday + 6 AND b.brand_or_product_name <> ''
   GROUP BY 3;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_names IS 'The rows of search_reports.ai_names for an account and the week of a Sunday, '
  'computed from the tables.';

-- One row per row of AI search, with what identifies its tracked prompt: engines, places and languages as aliases spell them, and the keys
-- by which datasets are joined. Rows that are equal in all columns are one.
CREATE OR REPLACE FUNCTION search_reports.served_prompts(account bigint, sunday date) RETURNS TABLE (
  dataset text, web_property_id bigint, frequency text, period date, assistant text, engine_key text, locode text, place_key text,
  language text,
  language_key text, persona text, prompt text, topic text, intent text, prompt_type text, group_names text, is_ours boolean,
  sentiment text,
  site text, attribution text, voices text[]
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 50000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
DECLARE
  aliases jsonb := search_reports.aliases_of(account);
  names   text[] := search_reports.own_names(account);
  own     text[] := search_reports.own_patterns(account);
  named   record;
  part    record;
BEGIN
  -- Without names there is nothing to find: a pattern that is NULL finds nothing.
  SELECT b.pattern, b.patterns, b.spellings, CASE WHEN b.own_names <> '{}' THEN ARRAY[''] END || b.rival_names AS voices INTO named
    FROM search_reports.brands b WHERE b.account_id = account;
  FOR part IN
    SELECT * FROM (VALUES
      ('ai_search_response', 'NULL::text', 'false', 'NULL::text', 'NULL::text', 'NULL::text',
       'CASE WHEN r.ai_response <> '''' THEN ARRAY(
          SELECT DISTINCT coalesce($7 ->> lower(m[1] COLLATE "C"), search_reports.voice_of(m[1], $8, $9))
            FROM regexp_matches(r.ai_response COLLATE "C", $6, ''g'') AS m) END'),
      ('ai_search_brands', 'r.prompt_type',
       'lower(r.brand_or_product_attribution COLLATE "C") = ''you'' OR search_reports.folded(r.brand_or_product_name) = ANY ($4)',
       'NULL::text', 'NULL::text', 'NULL::text', 'NULL::text[]'),
      ('ai_search_citations', 'r.prompt_type',
       'lower(r.citation_attribution COLLATE "C") = ''you'' OR search_reports.is_own(r.citation_domain, NULL, $5)', 'NULL::text',
       'coalesce(nullif(search_reports.bare_domain(r.citation_domain), ''''), ''(no page)'')',
       'coalesce(nullif(lower(r.citation_attribution COLLATE "C"), ''''), ''(none)'')', 'NULL::text[]'),
      ('ai_search_sentiments', 'r.prompt_type', 'search_reports.folded(r.sentiment_brand) = ANY ($4)',
       'lower(r.sentiment_value COLLATE "C")',
       'NULL::text', 'NULL::text', 'NULL::text[]'),
      ('ai_search_fan_out', 'r.prompt_type', 'false', 'NULL::text', 'NULL::text', 'NULL::text', 'NULL::text[]'))
      AS known (dataset, kind, ours, sentiment, site, attribution, voices)
  LOOP
    RETURN QUERY EXECUTE format($query$
      SELECT %1$L, r.web_property_id, lower(coalesce(nullif(r.collection_frequency, ''), 'weekly') COLLATE "C"), r.time_period_start,
             search_reports.spelled('engine', r.ai_search_engine, $3),
             search_reports.join_key(search_reports.spelled('engine', r.ai_search_engine, $3)),
             search_reports.spelled('locode', r.locode, $3), search_reports.join_key(search_reports.spelled('locode', r.locode, $3)),
             search_reports.spelled('language', r.language, $3),
             search_reports.join_key(search_reports.spelled('language', r.language, $3)),
             r.persona, r.prompt, r.topic, r.intent, lower(nullif(%2$s, '') COLLATE "C"), r.prompt_group_names, w.is_ours, %4$s, %5$s,
             CASE WHEN w.is_ours AND %6$s IS NOT NULL THEN 'you' ELSE %6$s END, %7$s
        FROM search.%1$I r CROSS JOIN LATERAL (SELECT coalesce(%3$s, false) AS is_ours) AS w
       WHERE r.account_id = $1 AND r.time_period_start BETWEEN $2 AND $2 + 6
         AND (r._occurrence = 1 OR search_reports.is_first_copy(to_jsonb(r), ARRAY(
              SELECT to_jsonb(o) FROM search.%1$I o
               WHERE o.account_id = r.account_id AND o.time_period_start = r.time_period_start AND o._key = r._key
                 AND o._occurrence < r._occurrence)))
      $query$, part.dataset, part.kind, part.ours, part.sentiment, part.site, part.attribution,
      part.voices) USING account, sunday, aliases, names, own, named.pattern, named.spellings, named.voices, named.patterns;
  END LOOP;
END
$$;
COMMENT ON FUNCTION search_reports.served_prompts IS 'The rows of AI search of an account and the week of a Sunday, with what identifies '
  'the tracked prompt of each. voices are the names that the text of an answer has, each once: those of rivals, and an empty text for '
  'any of ours; NULL without a text.';

-- Readers, who have no right to stored rows, compute weeks as well.
CREATE OR REPLACE VIEW search_reports.told_kinds WITH (security_barrier) AS
SELECT f.account_id, f.week, f.prompt, f.prompt_type, f.told_in
  FROM search_stored.prompt_facts f
 WHERE f.told_in IS NOT NULL AND f.prompt IS NOT NULL
   AND ((SELECT search_reports.sees_all_accounts()) OR f.account_id IN (SELECT account_id FROM search_reports.accounts_of_login));
COMMENT ON VIEW search_reports.told_kinds IS 'The kinds of prompts that rows have told, week by week, also of weeks whose facts are out of '
  'date.';

-- The kind that rows told last, before this week.
CREATE OR REPLACE FUNCTION search_reports.earlier_kinds(account bigint, sunday date, prompts text[]) RETURNS TABLE (prompt text,
    prompt_type text, told_in date)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 100 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN QUERY
  SELECT DISTINCT ON (f.prompt) f.prompt, f.prompt_type, f.told_in
    FROM search_reports.told_kinds f
   WHERE f.account_id = account AND f.week < sunday AND f.prompt = ANY (prompts)
   ORDER BY f.prompt, f.told_in DESC, f.prompt_type DESC;
END
$$;
COMMENT ON FUNCTION search_reports.earlier_kinds IS 'The kinds of some prompts that rows told last before a week, from the stored facts.';

-- Stable, as the text of a row is: so it becomes a part of the statement around it.
CREATE OR REPLACE FUNCTION search_reports.prompt_key(
  property bigint, engine_key text, place_key text, language_key text, persona text, frequency text, prompt text
) RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN md5(ROW(property, engine_key, place_key, language_key, persona, frequency, prompt)::text)::uuid;
COMMENT ON FUNCTION search_reports.prompt_key IS 'Names a tracked prompt, the same in every week. Engine, place and language are keys of '
  'search_reports.join_key, the frequency is in lower case.';

CREATE OR REPLACE FUNCTION search_reports.prompt_key_of(
  property bigint, engine text, locode text, language text, persona text, frequency text, prompt text, aliases jsonb
) RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN search_reports.prompt_key(property, search_reports.join_key(search_reports.spelled('engine', engine, aliases)),
                                 search_reports.join_key(search_reports.spelled('locode', locode, aliases)),
                                 search_reports.join_key(search_reports.spelled('language', language, aliases)), persona,
                                 lower(coalesce(nullif(frequency, ''), 'weekly') COLLATE "C"), prompt);
COMMENT ON FUNCTION search_reports.prompt_key_of IS 'The tracked prompt (prompt_key of search_reports.prompt_facts) that a row of AI '
  'search is of.';

CREATE OR REPLACE FUNCTION search_reports.listed(lines text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT l FROM unnest(string_to_array(lines, E'\n')) AS l WHERE l <> '' ORDER BY l COLLATE "C");
COMMENT ON FUNCTION search_reports.listed IS 'The lines of a text in order, without empty ones.';

CREATE OR REPLACE FUNCTION search_reports.compute_prompt_facts(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, prompt_key uuid, web_property_id bigint, assistant text, country text, locode text, language text,
  persona text,
  frequency text, prompt text, topic text, intent text, prompt_type text, told_in date, prompt_groups text[], asked text[], answers integer,
  naming integer, citing integer, unmet_brands integer, own_citations integer, citations integer, cited_sites text[], attributions text[],
  unattributed integer,
  positive integer, neutral integer, negative integer, unvalued integer, texts integer, own_voices integer, rival_voices text[]
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
  names text[] := search_reports.own_names(account);
  named record;
  -- JSON, since the nodes of a Citus cluster know its type.
  loads jsonb := (SELECT jsonb_agg(l) FROM search_reports.prompt_loads(account, sunday, search_reports.aliases_of(account)) AS l);
BEGIN
  SELECT coalesce(bool_or(b.own_names <> '{}'), false) AS ours, coalesce(bool_or(b.rival_names <> '{}'), false) AS rivals INTO named
    FROM search_reports.brands b WHERE b.account_id = account;
  RETURN QUERY
  WITH periods AS MATERIALIZED (
    -- An answer is one of a tracked prompt in a period: all of what a brand or a citation says of the period, it says of these answers.
    SELECT s.web_property_id, s.frequency, s.engine_key, s.place_key, s.language_key, s.persona, s.prompt, s.period,
           coalesce(max(s.assistant COLLATE "C") FILTER (WHERE s.dataset = 'ai_search_response'),
                    max(s.assistant COLLATE "C")) AS assistant,
           coalesce(max(s.locode COLLATE "C") FILTER (WHERE s.dataset = 'ai_search_response'), max(s.locode COLLATE "C")) AS locode,
           coalesce(max(s.language COLLATE "C") FILTER (WHERE s.dataset = 'ai_search_response'), max(s.language COLLATE "C")) AS language,
           coalesce(max(s.topic COLLATE "C") FILTER (WHERE s.dataset = 'ai_search_response'), max(s.topic COLLATE "C")) AS topic,
           coalesce(max(s.intent COLLATE "C") FILTER (WHERE s.dataset = 'ai_search_response'), max(s.intent COLLATE "C")) AS intent,
           max(s.prompt_type COLLATE "C") AS prompt_type, max(s.group_names COLLATE "C") AS group_names,
           count(*) FILTER (WHERE s.dataset = 'ai_search_response') AS answers,
           count(*) FILTER (WHERE s.dataset = 'ai_search_brands') AS brands,
           count(*) FILTER (WHERE s.dataset = 'ai_search_brands' AND s.is_ours) AS own_brands,
           count(*) FILTER (WHERE s.dataset = 'ai_search_citations') AS citations,
           count(*) FILTER (WHERE s.dataset = 'ai_search_citations' AND s.is_ours) AS own_citations,
           string_agg(s.site, E'\n') AS sites, string_agg(s.attribution, E'\n') AS attributions,
           count(*) FILTER (WHERE s.attribution = '(none)') AS unattributed,
           count(s.voices) AS texts, count(*) FILTER (WHERE '' = ANY (s.voices)) AS own_voices,
           string_agg(array_to_string(s.voices, E'\n'), E'\n') AS voices,
           count(*) FILTER (WHERE s.dataset = 'ai_search_sentiments') AS sentiments,
           count(*) FILTER (WHERE s.is_ours AND s.sentiment = 'positive') AS positive,
           count(*) FILTER (WHERE s.is_ours AND s.sentiment = 'neutral') AS neutral,
           count(*) FILTER (WHERE s.is_ours AND s.sentiment = 'negative') AS negative,
           count(*) FILTER (WHERE s.is_ours AND s.dataset = 'ai_search_sentiments' AND coalesce(s.sentiment,
               '') <> ALL ('{positive,neutral,negative}')) AS unvalued
      FROM search_reports.served_prompts(account, sunday) AS s
     GROUP BY s.web_property_id, s.frequency, s.engine_key, s.place_key, s.language_key, s.persona, s.prompt, s.period
  ), units AS MATERIALIZED (
    SELECT p.web_property_id, p.frequency, p.engine_key, p.place_key, p.language_key, p.persona, p.prompt,
           max(p.assistant COLLATE "C") AS assistant, max(p.locode COLLATE "C") AS locode, max(p.language COLLATE "C") AS language,
           max(p.topic COLLATE "C") AS topic, max(p.intent COLLATE "C") AS intent, max(p.group_names COLLATE "C") AS group_names,
           sum(p.answers) > 0 AS has_answers, sum(p.brands) > 0 AS has_brands, sum(p.citations) > 0 AS has_citations,
           sum(p.sentiments) > 0 AS has_sentiments,
           sum(p.answers)::integer AS answers, coalesce(sum(p.answers) FILTER (WHERE p.own_brands > 0), 0)::integer AS naming,
           coalesce(sum(p.answers) FILTER (WHERE p.own_citations > 0), 0)::integer AS citing,
           coalesce(sum(p.own_brands) FILTER (WHERE p.answers = 0), 0)::integer AS unmet_brands,
           sum(p.own_citations)::integer AS own_citations, sum(p.citations)::integer AS citations, string_agg(p.sites, E'\n') AS sites,
           string_agg(p.attributions, E'\n') AS attributions, sum(p.unattributed)::integer AS unattributed,
           sum(p.texts)::integer AS texts, sum(p.own_voices)::integer AS own_voices, string_agg(p.voices, E'\n') AS voices,
           sum(p.positive)::integer AS positive,
           sum(p.neutral)::integer AS neutral, sum(p.negative)::integer AS negative, sum(p.unvalued)::integer AS unvalued
      FROM periods p
     GROUP BY p.web_property_id, p.frequency, p.engine_key, p.place_key, p.language_key, p.persona, p.prompt
  ), told AS MATERIALIZED (
    SELECT p.prompt, max(p.prompt_type COLLATE "C") AS prompt_type FROM periods p WHERE p.prompt_type IS NOT NULL GROUP BY p.prompt
  ), kinds AS MATERIALIZED (
    SELECT t.prompt, t.prompt_type, sunday AS told_in FROM told t
     UNION ALL
    SELECT u.prompt, coalesce(e.prompt_type, CASE WHEN search_reports.has_name(u.prompt, names) THEN 'branded' ELSE 'unbranded' END),
           e.told_in
      FROM (SELECT DISTINCT prompt FROM units WHERE prompt IS NOT NULL AND prompt NOT IN (SELECT prompt FROM told
          WHERE prompt IS NOT NULL)) AS u
      LEFT JOIN search_reports.earlier_kinds(account, sunday, ARRAY(SELECT DISTINCT prompt FROM units
                                                                   WHERE prompt NOT IN (SELECT prompt FROM told
                                                                       WHERE prompt IS NOT NULL))) AS e USING (prompt)
  ), unmet AS MATERIALIZED (
    -- If only brands have one spelling and only answers have another, the two are probably one thing spelled in two ways. Then nobody knows
    -- which answers name us.
    SELECT d.kind, d.key,
           bool_or(d.is_answer) AND NOT bool_or(d.is_brand)
             AND EXISTS (SELECT FROM (SELECT o.engine_key AS key, 'engine' AS kind, o.has_answers FROM units o WHERE o.has_brands
                                       UNION ALL SELECT o.place_key, 'place', o.has_answers FROM units o WHERE o.has_brands
                                       UNION ALL SELECT o.language_key, 'language', o.has_answers FROM units o WHERE o.has_brands) AS b
                          WHERE b.kind = d.kind AND b.key <> ''
                            AND NOT EXISTS (SELECT FROM units a WHERE a.has_answers AND CASE b.kind WHEN 'engine' THEN a.engine_key
                                            WHEN 'place' THEN a.place_key
                                                                                                  ELSE a.language_key END = b.key)
                            AND (b.kind = 'engine' OR starts_with(b.key, d.key) OR starts_with(d.key, b.key))) AS is_unmet
      FROM (SELECT DISTINCT 'engine' AS kind, engine_key AS key, has_answers AS is_answer, has_brands AS is_brand FROM units
             UNION SELECT DISTINCT 'place', place_key, has_answers, has_brands FROM units
             UNION SELECT DISTINCT 'language', language_key, has_answers, has_brands FROM units) AS d
     GROUP BY d.kind, d.key
  ), recorded AS MATERIALIZED (
    SELECT l.*
      FROM jsonb_to_recordset(coalesce(loads, '[]')) AS l (dataset text, properties text[], engines text[], locodes text[],
                                                           languages text[], topics text[],
             prompts text[], kind text, intents text[], personas text[], prompt_groups text[], frequency text, shows_us boolean,
             shows_all boolean)
  ), asking AS MATERIALIZED (
    SELECT * FROM recorded
     UNION ALL
    -- Rows of a load that the ledger does not have any more are taken as all that there is.
    SELECT d.dataset, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true
      FROM (SELECT 'ai_search_response' AS dataset, bool_or(has_answers) AS is_there FROM units UNION ALL SELECT 'ai_search_brands',
            bool_or(has_brands) FROM units
             UNION ALL SELECT 'ai_search_citations', bool_or(has_citations) FROM units
             UNION ALL SELECT 'ai_search_sentiments', bool_or(has_sentiments) FROM units) AS d
     WHERE d.is_there AND d.dataset NOT IN (SELECT dataset FROM recorded)
  ), known AS (
    SELECT u.*, k.prompt_type, k.told_in, searchmill.list_items(coalesce(u.group_names, '')) AS groups, a.datasets, a.us, a.everybody,
           EXISTS (SELECT FROM unmet m WHERE m.is_unmet AND (m.kind = 'engine' AND m.key = u.engine_key OR m.kind = 'place'
                                                             AND m.key = u.place_key
                                                             OR m.kind = 'language' AND m.key = u.language_key)) AS is_unmet
      FROM units u LEFT JOIN kinds k ON k.prompt = u.prompt
     CROSS JOIN LATERAL (
           SELECT array_agg(DISTINCT l.dataset) AS datasets, array_agg(DISTINCT l.dataset) FILTER (WHERE l.shows_us) AS us,
                  array_agg(DISTINCT l.dataset) FILTER (WHERE l.shows_all) AS everybody
             FROM (SELECT w.*, bool_or(w.is_asked) OVER (PARTITION BY w.dataset) AS is_asked_by_any
                     FROM (SELECT l.dataset, l.shows_us, l.shows_all, coalesce(
                                  (l.properties IS NULL OR u.web_property_id::text = ANY (l.properties))
                                  AND (l.engines IS NULL OR u.engine_key = ANY (l.engines))
                                  -- A place asks for what lies in it: US for US-NYC.
                                  AND (l.locodes IS NULL OR u.place_key = ANY (l.locodes)
                                       OR EXISTS (SELECT FROM unnest(l.locodes) AS a WHERE starts_with(u.place_key, a || '-')))
                                  AND (l.languages IS NULL OR u.language_key = ANY (l.languages))
                                  AND (l.topics IS NULL OR search_reports.join_key(u.topic) = ANY (l.topics))
                                  AND (l.prompts IS NULL OR search_reports.join_key(u.prompt) = ANY (l.prompts))
                                  AND (l.kind IS NULL OR l.kind = k.prompt_type)
                                  AND (l.intents IS NULL OR search_reports.join_key(u.intent) = ANY (l.intents))
                                  AND (l.personas IS NULL OR search_reports.join_key(u.persona) = ANY (l.personas))
                                  AND (l.prompt_groups IS NULL
                                       OR EXISTS (SELECT FROM unnest(searchmill.list_items(coalesce(u.group_names, ''))) AS g
                                                   WHERE search_reports.join_key(g) = ANY (l.prompt_groups)))
                                  AND coalesce(l.frequency, u.frequency) = u.frequency, false) AS is_asked
                             FROM asking l) AS w) AS l
            WHERE l.is_asked
               -- Rows are there that no load seems to ask for: then any of the dataset may have.
               OR NOT l.is_asked_by_any
                  AND (l.dataset = 'ai_search_response' AND u.has_answers OR l.dataset = 'ai_search_brands' AND u.has_brands
                       OR l.dataset = 'ai_search_citations' AND u.has_citations
                       OR l.dataset = 'ai_search_sentiments' AND u.has_sentiments)) AS a
  )
  SELECT account, sunday,
         search_reports.prompt_key(k.web_property_id, k.engine_key, k.place_key, k.language_key, k.persona, k.frequency, k.prompt),
         k.web_property_id, k.assistant, search_reports.country_of(k.locode), k.locode, k.language, k.persona, k.frequency, k.prompt,
         k.topic, k.intent,
         k.prompt_type, k.told_in, k.groups, coalesce(ARRAY(SELECT replace(d, 'ai_search_', '') FROM unnest(k.datasets) AS d ORDER BY d),
                                                      '{}'),
         CASE WHEN 'ai_search_response' = ANY (k.datasets) THEN k.answers END,
         CASE WHEN 'ai_search_response' = ANY (k.datasets) AND NOT k.is_unmet AND names <> '{}' AND 'ai_search_brands' = ANY (k.us)
           THEN k.naming END,
         CASE WHEN 'ai_search_response' = ANY (k.datasets) AND 'ai_search_citations' = ANY (k.us) THEN k.citing END,
         k.unmet_brands,
         CASE WHEN 'ai_search_citations' = ANY (k.us) THEN coalesce(k.own_citations, 0) END,
         CASE WHEN 'ai_search_citations' = ANY (k.everybody) THEN coalesce(k.citations, 0) END,
         CASE WHEN 'ai_search_citations' = ANY (k.everybody) THEN search_reports.listed(k.sites) END,
         CASE WHEN 'ai_search_citations' = ANY (k.everybody) THEN search_reports.listed(k.attributions) END,
         CASE WHEN 'ai_search_citations' = ANY (k.everybody) THEN coalesce(k.unattributed, 0) END,
         CASE WHEN 'ai_search_sentiments' = ANY (k.us) AND names <> '{}' THEN coalesce(k.positive, 0) END,
         CASE WHEN 'ai_search_sentiments' = ANY (k.us) AND names <> '{}' THEN coalesce(k.neutral, 0) END,
         CASE WHEN 'ai_search_sentiments' = ANY (k.us) AND names <> '{}' THEN coalesce(k.negative, 0) END,
         CASE WHEN 'ai_search_sentiments' = ANY (k.us) AND names <> '{}' THEN coalesce(k.unvalued, 0) END,
         CASE WHEN 'ai_search_response' = ANY (k.datasets) THEN k.texts END,
         CASE WHEN 'ai_search_response' = ANY (k.datasets) AND named.ours THEN k.own_voices END,
         CASE WHEN 'ai_search_response' = ANY (k.datasets) AND named.rivals THEN search_reports.listed(k.voices) END
    FROM known k;
END
$$;
COMMENT ON FUNCTION search_reports.compute_prompt_facts IS 'The rows of search_reports.prompt_facts for an account and the week of a '
  'Sunday, computed from the tables.';

CREATE OR REPLACE FUNCTION search_reports.has_name(words text, names text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM unnest(names) AS n
                CROSS JOIN (VALUES (U&'0-9a-z\00aa\00b5\00ba\00df-\0dff\10a0-\10ff\1200-\177f\1e00-\1fff')) AS w (letters)
                WHERE n <> '' AND search_reports.folded(words) COLLATE "C"
                      ~ ('(^|[^' || w.letters || '])' || regexp_replace(n COLLATE "C", '([!-/:-@[-`{-~])', '\\\1', 'g')
                         || '($|[^' || w.letters || '])'));
COMMENT ON FUNCTION search_reports.has_name IS 'Whether a text has one of some names, given as search_reports.folded makes them, as '
  'whole words.';

-- Reads the view: the facts that a refresh has just stored, or those that are computed now.
CREATE OR REPLACE FUNCTION search_reports.compute_prompt_values(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, variable text, value text, amount bigint
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 100 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
BEGIN
  RETURN QUERY
  WITH facts AS MATERIALIZED (
    SELECT f.web_property_id, f.assistant, f.country, f.topic, f.persona, f.intent, f.prompt_groups
      FROM search_reports.prompt_facts f WHERE f.account_id = account AND f.week = sunday
  )
  SELECT account, sunday, v.variable, coalesce(nullif(v.value, ''), '(none)'), count(*)
    FROM facts f
   CROSS JOIN LATERAL (VALUES ('web_property', f.web_property_id::text), ('assistant', f.assistant), ('country', f.country),
                       ('topic', f.topic),
                              ('persona', f.persona), ('intent', f.intent)) AS v (variable, value)
   GROUP BY v.variable, coalesce(nullif(v.value, ''), '(none)')
   UNION ALL
  SELECT account, sunday, 'prompt_group', g.name, count(*)
    FROM facts f
   CROSS JOIN LATERAL (SELECT DISTINCT unnest(CASE cardinality(f.prompt_groups) WHEN 0 THEN ARRAY['(none)']
                                              ELSE f.prompt_groups END) AS name) AS g
   GROUP BY g.name;
END
$$;
COMMENT ON FUNCTION search_reports.compute_prompt_values IS 'The rows of search_reports.prompt_values for an account and the week of a '
  'Sunday, computed from the facts.';

-- Facts of the same columns, and of which the same counts are known, so that a measure is known of all of them or of none. Lists are put
-- together. What tells whether two weeks have the same tracked prompts (units_key) has the names of assistants in it, so that sums over all
-- assistants answer that for those by assistant, too.
CREATE OR REPLACE FUNCTION search_reports.compute_prompt_sums(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, is_by_assistant boolean, units_key uuid, units integer, web_property_id bigint, answers integer,
  naming integer, citing integer, unmet_brands integer, own_citations integer, citations integer, unattributed integer, positive integer,
  neutral integer, negative integer, unvalued integer, texts integer, own_voices integer, prompt text, assistant text, persona text,
  topic text, intent text, prompt_type text, prompt_groups text[], rival_voices text[], cited_sites text[], attributions text[]
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 3000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
BEGIN
  RETURN QUERY
  WITH facts AS MATERIALIZED (
    SELECT f.*, ARRAY[f.answers IS NULL, f.answers > 0 AND f.texts = 0, f.naming IS NULL, f.citing IS NULL, f.own_citations IS NULL,
                      f.citations IS NULL, f.positive IS NULL, f.own_voices IS NULL, f.rival_voices IS NULL] AS unknown
      FROM search_reports.prompt_facts f WHERE f.account_id = account AND f.week = sunday
  ), sums AS (
    SELECT k.is_by_assistant, f.web_property_id, f.prompt, k.assistant, f.persona, f.topic, f.intent, f.prompt_type, f.prompt_groups,
           f.unknown, count(*)::integer AS units, sum(hashtextextended(concat(f.prompt_key, f.assistant), 0)) AS members,
           sum(f.answers)::integer AS answers, sum(f.naming)::integer AS naming, sum(f.citing)::integer AS citing,
           sum(f.unmet_brands)::integer AS unmet_brands, sum(f.own_citations)::integer AS own_citations,
           sum(f.citations)::integer AS citations, sum(f.unattributed)::integer AS unattributed, sum(f.positive)::integer AS positive,
           sum(f.neutral)::integer AS neutral, sum(f.negative)::integer AS negative, sum(f.unvalued)::integer AS unvalued,
           sum(f.texts)::integer AS texts, sum(f.own_voices)::integer AS own_voices,
           string_agg(nullif(array_to_string(f.rival_voices, E'\n'), ''), E'\n') AS rival_voices,
           string_agg(nullif(array_to_string(f.cited_sites, E'\n'), ''), E'\n') AS cited_sites,
           string_agg(nullif(array_to_string(f.attributions, E'\n'), ''), E'\n') AS attributions
      FROM facts f
     CROSS JOIN LATERAL (VALUES (false, NULL), (true, f.assistant)) AS k (is_by_assistant, assistant)
     GROUP BY k.is_by_assistant, f.web_property_id, f.prompt, k.assistant, f.persona, f.topic, f.intent, f.prompt_type, f.prompt_groups,
              f.unknown
  )
  SELECT account, sunday, s.is_by_assistant,
         md5(ROW(s.units, s.members)::text)::uuid, s.units,
         s.web_property_id, s.answers, s.naming, s.citing, s.unmet_brands, s.own_citations, s.citations, s.unattributed,
         s.positive, s.neutral, s.negative, s.unvalued, s.texts, s.own_voices, s.prompt, s.assistant, s.persona, s.topic, s.intent,
         s.prompt_type, s.prompt_groups,
         CASE WHEN NOT s.unknown[9] THEN search_reports.listed(s.rival_voices) END,
         CASE WHEN NOT s.unknown[6] THEN search_reports.listed(s.cited_sites) END,
         CASE WHEN NOT s.unknown[6] THEN search_reports.listed(s.attributions) END
    FROM sums s;
END
$$;
COMMENT ON FUNCTION search_reports.compute_prompt_sums IS 'The rows of search_reports.prompt_sums for an account and the week of a Sunday, '
  'computed from the facts.';

-- Which question a week answers: what its loads asked the service for. A figure is zero only where it was asked for, and weeks are compared only
-- where they answer the same. A question is the submit body without account and period; several jobs may ask for one week.
-- These functions give every panel its weeks, gaps, remarks and comparability.

CREATE OR REPLACE VIEW search_reports.requests WITH (security_barrier) AS
SELECT s.dataset, s.account_id, s.job, search_reports.week_of(s.window_start + 7 * n) AS week, s.published_at,
       e.request - '{account_id,start_date,end_date,time_period_start,time_period_end,includeMsv}'::text[] AS request
  FROM searchmill.slices s
  JOIN searchmill.executions e ON e.id = s.published_execution_id
 CROSS JOIN LATERAL generate_series(0, (s.window_end - s.window_start) / 7) AS n
 WHERE s.published_at IS NOT NULL
   AND ((SELECT search_reports.sees_all_accounts()) OR s.account_id IN (SELECT account_id FROM search_reports.accounts_of_login));
COMMENT ON VIEW search_reports.requests IS 'Dataset x account x job x week: what the published load of the week asked the service for. A week that several loads of a job cover has several; the last published counts.';
COMMENT ON COLUMN search_reports.requests.dataset IS 'Dataset.';
COMMENT ON COLUMN search_reports.requests.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.requests.job IS 'Job.';
COMMENT ON COLUMN search_reports.requests.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.requests.published_at IS 'When it was published.';
COMMENT ON COLUMN search_reports.requests.request IS 'The submit body without account and period, and without search volumes, which change no row.';

CREATE OR REPLACE FUNCTION search_reports.question_of(request jsonb, aliases jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(jsonb_object_agg(field, CASE jsonb_typeof(asked) WHEN 'array' THEN (
                                                SELECT jsonb_agg(DISTINCT item ORDER BY item)
                                                  FROM jsonb_array_elements(asked) AS items (served)
                                                 CROSS JOIN LATERAL (
                                                       SELECT CASE field
                                                                WHEN 'ai_search_engines' THEN to_jsonb(coalesce(aliases -> 'engine' ->> search_reports.join_key(served #>> '{}'), lower(served #>> '{}')))
                                                                WHEN 'locodes' THEN to_jsonb(upper(search_reports.join_key(search_reports.spelled('locode', served #>> '{}', aliases))))
                                                                WHEN 'languages' THEN to_jsonb(search_reports.join_key(search_reports.spelled('language', served #>> '{}', aliases)))
                                                                WHEN 'countries' THEN to_jsonb(upper(served #>> '{}'))
                                                                WHEN 'devices' THEN to_jsonb(upper(served #>> '{}'))
                                                                ELSE served END AS item) AS spelled)
                                                                    ELSE asked END), '{}')
          FROM jsonb_each(request) AS fields (field, asked)
         WHERE asked NOT IN ('[]', 'null') AND NOT (field = 'collection_frequency' AND upper(asked #>> '{}') = 'WEEKLY'));
COMMENT ON FUNCTION search_reports.question_of IS 'What a submit body without account and period asks for: lists in order, engines, places, languages and devices in one spelling, as aliases and join_key make it, and without what is as good as not asked.';

CREATE OR REPLACE FUNCTION search_reports.choice_fields() RETURNS TABLE (name text, field text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 18
BEGIN ATOMIC
  VALUES ('web_property', 'web_property_ids'), ('country', 'countries'), ('country', 'locodes'), ('device', 'devices'), ('assistant', 'ai_search_engines'),
         ('prompt_type', 'prompt_type'), ('prompt', 'prompts'), ('topic', 'topics'), ('group', 'keyword_group_names'), ('site', 'domains'), ('site', 'root_domains'), ('site', 'citation_urls'),
         ('page', 'domains'), ('page', 'root_domains'), ('page', 'citation_urls'),
         ('attribution', 'citation_attributions'), ('brand_attribution', 'brand_or_product_attributions'), ('brand', 'sentiment_brands');
END;
COMMENT ON FUNCTION search_reports.choice_fields IS 'What a line or a choice may be about, and the fields of a question that ask for it.';

CREATE OR REPLACE FUNCTION search_reports.is_within(site text, item text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  host text := search_reports.host_of(search_reports.bare_url(item));
BEGIN
  RETURN right('.' || site, length(host) + 1) = '.' || host;
END
$$;
COMMENT ON FUNCTION search_reports.is_within IS 'Whether a site (in lower case) is the one that an item of a filter of sites names, or lies below it.';

CREATE OR REPLACE FUNCTION search_reports.narrowed(question jsonb, choices jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  left_over jsonb := question;
  choice    record;
  items     text[];
  found     text[];
  is_whole  boolean;
BEGIN
  FOR choice IN
    SELECT field, CASE WHEN name IN ('site', 'page') THEN lower(value) ELSE search_reports.join_key(value) END AS value, name = 'site' AS is_host, name = 'page' AS is_page,
           field = 'locodes' AS is_place
      FROM jsonb_each_text(choices) AS chosen (name, value)
      JOIN search_reports.choice_fields() USING (name)
     WHERE value IS NOT NULL AND question ? field
  LOOP
    items := ARRAY(SELECT jsonb_array_elements_text(
      CASE jsonb_typeof(question -> choice.field) WHEN 'array' THEN question -> choice.field ELSE jsonb_build_array(question -> choice.field) END));
    found := ARRAY(
      SELECT item FROM unnest(items) AS item
       WHERE CASE WHEN choice.is_place THEN search_reports.join_key(search_reports.country_of(item)) = choice.value
                  WHEN choice.is_page AND choice.field = 'citation_urls' THEN lower(search_reports.bare_url(item)) = search_reports.bare_url(choice.value)
                  WHEN choice.is_page THEN search_reports.is_within(search_reports.host_of(search_reports.bare_url(choice.value)), item)
                  WHEN choice.is_host THEN search_reports.is_related(search_reports.host_of(search_reports.bare_url(item)), string_to_array(choice.value, ','))
                  ELSE search_reports.join_key(item) = choice.value END);
    IF found = '{}' THEN
      RETURN NULL;
    END IF;
    -- What asks for a part of the choice only stays in the question, as far as it is about the choice.
    is_whole := CASE WHEN choice.is_place THEN EXISTS (SELECT FROM unnest(found) AS item WHERE search_reports.join_key(item) = choice.value)
                     WHEN choice.is_host THEN choice.field <> 'citation_urls'
                       AND NOT EXISTS (SELECT FROM unnest(string_to_array(choice.value, ',')) AS site
                                        WHERE NOT EXISTS (SELECT FROM unnest(found) AS item WHERE search_reports.is_within(site, item)))
                     ELSE true END;
    left_over := CASE WHEN is_whole THEN left_over - choice.field ELSE jsonb_set(left_over, ARRAY[choice.field], to_jsonb(found)) END;
  END LOOP;
  RETURN left_over;
END
$$;
COMMENT ON FUNCTION search_reports.narrowed IS 'A question, as far as it is about what is chosen (web_property, country, device, assistant, prompt_type, topic, group, site, page, attribution, brand_attribution, brand); NULL where it does not ask for that.';

CREATE OR REPLACE FUNCTION search_reports.all_narrowed(questions jsonb, choices jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT jsonb_agg(DISTINCT n) FROM jsonb_array_elements(questions) AS q CROSS JOIN LATERAL search_reports.narrowed(q, choices) AS n WHERE n IS NOT NULL);
COMMENT ON FUNCTION search_reports.all_narrowed IS 'Those of some questions that ask for what is chosen, as search_reports.narrowed says; NULL where none does.';

CREATE OR REPLACE FUNCTION search_reports.described(questions jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(coalesce(fields, 'everything'), ' + ' ORDER BY place)
          FROM jsonb_array_elements(questions) WITH ORDINALITY AS each (question, place)
         CROSS JOIN LATERAL (
               SELECT string_agg(field || ': ' || CASE WHEN length(text) > 100 THEN left(text, 80) || '… (' || left(md5(text), 6) || ')' ELSE text END, '; ' ORDER BY field) AS fields
                 FROM jsonb_each(question) AS of (field, asked)
                CROSS JOIN LATERAL (SELECT CASE jsonb_typeof(asked) WHEN 'array' THEN (SELECT string_agg(item, ', ') FROM jsonb_array_elements_text(asked) AS item)
                                                                    ELSE asked #>> '{}' END AS text) AS written) AS named);
COMMENT ON FUNCTION search_reports.described IS 'Questions in words: the filters of each, everything where there are none.';

-- A country is asked for with its regions and cities: that US holds US-NYC is what the service documents of countries in general. Whether its rows
-- do is seen where they are joined (search_reports.joined_brands).
CREATE OR REPLACE FUNCTION search_reports.covers(field text, wide jsonb, narrow jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN NOT EXISTS (SELECT FROM jsonb_path_query(narrow, 'lax $[*]') AS n (item)
                    WHERE NOT EXISTS (SELECT FROM jsonb_path_query(wide, 'lax $[*]') AS w (item)
                                       WHERE w.item = n.item OR field = 'locodes' AND starts_with(n.item #>> '{}', (w.item #>> '{}') || '-')));
COMMENT ON FUNCTION search_reports.covers IS 'Whether one filter of a question asks for all that another does: each of its items, or the place that it lies in, as US-NYC lies in US.';

-- Of the fields that answers of different datasets have in common.
CREATE OR REPLACE FUNCTION search_reports.uncovered(wide jsonb, narrow jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(DISTINCT field, ', ')
          FROM jsonb_array_elements(narrow) AS narrow_questions (n)
         CROSS JOIN LATERAL (
               SELECT min(fields) AS field
                 FROM (SELECT (SELECT string_agg(field, ', ' ORDER BY field) FROM jsonb_each(w) AS of (field, asked)
                                WHERE field IN ('web_property_ids', 'ai_search_engines', 'locodes', 'languages', 'topics', 'prompts', 'prompt_type', 'intents',
                                                'personas', 'prompts_groups', 'collection_frequency')
                                  AND NOT (n ? field AND search_reports.covers(field, asked, n -> field))) AS fields
                         FROM jsonb_array_elements(wide) AS wide_questions (w)) AS lacking
               HAVING bool_and(fields IS NOT NULL)) AS lacked);
COMMENT ON FUNCTION search_reports.uncovered IS 'The filters by which some questions ask for less than others do; NULL where they ask for all of it.';

CREATE OR REPLACE FUNCTION search_reports.unasked_values(week jsonb, of_field text, wanted text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT 'not asked for: ' || string_agg(each, ', ')
          FROM unnest(wanted) AS each
         WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(week #> '{asked,0,questions}') AS q
                            WHERE NOT q ? of_field OR EXISTS (SELECT FROM jsonb_array_elements_text(q -> of_field) AS item WHERE lower(item) = each)));
COMMENT ON FUNCTION search_reports.unasked_values IS 'Those of some values of a list of filters that no question of a week (asked of search_reports.frame) asks for, in words; NULL when it asks for all.';

CREATE OR REPLACE FUNCTION search_reports.filtered_by(week jsonb, fields text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(DISTINCT field, ', ')
          FROM jsonb_array_elements(week #> '{asked,0,questions}') AS q CROSS JOIN unnest(fields) AS field
         WHERE q ? field);
COMMENT ON FUNCTION search_reports.filtered_by IS 'Those of some filters that a question of a week (asked of search_reports.frame) has, with commas; NULL when none has any.';

CREATE OR REPLACE FUNCTION search_reports.compared(asked jsonb, before jsonb, choices jsonb, is_found boolean, OUT unasked text, OUT change text, OUT question text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  part  record;
  whole jsonb;
  words text[] := '{}';
BEGIN
  FOR part IN
    SELECT search_reports.all_narrowed(a.value -> 'questions', choices) AS now, search_reports.all_narrowed(b.value -> 'questions', choices) AS before, ordinality AS place,
           a.value ->> 'tracked' AS tracked, b.value ->> 'tracked' AS tracked_before, replace(replace(a.value ->> 'dataset', 'ai_search_', ''), '_', ' ') AS name,
           CASE a.value ->> 'dataset' WHEN 'keyword_rankings' THEN 'searches' ELSE 'prompts' END AS things
      FROM jsonb_array_elements(asked) WITH ORDINALITY AS a LEFT JOIN jsonb_array_elements(before) WITH ORDINALITY AS b USING (ordinality)
     ORDER BY ordinality
  LOOP
    IF part.now IS NULL THEN
      unasked := coalesce(unasked, CASE WHEN NOT is_found THEN CASE part.place WHEN 1 THEN 'not asked for' ELSE part.name || ' were not asked for' END END);
    ELSIF part.place = 1 THEN
      whole := part.now;
    ELSE
      unasked := coalesce(unasked, part.name || ' were asked for in part only: ' || search_reports.uncovered(part.now, whole));
    END IF;
    IF part.now <> part.before THEN
      change := concat_ws('; ', change, format('not comparable with the weeks before: %s of %s, before of %s', part.name, search_reports.described(part.now), search_reports.described(part.before)));
    END IF;
    IF part.tracked <> part.tracked_before THEN
      change := concat_ws('; ', change, format('not comparable with the weeks before: %s tracked %s, before %s', part.things, part.tracked, part.tracked_before));
    END IF;
    words := words || nullif(concat_ws(', ', search_reports.described(part.now), part.tracked || ' ' || part.things), '');
  END LOOP;
  IF unasked IS NOT NULL THEN
    change := NULL;
  ELSE
    question := array_to_string(words, ' | ');
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.compared IS 'What search_reports.line says, of a week whose questions by dataset are known, and those of the week before it.';

CREATE OR REPLACE FUNCTION search_reports.with_line(asked jsonb, before jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT jsonb_build_object('asked', asked, 'before', before, 'unasked', l.unasked, 'change', l.change, 'question', l.question,
                                  'names', (SELECT coalesce(jsonb_agg(DISTINCT name), '[]')
                                              FROM jsonb_path_query(jsonb_build_array(asked, before), 'lax $[*][*].questions[*].keyvalue().key') AS key
                                              JOIN search_reports.choice_fields() AS f ON f.field = key #>> '{}'))
          FROM search_reports.compared(asked, before, '{}', false) AS l);
COMMENT ON FUNCTION search_reports.with_line IS 'A week of search_reports.frame as search_reports.line takes it.';

-- Most points of most lines: nothing that was asked for tells lines apart.
CREATE OR REPLACE FUNCTION search_reports.line(week jsonb, choices jsonb, is_found boolean, OUT unasked text, OUT change text, OUT question text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF week -> 'names' = '[]' OR NOT EXISTS (SELECT FROM jsonb_object_keys(choices) AS name WHERE week -> 'names' ? name) THEN
    unasked := CASE WHEN NOT coalesce(is_found, false) OR week ->> 'unasked' <> 'not asked for' THEN week ->> 'unasked' END;
    change := week ->> 'change';
    question := week ->> 'question';
  ELSE
    SELECT c.* INTO unasked, change, question FROM search_reports.compared(week -> 'asked', nullif(week -> 'before', 'null'), choices, coalesce(is_found, false)) AS c;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.line IS 'What a point of a line answers, given the column asked of search_reports.frame and what the line is about (as of search_reports.narrowed): unasked says that it was not asked for, unless rows of it were found; change that it answers another question than the point before; question is the question in words, the same where it is the same.';

-- A prompt that is asked of several assistants, or in several countries, is tracked once.
CREATE OR REPLACE FUNCTION search_reports.tracked_prompts(of_account bigint, choices jsonb, from_week date)
RETURNS TABLE (week date, prompts bigint, asked text)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  asked_for jsonb := (SELECT jsonb_object_agg(r.week, r.requests)
                        FROM (SELECT week, string_agg(DISTINCT request::text, ' ' ORDER BY request::text) AS requests FROM search_reports.requests
                               WHERE dataset = 'ai_search_response' AND account_id = of_account AND week >= from_week GROUP BY week) AS r);
BEGIN
  RETURN QUERY
  SELECT w.week, max(w.prompts)::bigint, asked_for ->> w.week::text
    FROM (SELECT a.week, sum(a.prompts) AS prompts
            FROM search_reports.ai_answers a
           WHERE a.account_id = of_account AND a.week >= from_week
             AND (choices ->> 'web_property' IS NULL OR a.web_property_id = (choices ->> 'web_property')::bigint)
             AND (choices ->> 'assistant' IS NULL OR a.assistant = choices ->> 'assistant') AND (choices ->> 'country' IS NULL OR a.country = choices ->> 'country')
             AND (choices ->> 'prompt_type' IS NULL OR coalesce(a.prompt_type, 'unbranded') = choices ->> 'prompt_type')
           GROUP BY a.week, a.assistant, a.country) AS w
   GROUP BY w.week;
END
$$;
COMMENT ON FUNCTION search_reports.tracked_prompts IS 'How many prompts have answers in each week from one on, as far as it is chosen: of the assistant and country with most of them. asked is what the loads of the answers asked for.';

CREATE OR REPLACE FUNCTION search_reports.frame(of_datasets text[], of_account bigint, choices jsonb, span text)
RETURNS TABLE (week date, gap text, note text, asked jsonb)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH first AS MATERIALIZED (
    SELECT n.* FROM search_reports.newest_weeks(of_datasets[1], of_account, span) AS n
  ), known AS MATERIALIZED (
    SELECT of_datasets[1] AS dataset, 1::bigint AS place, NULL AS name, f.* FROM first f
    UNION ALL
    SELECT d.dataset, d.place, replace(replace(d.dataset, 'ai_search_', ''), '_', ' '), n.week, n.gap, n.note
      FROM unnest(of_datasets) WITH ORDINALITY AS d (dataset, place)
     CROSS JOIN LATERAL search_reports.newest_weeks(d.dataset, of_account, (SELECT min(week) || '..' || max(week) FROM first)) AS n
     WHERE d.place > 1
  ), loads AS MATERIALIZED (
    SELECT DISTINCT ON (r.dataset, r.job, r.week) r.dataset, r.week, r.request
      FROM search_reports.requests r
     WHERE r.dataset = ANY (of_datasets) AND r.account_id = of_account AND r.week >= (SELECT min(week) FROM known WHERE place = 1)
     ORDER BY r.dataset, r.job, r.week, r.published_at DESC
  ), questions AS MATERIALIZED (
    SELECT request, search_reports.narrowed(search_reports.question_of(request, search_reports.aliases_of(of_account)), choices) AS question FROM (SELECT DISTINCT request FROM loads) AS requests
  ), weeks AS MATERIALIZED (
    SELECT f.week,
           coalesce(f.gap, (SELECT string_agg(coalesce(o.name || ' ' || o.gap, 'no ' || replace(replace(d, 'ai_search_', ''), '_', ' ') || ' are published'), '; ' ORDER BY p)
                              FROM unnest(of_datasets[2:]) WITH ORDINALITY AS others (d, p) LEFT JOIN known o ON o.dataset = d AND o.week = f.week
                             WHERE o.week IS NULL OR o.gap IS NOT NULL)) AS gap,
           nullif(concat_ws('; ', f.note, (SELECT string_agg(o.name || ' ' || o.note, '; ' ORDER BY o.place) FROM known o WHERE o.place > 1 AND o.week = f.week)), '') AS note,
           (SELECT jsonb_agg(jsonb_build_object('dataset', d, 'questions', coalesce(q.questions, '[]')) ORDER BY p)
              FROM unnest(of_datasets) WITH ORDINALITY AS all_datasets (d, p)
              LEFT JOIN (SELECT l.dataset, jsonb_agg(DISTINCT q.question) AS questions FROM loads l JOIN questions q USING (request)
                          WHERE l.week = f.week AND q.question IS NOT NULL GROUP BY l.dataset) AS q ON q.dataset = d) AS asked
      FROM known f
     WHERE f.place = 1
  ), runs AS (
    -- As those of search_reports.ranking_frame, of prompts. Where answers were asked for otherwise, their number says nothing of what is tracked.
    SELECT week, first_value(prompts) OVER (PARTITION BY run ORDER BY week) AS tracked, max(run) OVER () AS changes
      FROM (SELECT week, prompts, count(*) FILTER (WHERE is_other) OVER (ORDER BY week) AS run
              FROM (SELECT t.week, t.prompts, abs(t.prompts - lag(t.prompts) OVER by_week) > 0.1 * lag(t.prompts) OVER by_week AND t.asked = lag(t.asked) OVER by_week AS is_other
                      FROM weeks w JOIN search_reports.tracked_prompts(of_account, choices, (SELECT min(week) FROM weeks)) AS t ON t.week = w.week
                     WHERE w.gap IS NULL AND starts_with(of_datasets[1], 'ai_search_') WINDOW by_week AS (ORDER BY t.week)) AS compared) AS numbered
  ), told AS MATERIALIZED (
    SELECT w.week, w.gap, w.note, CASE WHEN r.changes > 0 THEN jsonb_set(w.asked, '{0,tracked}', to_jsonb(r.tracked)) ELSE w.asked END AS asked
      FROM weeks w LEFT JOIN runs r ON r.week = w.week
  ), numbered AS MATERIALIZED (
    SELECT n.week, n.gap, n.note, n.asked, b.asked AS before
      FROM (SELECT *, max(week) FILTER (WHERE gap IS NULL) OVER (ORDER BY week ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS week_before FROM told) AS n
      LEFT JOIN told b ON b.week = n.week_before
  ), lines AS MATERIALIZED (
    SELECT asked, before, search_reports.with_line(asked, before) AS line FROM (SELECT DISTINCT asked, before FROM numbered) AS pairs
  )
  SELECT n.week, n.gap, n.note, l.line
    FROM numbered n JOIN lines l ON l.asked = n.asked AND l.before IS NOT DISTINCT FROM n.before
   ORDER BY n.week;
END
$$;
COMMENT ON FUNCTION search_reports.frame IS 'The weeks of an account in a span (as of search_reports.span_of), by the first of some datasets: gap says why a week has no figures, in any of them; note what its figures lack; asked, for search_reports.line, what its loads asked for, as far as it is about what is chosen, and what those of the week with figures before it did. The first dataset is what those of the others are counted in. Where a week of AI search has more than a tenth more or fewer prompts than the one before, it asks another question.';

-- Rankings ------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.types_notice(weeks jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT format('Of some types of results only (result_types: %s): answer boxes, news, videos and others hold places that count, too. Where they are not loaded, '
                      'shares are too low and searches that find us with one of them seem not to.', string_agg(DISTINCT type, ', '))
          FROM jsonb_path_query(weeks, 'lax $[*].asked[0].questions[*].result_types[*]') AS types (item) CROSS JOIN LATERAL (SELECT item #>> '{}' AS type) AS t
        HAVING count(*) > 0);
COMMENT ON FUNCTION search_reports.types_notice IS 'What to say where loads asked for results of some types only, given some weeks (asked of search_reports.frame); NULL where they did not.';

-- Not one SELECT: Citus runs each of its queries on the node that has the account.
CREATE OR REPLACE FUNCTION search_reports.ranking_frame(
  of_account bigint, of_property bigint, of_engine text, of_country text, of_device text, span text, first_places integer, is_weighted boolean
) RETURNS TABLE (week date, gap text, note text, asked jsonb, depth integer, is_of_domains boolean, searches bigint, weight numeric, is_by_volume boolean,
                 places integer, notice text)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH frame AS MATERIALIZED (
    SELECT f.*, d.depth, d.first, d.is_of_domains, d.questions = 0 AS is_unasked
      FROM search_reports.frame('{keyword_rankings}', of_account,
             jsonb_build_object('web_property', of_property, 'country', of_country, 'device', of_device), span) AS f
     CROSS JOIN LATERAL (
           SELECT min((q ->> 'max_rank')::integer) AS depth, max((q ->> 'min_rank')::integer) AS first, bool_or(q ? 'domains') AS is_of_domains, count(q) AS questions
             FROM jsonb_array_elements(f.asked #> '{asked,0,questions}') AS q) AS d
  ), totals AS MATERIALIZED (
    SELECT t.week, sum(t.searches) AS searches, sum(t.volume) AS volume
      FROM search_reports.ranking_totals t
     WHERE t.account_id = of_account AND t.week BETWEEN (SELECT min(week) FROM frame) AND (SELECT max(week) FROM frame)
       AND (of_property IS NULL OR t.web_property_id = of_property) AND (of_engine IS NULL OR t.search_engine = of_engine)
       AND (of_country IS NULL OR t.country = of_country) AND (of_device IS NULL OR t.device = of_device)
     GROUP BY t.week
  ), measure AS (
    SELECT is_weighted AND coalesce((SELECT sum(volume) FROM totals), 0) > 0 AS by_volume, (SELECT count(*) > 0 FROM totals) AS has_searches,
           (SELECT search_reports.types_notice(jsonb_agg(asked)) FROM frame WHERE gap IS NULL) AS types,
           (SELECT max(n) FROM unnest(ARRAY[1, 3, 5, 10, 20]) AS n
             WHERE n <= first_places AND n <= coalesce((SELECT min(depth) FROM frame WHERE gap IS NULL), n)) AS places
  ), told AS (
    SELECT f.week, f.note, f.asked, f.depth, f.is_of_domains, t.searches, CASE WHEN m.by_volume THEN t.volume ELSE t.searches END AS weight, m.by_volume, m.places,
           coalesce(f.gap, CASE WHEN t.searches IS NULL THEN CASE WHEN f.is_unasked THEN 'not asked for' ELSE 'no searches' END
                                WHEN f.first > 1 THEN format('places before %s were not asked for (min_rank)', f.first)
                                WHEN m.by_volume AND t.volume = 0 THEN 'no search volumes' END) AS gap,
           nullif(concat_ws(' ', m.types, CASE WHEN m.has_searches THEN search_reports.volume_notice(is_weighted, m.by_volume) END,
                            CASE WHEN m.places < first_places THEN
                              format('Not all weeks are tracked to place %s (max_rank), so the first %s count.', first_places, m.places) END), '') AS notice
      FROM frame f CROSS JOIN measure m LEFT JOIN totals t ON t.week = f.week
  ), runs AS (
    -- A run of weeks goes on while no week has a tenth more or fewer searches than the week before it; each is named by the number it began with.
    SELECT week, tracked, lag(tracked) OVER (ORDER BY week) AS tracked_before
      FROM (SELECT week, first_value(searches) OVER (PARTITION BY run ORDER BY week) AS tracked
              FROM (SELECT week, searches, count(*) FILTER (WHERE is_other) OVER (ORDER BY week) AS run
                      FROM (SELECT week, searches, abs(searches - lag(searches) OVER by_week) > 0.1 * lag(searches) OVER by_week AS is_other
                              FROM told WHERE gap IS NULL WINDOW by_week AS (ORDER BY week)) AS compared) AS numbered) AS named
  ), lines AS MATERIALIZED (
    SELECT asked, tracked, tracked_before,
           search_reports.with_line(jsonb_set(asked -> 'asked', '{0,tracked}', to_jsonb(tracked)),
                                    jsonb_set(nullif(asked -> 'before', 'null'), '{0,tracked}', coalesce(to_jsonb(tracked_before), 'null'))) AS line
      FROM (SELECT DISTINCT t.asked, r.tracked, r.tracked_before FROM told t JOIN runs r USING (week)) AS known
  )
  SELECT t.week, t.gap, t.note, coalesce(l.line, t.asked), t.depth, t.is_of_domains, t.searches::bigint, t.weight, t.by_volume, t.places, t.notice
    FROM told t
    LEFT JOIN runs r ON r.week = t.week
    LEFT JOIN lines l ON l.asked = t.asked AND l.tracked = r.tracked AND l.tracked_before IS NOT DISTINCT FROM r.tracked_before
   ORDER BY t.week;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_frame IS 'The weeks of search_reports.frame for the board Rankings and what is chosen there. searches are tracked, weight is what they are counted with: their search volume (is_by_volume), or each 1. depth is the place that all were tracked to, NULL without a limit; is_of_domains that results of some domains only were asked for, so that no search without one is known; places the largest number up to first_places that all weeks were tracked to; notice says what all figures lack. A week with more than a tenth more or fewer searches than the one before asks another question.';

CREATE OR REPLACE FUNCTION search_reports.ranking_places(
  of_account bigint, of_property bigint, of_engine text, of_country text, of_device text, rank text, from_week date
) RETURNS TABLE (week date, engine text, country text, device text, searches bigint, volume numeric, place_sum numeric, searches_at bigint[], volume_at numeric[])
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT t.week, nullif(t.search_engine, ''), nullif(t.country, ''), nullif(t.device, ''), sum(t.searches)::bigint, sum(t.volume),
         sum(CASE rank WHEN 'standard' THEN t.standard_place_sum ELSE t.true_place_sum END)::numeric,
         CASE rank WHEN 'standard'
           THEN ARRAY[sum(t.standard_1), sum(t.standard_2_3), sum(t.standard_4_10), sum(t.standard_11_20), sum(t.standard_beyond), sum(t.standard_absent)]
           ELSE ARRAY[sum(t.true_1), sum(t.true_2_3), sum(t.true_4_10), sum(t.true_11_20), sum(t.true_beyond), sum(t.true_absent)] END,
         CASE rank WHEN 'standard'
           THEN ARRAY[sum(t.standard_1_volume), sum(t.standard_2_3_volume), sum(t.standard_4_10_volume), sum(t.standard_11_20_volume),
                      sum(t.standard_beyond_volume), sum(t.standard_absent_volume)]
           ELSE ARRAY[sum(t.true_1_volume), sum(t.true_2_3_volume), sum(t.true_4_10_volume), sum(t.true_11_20_volume),
                      sum(t.true_beyond_volume), sum(t.true_absent_volume)] END
    FROM search_reports.ranking_totals t
   WHERE t.account_id = of_account AND t.week >= from_week
     AND (of_property IS NULL OR t.web_property_id = of_property) AND (of_engine IS NULL OR t.search_engine = of_engine)
     AND (of_country IS NULL OR t.country = of_country) AND (of_device IS NULL OR t.device = of_device)
   GROUP BY 1, 2, 3, 4;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_places IS 'Tracked searches from a week on, as far as they are chosen, by engine, country and device: how many they are, their volume, the sum of their best own places, and how many there are, and with what volume, at the places 1, 2 to 3, 4 to 10, 11 to 20, beyond, and absent.';

-- Sites -----------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.own_sites(of_account bigint, chosen text, OUT ours text[], OUT others text[], OUT gap text)
LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT coalesce(array_agg(domain) FILTER (WHERE is_chosen), '{}'), coalesce(array_agg(domain) FILTER (WHERE NOT is_chosen), '{}'),
         CASE WHEN count(*) FILTER (WHERE is_chosen) = 0 THEN 'no site is known to be ours (own_domains in jobs.config.yaml, else citations attributed to You)' END
    FROM (SELECT o.domain, chosen IS NULL
                   OR EXISTS (SELECT FROM unnest(string_to_array(chosen, ',')) AS c WHERE right('.' || o.domain, length(c) + 1) = '.' || c) AS is_chosen
            FROM search_reports.own_domains o
           WHERE o.account_id = of_account
             AND (o.source = 'configured'
                  OR NOT EXISTS (SELECT FROM search_reports.own_domains c WHERE c.account_id = o.account_id AND c.source = 'configured'))) AS counted;
END;
COMMENT ON FUNCTION search_reports.own_sites IS 'The own domains of an account: those that are chosen (with commas between them; NULL chooses all) or lie below a chosen one, and the others. gap says that none is known, so that nothing can be said of us.';

CREATE OR REPLACE FUNCTION search_reports.is_related(site text, domains text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM unnest(domains) AS d
                WHERE right('.' || lower(site), length(d) + 1) = '.' || d OR right(d, length(site) + 1) = '.' || lower(site));
COMMENT ON FUNCTION search_reports.is_related IS 'Whether a site is one of some domains, or lies above or below one.';

CREATE OR REPLACE FUNCTION search_reports.asked_depth(week jsonb) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT min((q ->> 'max_rank')::integer) FROM jsonb_array_elements(week #> '{asked,0,questions}') AS q);
COMMENT ON FUNCTION search_reports.asked_depth IS 'The place to which all rankings of a week (asked of search_reports.frame) were asked for (max_rank); NULL without a limit.';

CREATE OR REPLACE FUNCTION search_reports.unknown_searches(week jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN search_reports.filtered_by(week, '{domains}') IS NOT NULL THEN 'searches without a result of the domains asked for are not known' END;
COMMENT ON FUNCTION search_reports.unknown_searches IS 'Why not all tracked searches of a week (asked of search_reports.frame) are known; NULL where they are.';

CREATE OR REPLACE FUNCTION search_reports.our_places_gap(of_account bigint, week jsonb, first_places integer) RETURNS text
LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT coalesce(o.gap, l.unasked, CASE WHEN d.first > 1 THEN format('places before %s were not asked for (min_rank)', d.first) END,
                  CASE WHEN search_reports.asked_depth(week) < first_places THEN format('tracked to place %s only (max_rank)', search_reports.asked_depth(week)) END)
    FROM search_reports.own_sites(of_account, NULL) AS o
   CROSS JOIN LATERAL search_reports.line(week, jsonb_build_object('site', array_to_string(o.ours, ',')), false) AS l
   CROSS JOIN LATERAL (SELECT max((q ->> 'min_rank')::integer) AS first FROM jsonb_array_elements(week #> '{asked,0,questions}') AS q) AS d;
END;
COMMENT ON FUNCTION search_reports.our_places_gap IS 'Why rankings of a week (asked of search_reports.frame) do not say whether we are within the first places (NULL: wherever we are): no site is known to be ours, or results of ours, the first places or so many were not asked for; NULL where they do.';

-- The statement is planned for its weeks, sites and choices each time; it has no more columns than it needs.
CREATE OR REPLACE FUNCTION search_reports.ranking_results(
  of_account bigint, of_property bigint, of_engine text, of_country text, of_device text, rank text, first_places integer, is_by_volume boolean,
  from_week date, to_week date, of_sites text[]
) RETURNS TABLE (week date, engine text, site text, is_own boolean, results numeric)
LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN QUERY EXECUTE format($query$
    SELECT s.week, nullif(s.search_engine, ''), s.site, s.is_own, sum(s.%I)::numeric
      FROM search_reports.ranking_sites s
     WHERE s.account_id = $1 AND s.week BETWEEN $2 AND $3 AND ($4 IS NULL OR s.web_property_id = $4) AND ($5 IS NULL OR s.search_engine = $5)
       AND ($6 IS NULL OR s.country = $6) AND ($7 IS NULL OR s.device = $7) AND %s
     GROUP BY 1, 2, 3, 4$query$,
    format('%s_%s%s', rank, first_places, CASE WHEN is_by_volume THEN '_volume' END),
    CASE WHEN of_sites IS NULL THEN 's.is_own' WHEN of_sites = '{}' THEN 'true' WHEN array_position(of_sites, NULL) IS NULL THEN 's.site = ANY ($8)'
         ELSE '(s.site = ANY ($8) OR s.site IS NULL)' END)
  USING of_account, from_week, to_week, of_property, of_engine, of_country, of_device, of_sites;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_results IS 'Results of sites within the first places (1, 3, 5, 10 or 20) by rank (standard or true), each counted once or with the volume of its search: of some sites, NULL among them for results without one; of all sites for an empty list; of own results for NULL.';

CREATE OR REPLACE FUNCTION search_reports.leading_sites(
  of_account bigint, of_property bigint, of_engine text, of_country text, of_device text, rank text, first_places integer, is_by_volume boolean,
  weeks date[], newest date, most_sites integer
) RETURNS TABLE (week date, site text, is_own boolean, results numeric, number bigint)
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  top text[] := ARRAY(
    SELECT r.site
      FROM search_reports.ranking_results(of_account, of_property, of_engine, of_country, of_device, rank, first_places, is_by_volume, newest, newest, '{}') AS r
     WHERE newest IS NOT NULL
     GROUP BY r.site ORDER BY sum(r.results) DESC, r.site LIMIT most_sites);
BEGIN
  RETURN QUERY
  WITH found AS MATERIALIZED (
    SELECT r.week, r.site, bool_or(r.is_own) AS is_own, sum(r.results) AS results
      FROM search_reports.ranking_results(of_account, of_property, of_engine, of_country, of_device, rank, first_places, is_by_volume, weeks[1], weeks[cardinality(weeks)], top) AS r
     WHERE top <> '{}'
     GROUP BY r.week, r.site
  )
  SELECT w.week, l.site, coalesce(o.is_own, false), coalesce(r.results, 0), l.number
    FROM unnest(weeks) AS w (week) CROSS JOIN unnest(top) WITH ORDINALITY AS l (site, number)
    LEFT JOIN found r ON r.week = w.week AND r.site IS NOT DISTINCT FROM l.site
    LEFT JOIN found o ON o.week = newest AND o.site IS NOT DISTINCT FROM l.site;
END
$$;
COMMENT ON FUNCTION search_reports.leading_sites IS 'The sites with the most results in the newest of some weeks, in their order (number), and their results in each week as search_reports.ranking_results counts them; 0 also in weeks without figures.';

CREATE OR REPLACE FUNCTION search_reports.ranking_groups_of(
  of_account bigint, of_property bigint, of_engine text, of_country text, of_device text, rank text, from_week date
) RETURNS TABLE (week date, keyword_group text, searches bigint, volume numeric, found bigint, found_volume numeric, volume_squared numeric, found_squared numeric)
LANGUAGE plpgsql STABLE ROWS 1000 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT g.week, g.keyword_group, sum(g.searches)::bigint, sum(g.volume), sum(CASE rank WHEN 'standard' THEN g.standard_3 ELSE g.true_3 END)::bigint,
         sum(CASE rank WHEN 'standard' THEN g.standard_3_volume ELSE g.true_3_volume END), sum(g.volume_squared),
         sum(CASE rank WHEN 'standard' THEN g.standard_3_squared ELSE g.true_3_squared END)
    FROM search_reports.ranking_groups g
   WHERE g.account_id = of_account AND g.week >= from_week
     AND (of_property IS NULL OR g.web_property_id = of_property) AND (of_engine IS NULL OR g.search_engine = of_engine)
     AND (of_country IS NULL OR g.country = of_country) AND (of_device IS NULL OR g.device = of_device)
   GROUP BY g.week, g.keyword_group;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_groups_of IS 'Tracked searches from a week on, as far as they are chosen, by keyword group, and those with an own result within the first three places (found); volumes squared as search_reports.rate_interval takes them.';

-- Pairs of weeks --------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.week_compared(week date, compare text) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE compare WHEN 'month' THEN week - 28 WHEN 'year' THEN week - 364 ELSE coalesce(search_reports.week_of(nullif(compare, 'week')::date), week - 7) END;
COMMENT ON FUNCTION search_reports.week_compared IS 'The week that another is compared with: the one before it (week, NULL), four weeks before (month), 52 weeks before (year), or that of a date.';

CREATE OR REPLACE FUNCTION search_reports.newest_pair(of_datasets text[], of_account bigint, choices jsonb, span text DEFAULT NULL, compare text DEFAULT NULL)
RETURNS TABLE (week date, before date, asked jsonb, reason text, refusal text, notice text)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  until date := (SELECT s.until FROM search_reports.span_of(span, NULL) AS s);
  last  date := coalesce(until, (SELECT max(w.week) FROM search_reports.weeks w WHERE w.dataset = of_datasets[1] AND w.account_id = of_account));
  since date := least(last - 7 * CASE compare WHEN 'year' THEN 105 ELSE 53 END, CASE WHEN compare LIKE '____-__-__' THEN compare::date - 6 END);
  name  text := CASE WHEN compare IN ('month', 'year') OR compare LIKE '____-__-__' THEN 'week of %s' ELSE 'week before it' END;
BEGIN
  RETURN QUERY
  WITH frame AS MATERIALIZED (
    SELECT *, asked ->> 'unasked' AS unasked
      FROM search_reports.frame(of_datasets, of_account, choices, format('%s..%s', since, until))
  ), newest AS (
    SELECT max(week) FILTER (WHERE gap IS NULL) AS week, string_agg(format('The week of %s has no figures: %s.', week, gap), ' ' ORDER BY week DESC)
             FILTER (WHERE gap IS NOT NULL AND is_last) AS no_figures
      FROM (SELECT *, week = max(week) OVER () AS is_last FROM frame) AS known
  ), compared AS (
    SELECT n.week, v.before, f.asked, CASE WHEN n.week IS NULL THEN coalesce(n.no_figures, 'No week is published.')
                        WHEN f.unasked IS NOT NULL THEN format('Week of %s: %s.', n.week, f.unasked) END AS reason,
           CASE WHEN n.week IS NULL OR f.unasked IS NOT NULL THEN NULL
                WHEN v.before >= n.week THEN format('The week of %s is not compared: the week of %s is not before it.', n.week, v.before)
                WHEN b.week IS NULL THEN format('The week of %s is not compared: the ' || name || ' is not loaded.', n.week, v.before)
                WHEN b.gap IS NOT NULL THEN format('The week of %s is not compared: the ' || name || ' has no figures, ', n.week, v.before) || b.gap || '.'
                WHEN b.unasked IS NOT NULL THEN format('The week of %s is not compared: of the ' || name || ', this was not asked for.', n.week, v.before)
                WHEN c.change IS NOT NULL THEN format('The week of %s is not compared: %s.', n.week, c.change) END AS refusal,
           concat_ws(' ', CASE WHEN f.note IS NOT NULL THEN format('Week of %s: %s.', n.week, f.note) END,
                     CASE WHEN b.note IS NOT NULL AND b.gap IS NULL THEN format('Week of %s: %s.', b.week, b.note) END,
                     CASE WHEN n.week IS NOT NULL THEN
                       (SELECT string_agg(format('The week of %s is left out: %s.', week, gap), ' ' ORDER BY week) FROM frame o WHERE o.week > n.week) END) AS remarks
      FROM newest n CROSS JOIN LATERAL (SELECT search_reports.week_compared(n.week, compare) AS before) AS v
      LEFT JOIN frame f ON f.week = n.week LEFT JOIN frame b ON b.week = v.before
      LEFT JOIN LATERAL search_reports.compared(f.asked -> 'asked', b.asked -> 'asked', '{}', false) AS c ON true
  )
  SELECT c.week, CASE WHEN c.refusal IS NULL AND c.reason IS NULL THEN c.before END, c.asked, c.reason, c.refusal,
         nullif(concat_ws(' ', CASE WHEN c.refusal IS NULL AND c.reason IS NULL THEN format('Week of %s, compared with the week of %s.', c.week, c.before)
                                    WHEN c.reason IS NULL THEN format('Week of %s.', c.week) END, nullif(c.remarks, '')), '')
    FROM compared c;
END
$$;
COMMENT ON FUNCTION search_reports.newest_pair IS 'The newest week of some datasets in a span that has figures of what is chosen, and the week that it is compared with (as of search_reports.week_compared) where both can be compared (before). reason says why there is no such week, refusal why it is not compared, notice names the weeks and what they lack; asked is that of search_reports.frame.';

CREATE OR REPLACE FUNCTION search_reports.ranking_pair(of_account bigint, of_property bigint, of_country text, of_device text, span text DEFAULT NULL, compare text DEFAULT NULL)
RETURNS TABLE (week date, before date, asked jsonb, reason text, refusal text, notice text)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT p.week, p.before, p.asked, coalesce(p.reason, upper(left(o.gap, 1)) || substr(o.gap, 2) || '.'), p.refusal,
         nullif(concat_ws(' ', p.notice, search_reports.types_notice(jsonb_build_array(p.asked))), '')
    FROM search_reports.newest_pair('{keyword_rankings}', of_account,
                                    jsonb_build_object('web_property', of_property, 'country', of_country, 'device', of_device), span, compare) AS p
   CROSS JOIN search_reports.own_sites(of_account, NULL) AS o;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_pair IS 'The weeks of search_reports.newest_pair for the board Rankings and what is chosen there; reason says, too, that no site is known to be ours.';

CREATE OR REPLACE FUNCTION search_reports.other_searches(of_account bigint, of_property bigint, of_country text, of_device text, week date, before date) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    WITH frame AS MATERIALIZED (
      SELECT f.week, f.asked ->> 'question' AS question
        FROM search_reports.ranking_frame(of_account, of_property, NULL, of_country, of_device, other_searches.before || '..' || other_searches.week, 10, false) AS f
    )
    SELECT format('Numbers of searches are not compared with those of the week of %s: %s, before %s.', e.week, n.question, e.question)
      FROM frame n JOIN frame e ON e.week = other_searches.before
     WHERE n.week = other_searches.week AND n.question <> e.question);
END
$$;
COMMENT ON FUNCTION search_reports.other_searches IS 'Why numbers of searches of two weeks that search_reports.ranking_pair compares do not compare: the weeks do not track the same searches, as search_reports.ranking_frame says. NULL where they do.';

-- AI search -------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.ai_frame(
  of_datasets text[], of_account bigint, of_property bigint, of_assistant text, of_country text, of_prompt_type text, span text
) RETURNS TABLE (week date, gap text, note text, asked jsonb)
LANGUAGE plpgsql STABLE ROWS 52 SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM search_reports.frame(of_datasets, of_account, jsonb_build_object('web_property', of_property, 'assistant', of_assistant, 'country', of_country,
                                                                                 'prompt_type', of_prompt_type, 'brand_attribution', 'you'), span);
END
$$;
COMMENT ON FUNCTION search_reports.ai_frame IS 'The weeks of search_reports.frame for the board AI visibility and what is chosen there; of brands, our own ones.';

CREATE OR REPLACE FUNCTION search_reports.ai_pair(
  of_datasets text[], of_account bigint, of_property bigint, of_assistant text, of_country text, of_prompt_type text, span text DEFAULT NULL, compare text DEFAULT NULL
) RETURNS TABLE (week date, before date, asked jsonb, reason text, refusal text, notice text)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM search_reports.newest_pair(of_datasets, of_account, jsonb_build_object('web_property', of_property, 'assistant', of_assistant, 'country', of_country,
                                                                                       'prompt_type', of_prompt_type, 'brand_attribution', 'you'), span, compare);
END
$$;
COMMENT ON FUNCTION search_reports.ai_pair IS 'The weeks of search_reports.newest_pair for the board AI visibility and what is chosen there; of brands, our own ones.';

-- A prompt whose kind is not known counts as unbranded.
CREATE OR REPLACE FUNCTION search_reports.answers_of(
  of_account bigint, of_property bigint, of_assistant text, of_country text, of_prompt_type text, from_week date
) RETURNS TABLE (week date, assistant text, topic text, answers bigint, naming bigint, answers_squared numeric, answers_by_naming numeric, naming_squared numeric)
LANGUAGE plpgsql STABLE ROWS 1000 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT a.week, nullif(a.assistant, ''), nullif(a.topic, ''), sum(a.answers), sum(a.naming_answers), sum(a.answers_squared), sum(a.answers_by_naming), sum(a.naming_squared)
    FROM search_reports.ai_answers a
   WHERE a.account_id = of_account AND a.week >= from_week
     AND (of_property IS NULL OR a.web_property_id = of_property) AND (of_assistant IS NULL OR a.assistant = of_assistant)
     AND (of_country IS NULL OR a.country = of_country) AND (of_prompt_type IS NULL OR coalesce(a.prompt_type, 'unbranded') = of_prompt_type)
   GROUP BY 1, 2, 3;
END
$$;
COMMENT ON FUNCTION search_reports.answers_of IS 'Answers from a week on, as far as they are chosen, by assistant and topic, and those that name a brand of ours (naming); and what search_reports.rate_interval takes beside them.';

CREATE OR REPLACE FUNCTION search_reports.citations_of(
  of_account bigint, of_property bigint, of_assistant text, of_country text, of_prompt_type text, from_week date
) RETURNS TABLE (week date, attribution text, citations bigint, citations_by_all numeric, citations_squared numeric)
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT c.week, nullif(c.attribution, ''), sum(c.citations), sum(c.citations_by_all), sum(c.citations_squared)
    FROM search_reports.ai_citation_totals c
   WHERE c.account_id = of_account AND c.week >= from_week
     AND (of_property IS NULL OR c.web_property_id = of_property) AND (of_assistant IS NULL OR c.assistant = of_assistant)
     AND (of_country IS NULL OR c.country = of_country) AND (of_prompt_type IS NULL OR c.prompt_type = of_prompt_type)
   GROUP BY 1, 2;
END
$$;
COMMENT ON FUNCTION search_reports.citations_of IS 'Citations from a week on, as far as they are chosen, by attribution; and what search_reports.rate_interval takes beside them.';

CREATE OR REPLACE FUNCTION search_reports.cited_sites_of(
  of_account bigint, of_property bigint, of_assistant text, of_country text, of_prompt_type text, of_weeks date[]
) RETURNS TABLE (topic text, assistant text, site text, citations bigint, of_others bigint, of_competitors bigint)
LANGUAGE plpgsql STABLE ROWS 1000 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  pinned text[] := search_reports.competitor_patterns(of_account);
BEGIN
  RETURN QUERY
  SELECT nullif(c.topic, ''), nullif(c.assistant, ''), c.site, sum(c.citations), sum(c.citations) FILTER (WHERE coalesce(c.attribution, '') <> 'you'),
         sum(c.citations) FILTER (WHERE coalesce(c.attribution, '') <> 'you'
                                    AND CASE WHEN pinned = '{}' THEN c.attribution = 'seo competitor' ELSE '.' || lower(c.site COLLATE "C") LIKE ANY (pinned) END)
    FROM search_reports.ai_citation_sites c
   WHERE c.account_id = of_account AND c.week = ANY (of_weeks)
     AND (of_property IS NULL OR c.web_property_id = of_property) AND (of_assistant IS NULL OR c.assistant = of_assistant)
     AND (of_country IS NULL OR c.country = of_country) AND (of_prompt_type IS NULL OR c.prompt_type = of_prompt_type)
   GROUP BY 1, 2, 3;
END
$$;
COMMENT ON FUNCTION search_reports.cited_sites_of IS 'Citations of some weeks, as far as they are chosen, by topic, assistant and site; those not attributed to You (of_others), and of these those of competitors: sites that the jobs pin, else those attributed to SEO Competitor (of_competitors).';

CREATE OR REPLACE FUNCTION search_reports.leading_cited_sites(
  of_account bigint, of_property bigint, of_assistant text, of_country text, of_prompt_type text, weeks date[], newest date, most_sites integer
) RETURNS TABLE (week date, site text, is_ours boolean, citations bigint, citations_by_all numeric, citations_squared numeric, number bigint)
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  top text[] := ARRAY(
    SELECT c.site FROM search_reports.ai_citation_sites c
     WHERE c.account_id = of_account AND c.week = newest
       AND (of_property IS NULL OR c.web_property_id = of_property) AND (of_assistant IS NULL OR c.assistant = of_assistant)
       AND (of_country IS NULL OR c.country = of_country) AND (of_prompt_type IS NULL OR c.prompt_type = of_prompt_type)
     GROUP BY c.site ORDER BY sum(c.citations) DESC, c.site LIMIT most_sites);
  has_none boolean := array_position(top, NULL) IS NOT NULL;
BEGIN
  RETURN QUERY
  WITH found AS MATERIALIZED (
    SELECT c.week, c.site, bool_or(coalesce(c.attribution, '') = 'you') AS is_ours, sum(c.citations) AS citations,
           sum(c.citations_by_all) AS citations_by_all, sum(c.citations_squared) AS citations_squared
      FROM search_reports.ai_citation_sites c
     WHERE c.account_id = of_account AND c.week BETWEEN weeks[1] AND weeks[cardinality(weeks)] AND (c.site = ANY (top) OR has_none AND c.site IS NULL)
       AND (of_property IS NULL OR c.web_property_id = of_property) AND (of_assistant IS NULL OR c.assistant = of_assistant)
       AND (of_country IS NULL OR c.country = of_country) AND (of_prompt_type IS NULL OR c.prompt_type = of_prompt_type)
     GROUP BY c.week, c.site
  )
  SELECT w.week, l.site, o.is_ours, coalesce(f.citations, 0)::bigint, coalesce(f.citations_by_all, 0), coalesce(f.citations_squared, 0), l.number
    FROM unnest(weeks) AS w (week) CROSS JOIN unnest(top) WITH ORDINALITY AS l (site, number)
    LEFT JOIN found f ON f.week = w.week AND f.site IS NOT DISTINCT FROM l.site
    LEFT JOIN found o ON o.week = newest AND o.site IS NOT DISTINCT FROM l.site;
END
$$;
COMMENT ON FUNCTION search_reports.leading_cited_sites IS 'The sites with the most citations in the newest of some weeks, in their order (number), whether they are ours there (is_ours), and their citations in each week, with what search_reports.rate_interval takes beside them; 0 also in weeks without figures.';

CREATE OR REPLACE FUNCTION search_reports.cited_pages_of(
  of_account bigint, of_property bigint, of_assistant text, of_country text, of_prompt_type text, newest date, week_before date
) RETURNS TABLE (url text, site text, attribution text, is_ours boolean, assistants bigint, citations bigint, before bigint)
LANGUAGE plpgsql STABLE ROWS 1000 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT nullif(p.url, ''), max(p.site), max(p.attribution), coalesce(p.attribution, '') = 'you', count(DISTINCT p.assistant) FILTER (WHERE p.week = newest),
         sum(p.citations) FILTER (WHERE p.week = newest), CASE WHEN week_before IS NOT NULL THEN coalesce(sum(p.citations) FILTER (WHERE p.week = week_before), 0) END
    FROM search_reports.ai_cited_pages p
   WHERE p.account_id = of_account AND p.week IN (newest, week_before)
     AND (of_property IS NULL OR p.web_property_id = of_property) AND (of_assistant IS NULL OR p.assistant = of_assistant)
     AND (of_country IS NULL OR p.country = of_country) AND (of_prompt_type IS NULL OR p.prompt_type = of_prompt_type)
   GROUP BY 1, 4
  HAVING sum(p.citations) FILTER (WHERE p.week = newest) > 0;
END
$$;
COMMENT ON FUNCTION search_reports.cited_pages_of IS 'Pages cited in a week, as far as they are chosen, ours and others apart, and how often in the week before; NULL where that is not compared.';

CREATE OR REPLACE FUNCTION search_reports.sentiments_of(
  of_account bigint, of_property bigint, of_assistant text, of_country text, of_prompt_type text, from_week date
) RETURNS TABLE (
  week date, brand text, positive bigint, neutral bigint, negative bigint, mentions bigint,
  mentions_squared numeric, mentions_by_halves numeric, halves_squared numeric, points numeric
)
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
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
     AND (of_property IS NULL OR s.web_property_id = of_property) AND (of_assistant IS NULL OR s.assistant = of_assistant)
     AND (of_country IS NULL OR s.country = of_country) AND (of_prompt_type IS NULL OR s.prompt_type = of_prompt_type)
   GROUP BY 1, 2, 3) AS t
   GROUP BY t.week, t.brand;
END
$$;
COMMENT ON FUNCTION search_reports.sentiments_of IS 'Mentions of brands from a week on, as far as they are chosen, by sentiment; what search_reports.rate_interval takes beside them; and points, the mean of prompts, then topics, by 10, 5 and 1 for positive, neutral and negative.';

CREATE OR REPLACE FUNCTION search_reports.fan_out_of(
  of_account bigint, of_property bigint, of_assistant text, of_country text, of_prompt_type text, of_weeks date[]
) RETURNS TABLE (query text, times bigint, amount_of_searches numeric, assistants text)
LANGUAGE plpgsql STABLE ROWS 1000 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT nullif(f.query, ''), sum(f.row_count), sum(f.amount_of_searches), string_agg(DISTINCT f.assistant, ', ' ORDER BY f.assistant)
    FROM search_reports.ai_fan_out f
   WHERE f.account_id = of_account AND f.week = ANY (of_weeks)
     AND (of_property IS NULL OR f.web_property_id = of_property) AND (of_assistant IS NULL OR f.assistant = of_assistant)
     AND (of_country IS NULL OR f.country = of_country) AND (of_prompt_type IS NULL OR f.prompt_type = of_prompt_type)
   GROUP BY 1;
END
$$;
COMMENT ON FUNCTION search_reports.fan_out_of IS 'What assistants searched for in some weeks together, as far as it is chosen.';

CREATE OR REPLACE FUNCTION search_reports.own_pages_of(of_account bigint, of_property bigint, of_country text, of_week date)
RETURNS TABLE (url text, searches bigint, best_place integer)
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT nullif(p.url, ''), sum(p.searches), min(p.best_standard)
    FROM search_reports.ranking_pages p
   WHERE p.account_id = of_account AND p.week = of_week
     AND (of_property IS NULL OR p.web_property_id = of_property) AND (of_country IS NULL OR p.country = of_country)
   GROUP BY 1;
END
$$;
COMMENT ON FUNCTION search_reports.own_pages_of IS 'Own pages that rank in a week, for how many searches, and their best place by standard rank.';

CREATE OR REPLACE FUNCTION search_reports.own_brands(of_account bigint, of_week date) RETURNS text[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT lower(b.brand_or_product_name) FROM search.ai_search_brands b
                WHERE b.account_id = of_account AND b.time_period_start BETWEEN of_week AND of_week + 6 AND lower(b.brand_or_product_attribution) = 'you' ORDER BY 1);
END
$$;
COMMENT ON FUNCTION search_reports.own_brands IS 'Brands and products attributed to You in a week, in lower case.';

-- Criticism is read from the tables: summaries have no sentences.
CREATE OR REPLACE FUNCTION search_reports.criticism_of(
  of_account bigint, of_property bigint, of_assistant text, of_country text, of_prompt_type text, newest date
) RETURNS TABLE (place bigint, brand text, snippet text, sentiment_score double precision, category text, assistant text, topic text, prompt text, source text)
LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
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
     AND (of_property IS NULL OR s.web_property_id = of_property) AND (of_assistant IS NULL OR search_reports.spelled('engine', s.ai_search_engine, aliases) = of_assistant)
     AND (of_country IS NULL OR search_reports.country_of(search_reports.spelled('locode', s.locode, aliases)) = of_country) AND (of_prompt_type IS NULL OR lower(s.prompt_type) = of_prompt_type)
   ORDER BY 1;
END
$$;
COMMENT ON FUNCTION search_reports.criticism_of IS 'Negative sentences about our brands (all brands, where none is attributed to You) in a week, the worst first.';

-- Which question a week answers: what its loads asked the service for. A figure is zero only if it was asked for, and weeks are compared only if
-- they answer the same question. A question is the submit body without account and period; several jobs may ask for one week.

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
COMMENT ON FUNCTION search_reports.question_of IS 'What a submit body without account and period asks for: sorted lists, with engines, places, languages and devices in one spelling (by aliases and join_key), and without fields that ask for nothing in particular.';

CREATE OR REPLACE FUNCTION search_reports.choice_fields() RETURNS TABLE (name text, field text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 21
BEGIN ATOMIC
  VALUES ('web_property', 'web_property_ids'), ('country', 'countries'), ('country', 'locodes'), ('device', 'devices'), ('assistant', 'ai_search_engines'),
         ('prompt_type', 'prompt_type'), ('prompt', 'prompts'), ('persona', 'personas'), ('intent', 'intents'), ('prompt_group', 'prompts_groups'),
         ('topic', 'topics'), ('group', 'keyword_group_names'), ('site', 'domains'), ('site', 'root_domains'), ('site', 'citation_urls'),
         ('page', 'domains'), ('page', 'root_domains'), ('page', 'citation_urls'),
         ('attribution', 'citation_attributions'), ('brand_attribution', 'brand_or_product_attributions'), ('brand', 'sentiment_brands');
END;
COMMENT ON FUNCTION search_reports.choice_fields IS 'What a line or a choice can be about, and the fields of a question that ask for it.';

CREATE OR REPLACE FUNCTION search_reports.is_related(site text, domains text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM unnest(domains) AS d
                WHERE right('.' || lower(site), length(d) + 1) = '.' || d OR right(d, length(site) + 1) = '.' || lower(site));
COMMENT ON FUNCTION search_reports.is_related IS 'Whether a site is one of some domains, or lies above or below one of them.';

CREATE OR REPLACE FUNCTION search_reports.is_within(site text, item text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  host text := search_reports.host_of(search_reports.bare_url(item));
BEGIN
  RETURN right('.' || site, length(host) + 1) = '.' || host;
END
$$;
COMMENT ON FUNCTION search_reports.is_within IS 'Whether a site (in lower case) is the one that an item of a site filter names, or lies below it.';

CREATE OR REPLACE FUNCTION search_reports.listed(chosen jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE coalesce(jsonb_typeof(chosen), 'null') WHEN 'null' THEN NULL WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(chosen)) ELSE ARRAY[chosen #>> '{}'] END;
COMMENT ON FUNCTION search_reports.listed IS 'The values of a choice, which is one value or an array; NULL if nothing is chosen.';

CREATE OR REPLACE FUNCTION search_reports.narrowed(question jsonb, choices jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  left_over jsonb := question;
  choice    record;
  items     text[];
  found     text[];
  is_whole  boolean;
BEGIN
  FOR choice IN
    SELECT field, CASE WHEN name = 'site' THEN string_to_array(lower(array_to_string(value, ',')), ',') WHEN name = 'page' THEN ARRAY[lower(value[1])]
                       ELSE ARRAY(SELECT search_reports.join_key(each) FROM unnest(value) AS each) END AS wanted,
           name = 'site' AS is_host, name = 'page' AS is_page, field = 'locodes' AS is_place
      FROM jsonb_each(choices) AS chosen (name, given)
      JOIN search_reports.choice_fields() USING (name)
     CROSS JOIN LATERAL search_reports.listed(given) AS value
     WHERE value IS NOT NULL AND question ? field
  LOOP
    items := search_reports.listed(question -> choice.field);
    found := ARRAY(
      SELECT item FROM unnest(items) AS item
       WHERE CASE WHEN choice.is_place THEN search_reports.join_key(search_reports.country_of(item)) = ANY (choice.wanted)
                  WHEN choice.is_page AND choice.field = 'citation_urls' THEN lower(search_reports.bare_url(item)) = search_reports.bare_url(choice.wanted[1])
                  WHEN choice.is_page THEN search_reports.is_within(search_reports.host_of(search_reports.bare_url(choice.wanted[1])), item)
                  WHEN choice.is_host THEN search_reports.is_related(search_reports.host_of(search_reports.bare_url(item)), choice.wanted)
                  ELSE search_reports.join_key(item) = ANY (choice.wanted) END);
    IF found = '{}' THEN
      RETURN NULL;
    END IF;
    -- A filter that asks only for a part of the choice stays in the question, with the items that are about the choice.
    is_whole := CASE WHEN choice.is_page THEN true
                     WHEN choice.is_host AND choice.field = 'citation_urls' THEN false
                     WHEN choice.is_host THEN NOT EXISTS (SELECT FROM unnest(choice.wanted) AS site
                                                           WHERE NOT EXISTS (SELECT FROM unnest(found) AS item WHERE search_reports.is_within(site, item)))
                     ELSE choice.wanted <@ ARRAY(SELECT search_reports.join_key(item) FROM unnest(found) AS item) END;
    left_over := CASE WHEN is_whole THEN left_over - choice.field ELSE jsonb_set(left_over, ARRAY[choice.field], to_jsonb(found)) END;
  END LOOP;
  RETURN left_over;
END
$$;
COMMENT ON FUNCTION search_reports.narrowed IS 'The part of a question that is about the choices (web_property, country, device, assistant, prompt_type, prompt, persona, intent, prompt_group, topic, group, site, page, attribution, brand_attribution, brand; a value, or an array of them); NULL if it does not ask for any of them.';

CREATE OR REPLACE FUNCTION search_reports.all_narrowed(questions jsonb, choices jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT jsonb_agg(DISTINCT n) FROM jsonb_array_elements(questions) AS q CROSS JOIN LATERAL search_reports.narrowed(q, choices) AS n WHERE n IS NOT NULL);
COMMENT ON FUNCTION search_reports.all_narrowed IS 'Those of some questions that ask for the choices, in the form of search_reports.narrowed; NULL if none does.';

CREATE OR REPLACE FUNCTION search_reports.unasked_choices(questions jsonb, choices jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT 'not asked for: ' || string_agg(value, ', ' ORDER BY value)
          FROM jsonb_each(choices) AS chosen (name, given) CROSS JOIN LATERAL unnest(search_reports.listed(given)) AS value
         WHERE cardinality(search_reports.listed(given)) > 1
           AND search_reports.all_narrowed(questions, jsonb_build_object(name, value)) IS NULL);
COMMENT ON FUNCTION search_reports.unasked_choices IS 'Those of several chosen values that no question asks for, in words; NULL if all are asked for.';

CREATE OR REPLACE FUNCTION search_reports.described(questions jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(coalesce(fields, 'everything'), ' + ' ORDER BY place)
          FROM jsonb_array_elements(questions) WITH ORDINALITY AS each (question, place)
         CROSS JOIN LATERAL (
               SELECT string_agg(field || ': ' || CASE WHEN length(text) > 100 THEN left(text, 80) || '… (' || left(md5(text), 6) || ')' ELSE text END, '; ' ORDER BY field) AS fields
                 FROM jsonb_each(question) AS of (field, asked)
                CROSS JOIN LATERAL (SELECT CASE jsonb_typeof(asked) WHEN 'array' THEN (SELECT string_agg(item, ', ') FROM jsonb_array_elements_text(asked) AS item)
                                                                    ELSE asked #>> '{}' END AS text) AS written) AS named);
COMMENT ON FUNCTION search_reports.described IS 'Questions in words: the filters of each, or everything without filters.';

-- A country includes its regions and cities, as the service documents: US includes US-NYC. Whether its rows do is checked when they are joined
-- (search_reports.joined_brands).
CREATE OR REPLACE FUNCTION search_reports.covers(field text, wide jsonb, narrow jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN NOT EXISTS (SELECT FROM jsonb_path_query(narrow, 'lax $[*]') AS n (item)
                    WHERE NOT EXISTS (SELECT FROM jsonb_path_query(wide, 'lax $[*]') AS w (item)
                                       WHERE w.item = n.item OR field = 'locodes' AND starts_with(n.item #>> '{}', (w.item #>> '{}') || '-')));
COMMENT ON FUNCTION search_reports.covers IS 'Whether one filter of a question asks for everything that another one does: each of its items, or the place that contains it, as US contains US-NYC.';

-- Only fields that answers of different datasets have in common.
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
COMMENT ON FUNCTION search_reports.uncovered IS 'The filters by which some questions ask for less than others do; NULL if they ask for everything.';

CREATE OR REPLACE FUNCTION search_reports.unasked_values(week jsonb, of_field text, wanted text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT 'not asked for: ' || string_agg(each, ', ')
          FROM unnest(wanted) AS each
         WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(week #> '{asked,0,questions}') AS q
                            WHERE NOT q ? of_field OR EXISTS (SELECT FROM jsonb_array_elements_text(q -> of_field) AS item WHERE lower(item) = each)));
COMMENT ON FUNCTION search_reports.unasked_values IS 'Those of some values of a list filter that no question of a week (column asked of search_reports.frame) asks for, in words; NULL if all are asked for.';

CREATE OR REPLACE FUNCTION search_reports.filtered_by(week jsonb, fields text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(DISTINCT field, ', ')
          FROM jsonb_array_elements(week #> '{asked,0,questions}') AS q CROSS JOIN unnest(fields) AS field
         WHERE q ? field);
COMMENT ON FUNCTION search_reports.filtered_by IS 'Those of some filters that a question of a week (column asked of search_reports.frame) has, separated by commas; NULL if none has any.';

CREATE OR REPLACE FUNCTION search_reports.citations_in_part(week jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'citations were asked for in part only: ' || search_reports.filtered_by(week, '{citation_attributions,root_domains,domains,citation_urls}');
COMMENT ON FUNCTION search_reports.citations_in_part IS 'Why a week (column asked of search_reports.frame) does not have all citations, so that no share of all is known; NULL if it does.';

CREATE OR REPLACE FUNCTION search_reports.rows_named(dataset text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE dataset WHEN 'ai_search_response' THEN 'answers' ELSE replace(replace(dataset, 'ai_search_', ''), '_', ' ') END;
COMMENT ON FUNCTION search_reports.rows_named IS 'The word for the rows of a dataset.';

CREATE OR REPLACE FUNCTION search_reports.named_rows(rows_of jsonb, assistant text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(concat_ws(' ', CASE WHEN assistant IS NULL THEN coalesce(nullif(of.name, ''), '(unknown)') END,
                                    (SELECT '(' || string_agg(coalesce(nullif(country, ''), '(unknown)'), ', ') || ')' FROM jsonb_array_elements_text(of.countries) AS country)), ', ' ORDER BY of.name)
          FROM jsonb_each(rows_of) AS of (name, countries) WHERE assistant IS NULL OR of.name = coalesce(nullif(assistant, '(unknown)'), ''));
COMMENT ON FUNCTION search_reports.named_rows IS 'The assistants and their countries that a week has rows of (rows_of of search_reports.frame), or the countries of one assistant, in words.';

CREATE OR REPLACE FUNCTION search_reports.compared(asked jsonb, before jsonb, choices jsonb, is_found boolean, OUT unasked text, OUT change text, OUT question text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  part  record;
  whole jsonb;
  words text[] := '{}';
BEGIN
  FOR part IN
    SELECT search_reports.all_narrowed(a.value -> 'questions', choices) AS now, search_reports.all_narrowed(b.value -> 'questions', choices) AS before, ordinality AS place,
           a.value -> 'tracked' ->> l.name AS tracked, b.value -> 'tracked' ->> l.name AS tracked_before, a.value -> 'met' ->> l.name AS met, b.value -> 'met' ->> l.name AS met_before, a.value ->> 'volumes' AS volumes, b.value ->> 'volumes' AS volumes_before, a.value ->> 'volume' AS volume, b.value ->> 'volume' AS volume_before, a.value ->> 'dataset' AS dataset, a.value ->> 'kinds' AS kinds, b.value ->> 'kinds' AS kinds_before,
           search_reports.named_rows(a.value -> 'rows_of', choices ->> 'assistant') AS rows_of, search_reports.named_rows(b.value -> 'rows_of', choices ->> 'assistant') AS rows_of_before, replace(replace(a.value ->> 'dataset', 'ai_search_', ''), '_', ' ') AS name,
           CASE a.value ->> 'dataset' WHEN 'keyword_rankings' THEN 'searches' ELSE 'prompts' END AS things
      FROM jsonb_array_elements(asked) WITH ORDINALITY AS a LEFT JOIN jsonb_array_elements(before) WITH ORDINALITY AS b USING (ordinality)
     CROSS JOIN (SELECT CASE WHEN choices ? 'assistant' THEN coalesce(nullif(choices ->> 'assistant', '(unknown)'), '') ELSE '*' END AS name) AS l
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
    IF part.volumes <> part.volumes_before THEN
      change := concat_ws('; ', change, format('not comparable with the weeks before: search volumes known of %s %% of the searches, before %s %%', part.volumes, part.volumes_before));
    END IF;
    IF part.volume <> part.volume_before THEN
      change := concat_ws('; ', change, format('not comparable with the weeks before: the search volume is %s on average, before %s', part.volume, part.volume_before));
    END IF;
    IF part.rows_of <> part.rows_of_before THEN
      change := concat_ws('; ', change, format('not comparable with the weeks before: there are %s of %s, before of %s', search_reports.rows_named(part.dataset), part.rows_of, part.rows_of_before));
    END IF;
    IF part.met <> part.met_before THEN
      change := concat_ws('; ', change, format('not comparable with the weeks before: %s %% of the rows of own brands found an answer, before %s %%', part.met, part.met_before));
    END IF;
    IF part.kinds <> part.kinds_before THEN
      change := concat_ws('; ', change, format('not comparable with the weeks before: which prompts are branded is known from %s, before from %s', part.kinds, part.kinds_before));
    END IF;
    words := words || nullif(concat_ws(', ', search_reports.described(part.now), 'branded by ' || part.kinds, search_reports.rows_named(part.dataset) || ' of ' || part.rows_of, regexp_replace(part.tracked, '^\S+', '\& ' || part.things), part.met || ' % of own brands found', 'volumes of ' || nullif(part.volumes, '100') || ' %', part.volume || ' searched on average'), '');
  END LOOP;
  IF unasked IS NOT NULL THEN
    change := NULL;
  ELSE
    question := array_to_string(words, ' | ');
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.compared IS 'The answer of search_reports.line for a week and the week before it, given the questions of both by dataset.';

CREATE OR REPLACE FUNCTION search_reports.with_line(asked jsonb, before jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT jsonb_build_object('asked', asked, 'before', before, 'unasked', l.unasked, 'change', l.change, 'question', l.question,
                                  'names', (SELECT coalesce(jsonb_agg(DISTINCT name), '[]')
                                              FROM jsonb_path_query(jsonb_build_array(asked, before), 'lax $[*][*].questions[*].keyvalue().key') AS key
                                              JOIN search_reports.choice_fields() AS f ON f.field = key #>> '{}')
                                           || CASE WHEN jsonb_path_exists(jsonb_build_array(asked, before), '$[*][*] ? (exists (@.rows_of) || exists (@.tracked) || exists (@.met))') THEN '["assistant"]'::jsonb ELSE '[]' END)
          FROM search_reports.compared(asked, before, '{}', false) AS l);
COMMENT ON FUNCTION search_reports.with_line IS 'A week of search_reports.frame in the form of search_reports.line.';

-- The usual case: nothing that was asked for distinguishes lines.
CREATE OR REPLACE FUNCTION search_reports.line(week jsonb, choices jsonb, is_found boolean, OUT unasked text, OUT change text, OUT question text, OUT lost text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  assistant text := CASE WHEN choices ? 'assistant' THEN coalesce(nullif(choices ->> 'assistant', '(unknown)'), '') ELSE '*' END;
BEGIN
  IF week -> 'names' = '[]' OR NOT EXISTS (SELECT FROM jsonb_object_keys(choices) AS name WHERE week -> 'names' ? name) THEN
    unasked := CASE WHEN NOT coalesce(is_found, false) OR week ->> 'unasked' <> 'not asked for' THEN week ->> 'unasked' END;
    change := week ->> 'change';
    question := week ->> 'question';
  ELSE
    SELECT c.* INTO unasked, change, question FROM search_reports.compared(week -> 'asked', nullif(week -> 'before', 'null'), choices, coalesce(is_found, false)) AS c;
  END IF;
  -- Rows of own brands that found no answer may belong to this line, so it is not 0.
  lost := coalesce(week #>> ARRAY['asked', '0', 'lost', assistant], week #>> '{asked,0,lost,*}');
  IF unasked IS NULL AND NOT coalesce(is_found, false) AND lost IS NOT NULL THEN
    unasked := lost;
    change := NULL;
    question := NULL;
  END IF;
  -- An assistant without rows in the week has no figure: it is not 0.
  IF unasked IS NULL AND NOT coalesce(is_found, false) AND assistant <> '*' AND week ? 'rows_of' AND NOT week -> 'rows_of' ? assistant THEN
    unasked := 'no ' || search_reports.rows_named(week #>> '{asked,0,dataset}');
    change := NULL;
    question := NULL;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.line IS 'What a point of a line answers, given the column asked of search_reports.frame and what the line is about (see search_reports.narrowed). unasked says that it was not asked for, that its assistant has no rows, or, unless rows of the line were found, that rows of own brands found no answer. change says that the point answers another question than the one before. question is the question in words, equal for equal questions. lost is what its figure lacks, such as rows of own brands that found no answer.';

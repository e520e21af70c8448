-- The weeks of a panel: gaps with their reasons, remarks, what each week was asked for, and which two weeks are compared.

CREATE OR REPLACE FUNCTION search_reports.tracked_prompts(of_account bigint, choices jsonb, from_week date)
RETURNS TABLE (week date, assistant text, country text, web_property text, topic text, prompts bigint, digest numeric)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT a.week, coalesce(a.assistant, ''), coalesce(a.country, ''), coalesce(a.web_property_id::text, ''), nullif(a.topic, ''), sum(a.prompts), sum(a.digest)
    FROM search_reports.ai_answers a
   WHERE a.account_id = of_account AND a.week >= from_week
     AND search_reports.is_chosen(a.web_property_id::text, search_reports.listed(choices -> 'web_property'))
     AND search_reports.is_chosen(a.assistant, search_reports.listed(choices -> 'assistant')) AND search_reports.is_chosen(a.country, search_reports.listed(choices -> 'country'))
     AND search_reports.is_chosen(a.topic, search_reports.listed(choices -> 'topic'))
     AND search_reports.is_chosen(coalesce(a.prompt_type, 'unbranded'), search_reports.listed(choices -> 'prompt_type'))
   GROUP BY 1, 2, 3, 4, 5;
END
$$;
COMMENT ON FUNCTION search_reports.tracked_prompts IS 'How many prompts have answers in each week from one on, for rows that match the choices, and which (digest), by assistant, country, web property and topic.';

-- A prompt for several assistants or countries is tracked once: the number is that of the assistant and country with the most prompts.
CREATE OR REPLACE FUNCTION search_reports.prompt_runs(of_account bigint, choices jsonb, of_weeks date[]) RETURNS TABLE (week date, tracked jsonb)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  -- If answers were asked for differently, their number does not show how many prompts are tracked.
  asked_for jsonb := (SELECT jsonb_object_agg(r.week, r.requests)
                        FROM (SELECT week, string_agg(DISTINCT request::text, ' ' ORDER BY request::text) AS requests FROM search_reports.requests
                               WHERE of_weeks <> '{}' AND dataset = 'ai_search_response' AND account_id = of_account AND week = ANY (of_weeks) GROUP BY week) AS r);
BEGIN
  IF of_weeks = '{}' THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH places AS (
    SELECT t.week, t.assistant, concat_ws(' ', t.assistant, t.country) AS place, jsonb_object_agg(t.web_property, t.prompts) || jsonb_build_object('digest', sum(t.digest)) AS parts, sum(t.prompts) AS prompts
      FROM (SELECT week, assistant, country, web_property, sum(prompts) AS prompts, sum(digest) AS digest
              FROM search_reports.tracked_prompts(of_account, choices, (SELECT min(w) FROM unnest(of_weeks) AS w)) WHERE week = ANY (of_weeks) GROUP BY 1, 2, 3, 4) AS t
     GROUP BY 1, 2, 3
  ), lines AS (
    SELECT line, week, max(prompts) AS prompts, jsonb_object_agg(place, parts) AS parts
      FROM places CROSS JOIN LATERAL (VALUES ('*'), (assistant)) AS l (line)
     GROUP BY 1, 2
  ), runs AS (
    SELECT line, array_agg(week ORDER BY week) AS weeks,
           search_reports.tracked_runs(array_agg(week ORDER BY week), array_agg(prompts ORDER BY week), array_agg(parts ORDER BY week),
                                       array_agg(asked_for ->> week::text ORDER BY week)) AS labels
      FROM lines GROUP BY line
  )
  SELECT u.week, jsonb_object_agg(r.line, u.label)
    FROM runs r CROSS JOIN LATERAL unnest(r.weeks, r.labels) AS u (week, label)
   WHERE EXISTS (SELECT FROM unnest(r.labels) AS label WHERE label <> r.labels[1])
   GROUP BY u.week;
END
$$;
COMMENT ON FUNCTION search_reports.prompt_runs IS 'For some weeks, the runs of search_reports.tracked_runs of prompts with answers that match the choices: of all together (*) and of each assistant, if there is more than one run.';

-- An answer of unknown kind counts as unbranded.
CREATE OR REPLACE FUNCTION search_reports.unknown_kinds(of_dataset text, of_account bigint, of_weeks date[]) RETURNS TABLE (week date, gap text)
LANGUAGE plpgsql STABLE ROWS 4 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  summary text;
  amount  text;
BEGIN
  SELECT s.summary, s.amount INTO summary, amount
    FROM (VALUES ('ai_search_response', 'ai_answers', 'answers'), ('ai_search_citations', 'ai_citation_totals', 'citations'),
                 ('ai_search_sentiments', 'ai_sentiments', 'positive + neutral + negative + other'), ('ai_search_fan_out', 'ai_fan_out', 'row_count')) AS s (dataset, summary, amount)
   WHERE s.dataset = of_dataset;
  IF summary IS NOT NULL AND of_weeks <> '{}' THEN
    RETURN QUERY EXECUTE format($query$
      SELECT k.week, format('which prompts are branded is not known: %%s of %%s %%s have prompt_type %%s', sum(k.amount) FILTER (WHERE k.is_unknown), sum(k.amount),
                            search_reports.rows_named($1), string_agg(DISTINCT coalesce(nullif(k.prompt_type, ''), '(none)'), ', ') FILTER (WHERE k.is_unknown))
        FROM (SELECT t.week, t.prompt_type, sum(%s) AS amount, coalesce(t.prompt_type NOT IN ('branded', 'unbranded'), $1 <> 'ai_search_response') AS is_unknown
                FROM search_reports.%I t WHERE t.account_id = $2 AND t.week = ANY ($3) GROUP BY 1, 2) AS k
       GROUP BY k.week
      HAVING 10 * sum(k.amount) FILTER (WHERE k.is_unknown) > sum(k.amount)$query$, amount, summary)
    USING of_dataset, of_account, of_weeks;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.unknown_kinds IS 'Weeks in which more than a tenth of the rows of a dataset belong neither to branded nor to unbranded prompts, and which kinds they have. Figures of either kind would lack these rows.';

-- search_reports.joined_brands reports brands of engines that no answer has.
CREATE OR REPLACE FUNCTION search_reports.met_runs(of_account bigint, choices jsonb, of_weeks date[]) RETURNS TABLE (week date, met jsonb, lost jsonb)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  IF of_weeks = '{}' THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH answered AS (
    SELECT s.week, search_reports.join_key(s.spelling) AS key, max(s.spelling) AS assistant
      FROM search_reports.ai_spellings s
     WHERE s.account_id = of_account AND s.week = ANY (of_weeks) AND s.kind = 'engine' AND s.dataset = 'ai_search_response'
     GROUP BY 1, 2
  ), engines AS (
    SELECT s.week, a.assistant, s.row_count::numeric AS brands, s.met_rows::numeric AS met
      FROM search_reports.ai_spellings s
     CROSS JOIN LATERAL (SELECT s.spelling::jsonb AS place WHERE s.kind = 'place') AS p
      JOIN answered a ON a.week = s.week AND a.key IS NOT DISTINCT FROM search_reports.join_key(p.place ->> 1)
     WHERE s.account_id = of_account AND s.week = ANY (of_weeks) AND s.kind = 'place'
       AND search_reports.is_assistant_chosen((p.place ->> 0)::bigint, a.assistant, p.place ->> 2, search_reports.listed(choices -> 'web_property'),
                                              search_reports.listed(choices -> 'assistant'), search_reports.listed(choices -> 'country'))
  ), lines AS (
    SELECT line, week, sum(brands) AS brands, sum(met) AS met
      FROM engines CROSS JOIN LATERAL (VALUES ('*'), (coalesce(assistant, ''))) AS l (line)
     GROUP BY 1, 2
    HAVING sum(brands) > 0
  ), runs AS (
    SELECT line, array_agg(week ORDER BY week) AS weeks, search_reports.anchored(array_agg(met / brands ORDER BY week)) AS shares FROM lines GROUP BY line
  ), labels AS (
    SELECT u.week, jsonb_object_agg(r.line, round(100 * u.share)) FILTER (WHERE r.is_moving) AS met
      FROM (SELECT *, EXISTS (SELECT FROM unnest(shares) AS share WHERE share <> shares[1]) AS is_moving FROM runs) AS r
     CROSS JOIN LATERAL unnest(r.weeks, r.shares) AS u (week, share)
     GROUP BY u.week
  )
  SELECT b.week, b.met, l.lost
    FROM labels b
    LEFT JOIN (SELECT week, jsonb_object_agg(line, format('only %s of %s rows of own brands found an answer, the others count for nothing', met, brands)) AS lost
                 FROM lines WHERE met < 0.9 * brands GROUP BY week) AS l ON l.week = b.week;
END
$$;
COMMENT ON FUNCTION search_reports.met_runs IS 'The share of rows of own brands that found an answer, in percent: the runs of search_reports.anchored for everything that is chosen (*) and for each assistant, if there is more than one run. lost says for which of them it is below nine tenths.';

CREATE OR REPLACE FUNCTION search_reports.rows_by_assistant(of_dataset text, of_account bigint, choices jsonb, from_week date) RETURNS TABLE (week date, rows_of jsonb)
LANGUAGE plpgsql STABLE ROWS 52 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  summary text := CASE of_dataset WHEN 'ai_search_response' THEN 'ai_answers' WHEN 'ai_search_citations' THEN 'ai_citation_totals' WHEN 'ai_search_sentiments' THEN 'ai_sentiments' END;
BEGIN
  IF summary IS NOT NULL THEN
    -- Planned each time for these weeks and choices.
    RETURN QUERY EXECUTE format($query$
      SELECT a.week, jsonb_object_agg(a.assistant, a.countries)
        FROM (SELECT t.week, coalesce(t.assistant, '') AS assistant, jsonb_agg(DISTINCT coalesce(t.country, '') ORDER BY coalesce(t.country, '')) AS countries
                FROM search_reports.%I t
               WHERE t.account_id = $1 AND t.week >= $2 AND search_reports.is_assistant_chosen(t.web_property_id, t.assistant, t.country, $3, $4, $5) AND search_reports.is_chosen(%s, $6)
                 AND search_reports.is_chosen(t.topic, $7)
               GROUP BY 1, 2) AS a
       GROUP BY 1$query$, summary, CASE of_dataset WHEN 'ai_search_response' THEN 'coalesce(t.prompt_type, ''unbranded'')' ELSE 't.prompt_type' END)
    USING of_account, from_week, search_reports.listed(choices -> 'web_property'), search_reports.listed(choices -> 'assistant'),
          search_reports.listed(choices -> 'country'), search_reports.listed(choices -> 'prompt_type'), search_reports.listed(choices -> 'topic');
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.rows_by_assistant IS 'The assistants that a dataset of AI search has rows of in each week from one on, for rows that match the choices, each with its countries; none for fan-out, of which no share is computed.';

CREATE OR REPLACE FUNCTION search_reports.read_frame(of_datasets text[], of_account bigint, choices jsonb, span text)
RETURNS TABLE (week date, gap text, note text, asked jsonb)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_generic_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  aliases jsonb := search_reports.aliases_of(of_account);
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
    SELECT DISTINCT ON (r.dataset, r.job, r.week) r.dataset, r.week, r.request, r.unsent
      FROM search_reports.requests r
     WHERE r.dataset = ANY (of_datasets) AND r.account_id = of_account AND r.week >= (SELECT min(week) FROM known WHERE place = 1)
     ORDER BY r.dataset, r.job, r.week, r.published_at DESC
  ), questions AS MATERIALIZED (
    SELECT request, whole, search_reports.narrowed(whole, choices) AS question
      FROM (SELECT request, search_reports.question_of(request, aliases) AS whole FROM (SELECT DISTINCT request FROM loads) AS requests) AS asked
  ), unasked AS MATERIALIZED (
    -- If several values are chosen, figures lack those that were not asked for.
    SELECT dataset, week, search_reports.unasked_choices(questions, choices) AS note
      FROM (SELECT l.dataset, l.week, jsonb_agg(DISTINCT q.whole) AS questions FROM loads l JOIN questions q USING (request) GROUP BY l.dataset, l.week) AS asked
     WHERE jsonb_path_exists(choices, 'strict $.* ? (@.type() == "array" && @.size() > 1)')
  ), weeks AS MATERIALIZED (
    SELECT f.week,
           coalesce(f.gap, (SELECT string_agg(coalesce(o.name || ' ' || o.gap, 'no ' || replace(replace(d, 'ai_search_', ''), '_', ' ') || ' are published'), '; ' ORDER BY p)
                              FROM unnest(of_datasets[2:]) WITH ORDINALITY AS others (d, p) LEFT JOIN known o ON o.dataset = d AND o.week = f.week
                             WHERE o.week IS NULL OR o.gap IS NOT NULL),
                    (SELECT 'the service did not send ' || string_agg(DISTINCT u.name, ', ') FROM loads l JOIN questions q USING (request)
                      CROSS JOIN unnest(l.unsent) AS u (name) WHERE l.week = f.week AND q.question IS NOT NULL)) AS gap,
           nullif(concat_ws('; ', f.note, (SELECT u.note FROM unasked u WHERE u.dataset = f.dataset AND u.week = f.week),
                            (SELECT string_agg(o.name || ' ' || o.note, '; ' ORDER BY o.place) FROM known o WHERE o.place > 1 AND o.week = f.week),
                            (SELECT string_agg(o.name || ' were ' || u.note, '; ' ORDER BY o.place) FROM known o JOIN unasked u ON u.dataset = o.dataset AND u.week = o.week
                              WHERE o.place > 1 AND o.week = f.week)), '') AS note,
           (SELECT jsonb_agg(jsonb_build_object('dataset', d, 'questions', coalesce(q.questions, '[]')) ORDER BY p)
              FROM unnest(of_datasets) WITH ORDINALITY AS all_datasets (d, p)
              LEFT JOIN (SELECT l.dataset, jsonb_agg(DISTINCT q.question) AS questions FROM loads l JOIN questions q USING (request)
                          WHERE l.week = f.week AND q.question IS NOT NULL GROUP BY l.dataset) AS q ON q.dataset = d) AS asked
      FROM known f
     WHERE f.place = 1
  ), runs AS MATERIALIZED (
    SELECT r.week, r.tracked
      FROM search_reports.prompt_runs(of_account, choices, ARRAY(SELECT week FROM weeks WHERE gap IS NULL AND starts_with(of_datasets[1], 'ai_search_'))) AS r
  ), joined AS MATERIALIZED (
    -- If only a part of the answers was asked for, brands without an answer mean nothing.
    SELECT m.* FROM search_reports.met_runs(of_account, choices, ARRAY(
      SELECT w.week FROM weeks w
       CROSS JOIN LATERAL (SELECT jsonb_agg(q.whole - '{ai_search_engines}'::text[]) FILTER (WHERE l.dataset = 'ai_search_response') AS answers,
                                  jsonb_agg(q.whole - '{ai_search_engines}'::text[]) FILTER (WHERE l.dataset = 'ai_search_brands') AS brands
                             FROM loads l JOIN questions q USING (request) WHERE l.week = w.week) AS a
       WHERE w.gap IS NULL AND of_datasets[1:2] = '{ai_search_response,ai_search_brands}'
         AND search_reports.uncovered(a.answers, a.brands) IS NULL AND NOT jsonb_path_exists(a.answers, '$[*].limit'))) AS m
  ), present AS MATERIALIZED (
    -- A figure of several assistants includes those that have rows: without one of them it is another figure.
    SELECT p.week, p.rows_of, min(p.rows_of::text) OVER () <> max(p.rows_of::text) OVER () AS is_moving
      FROM search_reports.rows_by_assistant(of_datasets[1], of_account, choices, (SELECT min(week) FROM weeks)) AS p JOIN weeks w ON w.week = p.week AND w.gap IS NULL
  ), asked_sources AS MATERIALIZED (
    SELECT r.dataset, r.week, jsonb_agg(DISTINCT r.request) AS requests
      FROM search_reports.requests r
     WHERE r.dataset IN ('ai_search_brands', 'ai_search_citations') AND r.account_id = of_account AND r.week >= (SELECT min(week) FROM weeks)
       AND of_datasets[1] = 'ai_search_response' AND choices ->> 'prompt_type' IS NOT NULL
     GROUP BY r.dataset, r.week
  ), sources AS MATERIALIZED (
    -- Most weeks ask for the same, so it is put into words once.
    SELECT a.dataset, a.week, d.asked
      FROM asked_sources a
      JOIN (SELECT requests, (SELECT search_reports.described(jsonb_agg(DISTINCT search_reports.question_of(request, aliases)))
                                FROM jsonb_array_elements(requests) AS request) AS asked
              FROM (SELECT DISTINCT requests FROM asked_sources) AS known) AS d USING (requests)
  ), kinds AS MATERIALIZED (
    -- Citations and brands of the week show which prompts are branded: without them, or if others were asked for, it is unknown or another choice.
    SELECT k.week, k.gap, k.label, min(k.label) OVER () <> max(k.label) OVER () AS is_moving
      FROM (SELECT w.week, 'which prompts are branded is not known: citations ' || c.gap AS gap,
                   (SELECT coalesce(string_agg(replace(s.dataset, 'ai_search_', '') || ' of ' || s.asked, ', ' ORDER BY replace(s.dataset, 'ai_search_', '')), 'nothing')
                      FROM sources s WHERE s.week = w.week) AS label
              FROM weeks w LEFT JOIN search_reports.newest_weeks('ai_search_citations', of_account, (SELECT min(week) || '..' || max(week) FROM weeks)) AS c ON c.week = w.week
             WHERE w.gap IS NULL AND of_datasets[1] = 'ai_search_response' AND choices ->> 'prompt_type' IS NOT NULL) AS k
  ), unknown AS MATERIALIZED (
    SELECT u.* FROM search_reports.unknown_kinds(of_datasets[1], of_account,
                                                 ARRAY(SELECT week FROM weeks WHERE gap IS NULL AND choices ->> 'prompt_type' IS NOT NULL)) AS u
  ), told AS MATERIALIZED (
    -- A week without rows is a gap, too, unless only some pages or sites were asked for: then the answer is that none is cited.
    SELECT w.week, coalesce(w.gap, k.gap, u.gap) AS gap, w.note,
           CASE WHEN p.week IS NOT NULL THEN p.rows_of
                WHEN w.gap IS NULL AND of_datasets[1] IN ('ai_search_response', 'ai_search_citations', 'ai_search_sentiments')
                     AND NOT jsonb_path_exists(w.asked, '$[0].questions[*].keyvalue() ? (@.key == "citation_urls" || @.key == "domains" || @.key == "root_domains")')
                THEN '{}' END AS rows_of,
           jsonb_set(w.asked, '{0}', (w.asked -> 0) || CASE WHEN r.tracked IS NOT NULL THEN jsonb_build_object('tracked', r.tracked) ELSE '{}' END
                                     || jsonb_strip_nulls(jsonb_build_object('met', m.met, 'lost', m.lost))
                                     || CASE WHEN p.is_moving THEN jsonb_build_object('rows_of', p.rows_of) ELSE '{}' END
                                     || CASE WHEN k.is_moving THEN jsonb_build_object('kinds', k.label) ELSE '{}' END) AS asked
      FROM weeks w LEFT JOIN runs r ON r.week = w.week LEFT JOIN joined m ON m.week = w.week LEFT JOIN present p ON p.week = w.week LEFT JOIN kinds k ON k.week = w.week LEFT JOIN unknown u ON u.week = w.week
  ), numbered AS MATERIALIZED (
    SELECT n.week, n.gap, n.note, n.rows_of, n.asked, b.asked AS before
      FROM (SELECT *, max(week) FILTER (WHERE gap IS NULL) OVER (ORDER BY week ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS week_before FROM told) AS n
      LEFT JOIN told b ON b.week = n.week_before
  ), lines AS MATERIALIZED (
    SELECT asked, before, search_reports.with_line(asked, before) AS line FROM (SELECT DISTINCT asked, before FROM numbered) AS pairs
  )
  SELECT n.week, n.gap, n.note, CASE WHEN n.rows_of IS NULL THEN l.line ELSE l.line || jsonb_build_object('rows_of', n.rows_of) END
    FROM numbered n JOIN lines l ON l.asked = n.asked AND l.before IS NOT DISTINCT FROM n.before
   ORDER BY n.week;
END
$$;
COMMENT ON FUNCTION search_reports.read_frame IS 'The rows of search_reports.frame, read at each call.';

CREATE OR REPLACE FUNCTION search_reports.frame(of_datasets text[], of_account bigint, choices jsonb, span text)
RETURNS TABLE (week date, gap text, note text, asked jsonb)
LANGUAGE plpgsql STABLE ROWS 52 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM jsonb_to_recordset(search_reports.read_once(format('SELECT * FROM search_reports.read_frame(%L, %L, %L, %L)', of_datasets, of_account, choices, span)))
             AS f (week date, gap text, note text, asked jsonb);
END
$$;
COMMENT ON FUNCTION search_reports.frame IS 'The weeks of an account in a span (see search_reports.span_of), by the first of some datasets. gap says why a week has no figures, in any of the datasets; note what its figures lack; asked, for search_reports.line, what its loads and those of the previous week with figures asked for, as far as it is about the choices. Rows of the other datasets are counted among those of the first. In AI search, a week asks another question if, since the first week of a run of weeks, more than a tenth of the prompts came or went; a figure of several assistants does, too, if the week has rows of other assistants or countries (rows_of). If branded or unbranded answers are chosen, a week is a gap without the citations that tell which are.';

CREATE OR REPLACE FUNCTION search_reports.week_compared(week date, compare text) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE compare WHEN 'none' THEN NULL WHEN 'month' THEN week - 28 WHEN 'year' THEN week - 364 ELSE coalesce(search_reports.week_of(nullif(compare, 'week')::date), week - 7) END;
COMMENT ON FUNCTION search_reports.week_compared IS 'The week that another is compared with: NULL (none), the week before it (week, NULL), four weeks before (month), 52 weeks before (year), or that of a date.';

CREATE OR REPLACE FUNCTION search_reports.newest_pair(of_datasets text[], of_account bigint, choices jsonb, span text DEFAULT NULL, compare text DEFAULT NULL)
RETURNS TABLE (week date, before date, asked jsonb, reason text, refusal text, notice text)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_generic_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  until date := (SELECT s.until FROM search_reports.span_of(span, NULL) AS s);
  last  date := coalesce(until, (SELECT max(w.week) FROM search_reports.weeks_of(of_datasets[1], of_account) AS w));
  since date := least(last - 7 * CASE compare WHEN 'year' THEN 105 ELSE 53 END, CASE WHEN compare LIKE '____-__-__' THEN compare::date - 6 END);
  name  text := CASE WHEN compare IN ('month', 'year') OR compare LIKE '____-__-__' THEN 'week of %s' ELSE 'week before it' END;
BEGIN
  RETURN QUERY
  WITH frame AS MATERIALIZED (
    SELECT week, gap, nullif(concat_ws('; ', note, asked #>> '{asked,0,lost,*}'), '') AS note, asked, asked ->> 'unasked' AS unasked
      FROM search_reports.frame(of_datasets, of_account, choices, format('%s..%s', since, until))
  ), newest AS (
    SELECT max(week) FILTER (WHERE gap IS NULL) AS week, string_agg(format('The week of %s has no figures: %s.', week, gap), ' ' ORDER BY week DESC)
             FILTER (WHERE gap IS NOT NULL AND is_last) AS no_figures
      FROM (SELECT *, week = max(week) OVER () AS is_last FROM frame) AS known
  ), compared AS (
    SELECT n.week, v.before, f.asked, b.asked AS asked_before, CASE WHEN n.week IS NULL THEN coalesce(n.no_figures, search_reports.no_week(of_datasets[1], of_account, span))
                        WHEN f.unasked IS NOT NULL THEN format('Week of %s: %s.', n.week, f.unasked) END AS reason,
           CASE WHEN n.week IS NULL OR f.unasked IS NOT NULL OR v.before IS NULL THEN NULL
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
  SELECT c.week, CASE WHEN c.refusal IS NULL AND c.reason IS NULL THEN c.before END, c.asked || jsonb_build_object('compared', c.asked_before), c.reason, c.refusal,
         nullif(concat_ws(' ', CASE WHEN c.refusal IS NULL AND c.reason IS NULL AND c.before IS NOT NULL THEN format('Week of %s, compared with the week of %s.', c.week, c.before)
                                    WHEN c.reason IS NULL THEN format('Week of %s.', c.week) END, nullif(c.remarks, '')), '')
    FROM compared c;
END
$$;
COMMENT ON FUNCTION search_reports.newest_pair IS 'The newest week of some datasets in a span that has figures for the choices, and the week that it is compared with (before; see search_reports.week_compared) if both can be compared. reason says why there is no such week, refusal why it is not compared, notice names the weeks and what they lack; asked is that of search_reports.frame, and compared in it that of the compared week.';

-- What tables over several weeks say about these.
CREATE OR REPLACE FUNCTION search_reports.weeks_told(weeks jsonb, OUT reason text, OUT notice text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT (CASE WHEN count(week) = 0 THEN max(gap)
                     WHEN bool_and(coalesce(gap, unknown) IS NOT NULL) THEN format('None of these weeks has figures: %s.', string_agg(DISTINCT coalesce(gap, unknown), '; ')) END,
                string_agg(format('The week of %s is left out: %s.', week, gap), ' ' ORDER BY week) FILTER (WHERE gap IS NOT NULL AND week IS NOT NULL))
          FROM jsonb_to_recordset(weeks) AS w (week date, gap text, unknown text));
COMMENT ON FUNCTION search_reports.weeks_told IS 'Why none of some weeks (week, gap, and unknown: why a week with figures does not answer the question) shows anything (reason, NULL if one may), and which weeks are left out (notice).';

-- What lists need: the week that they are of, the week that it is compared with, and whether what is chosen was asked for, so that an empty
-- list says something. In PL/pgSQL: Citus runs each query on the node that has the account.

CREATE OR REPLACE FUNCTION search_reports.weeks_of_list(what text, account bigint, span text) RETURNS TABLE (week date, gap text, note text)
LANGUAGE plpgsql STABLE ROWS 52 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  IF starts_with(what, 'ai_search_') THEN
    RETURN QUERY
    SELECT w.week, coalesce(w.gap, CASE WHEN k.week IS NOT NULL THEN 'being summarised' END), w.note
      FROM search_reports.newest_weeks(what, account, span) AS w
      LEFT JOIN search_reports.marked_weeks k ON k.subject = 'answers' AND k.account_id = account AND k.week = w.week AND NOT k.is_live;
  ELSE
    RETURN QUERY SELECT * FROM search_reports.measure_weeks(what, account, span);
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.weeks_of_list IS 'The weeks of a dataset of AI search, or those of a measure, as '
  'search_reports.measure_weeks has them.';

CREATE OR REPLACE FUNCTION search_reports.compared_weeks(what text, account bigint, span text, compare text)
RETURNS TABLE (week date, before date, note text, note_before text, reason text, refusal text, left_out text)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  dataset text := coalesce((SELECT m.datasets[1] FROM search_reports.measures() AS m WHERE m.name = what), what);
BEGIN
  RETURN QUERY
  WITH frame AS MATERIALIZED (
    SELECT w.* FROM search_reports.weeks_of_list(what, account, span) AS w WHERE w.week IS NOT NULL
  ), newest AS (
    SELECT n.week, search_reports.week_compared(n.week, compare) AS before
      FROM (SELECT max(f.week) AS week FROM frame f WHERE f.gap IS NULL) AS n
  )
  SELECT n.week, n.before, (SELECT f.note FROM frame f WHERE f.week = n.week), o.note,
         CASE WHEN n.week IS NULL THEN coalesce((SELECT format('The week of %s has no figures: %s.', f.week, f.gap) FROM frame f
                                                 ORDER BY f.week DESC LIMIT 1),
                                                search_reports.no_week(dataset, account, span)) END,
         CASE WHEN n.before IS NULL THEN NULL WHEN n.before >= n.week THEN format('the week of %s is not before it', n.before)
              WHEN o.week IS NULL THEN format('the week of %s is not loaded', n.before)
              WHEN o.gap IS NOT NULL THEN format('the week of %s has no figures, %s', n.before, o.gap) END,
         (SELECT string_agg(format('The week of %s is left out: %s.', f.week, f.gap), ' ' ORDER BY f.week) FROM frame f
          WHERE f.week > n.week)
    FROM newest n
    LEFT JOIN LATERAL search_reports.weeks_of_list(what, account, format('%1$s..%1$s', n.before)) AS o ON o.week = n.before
      AND n.before < n.week;
END
$$;
COMMENT ON FUNCTION search_reports.compared_weeks IS 'The newest week of a span that has what a list or a measure shows, and the week that '
  'it is compared with (before; see search_reports.week_compared), NULL for none. reason says why there is no week, refusal why the other '
  'one cannot be compared, note and note_before what they lack, left_out which newer weeks are left out.';

CREATE OR REPLACE FUNCTION search_reports.shown_weeks(what text, account bigint, span text, compare text DEFAULT 'none')
RETURNS TABLE (week date, before date, reason text, notice text)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT p.week, CASE WHEN p.refusal IS NULL THEN p.before END, p.reason,
         nullif(concat_ws(' ', CASE WHEN p.week IS NULL THEN NULL WHEN p.before IS NULL THEN format('Week of %s.', p.week)
                                    WHEN p.refusal IS NOT NULL THEN format('Week of %s. It is not compared: %s.', p.week, p.refusal)
                                    ELSE format('Week of %s, compared with the week of %s.', p.week, p.before) END,
                          'Week of ' || p.week || ': ' || p.note || '.', CASE WHEN p.refusal IS NULL
                            THEN 'Week of ' || p.before || ': ' || p.note_before || '.' END,
                          p.left_out), '')
    FROM search_reports.compared_weeks(what, account, span, compare) AS p;
END
$$;
COMMENT ON FUNCTION search_reports.shown_weeks IS 'The newest week of a span that has what a list shows (a dataset of AI search, or a '
  'measure), and the week that it is compared with (before; see search_reports.week_compared), NULL if that has none. reason says why '
  'there is no week, notice names the weeks and what they lack.';

CREATE OR REPLACE FUNCTION search_reports.unasked_of(what text, c search_reports.choices, week date) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  RETURN (SELECT CASE WHEN count(*) FILTER (WHERE k.is_asked) = 0 THEN 'Nothing of what is chosen was asked for in this week.'
                      WHEN count(*) FILTER (WHERE k.is_known) = 0 THEN
                        CASE what WHEN 'own_citations' THEN 'Citations of our pages were not asked for.' WHEN 'citations'
                          THEN 'Only a part of the citations was asked for.'
                                  WHEN 'brands' THEN 'Our brands were not asked for, or meet no answer.'
                                  WHEN 'sentiments'
                                  THEN 'No brand is known to be ours, or not all of what is said of it was asked for.' END END
            FROM search_reports.prompts(c, ARRAY[week]) AS p
           CROSS JOIN LATERAL (
                 SELECT CASE what WHEN 'own_citations' THEN 'citations' WHEN 'brands' THEN 'response'
                   ELSE what END = ANY (p.asked) AS is_asked,
                        CASE what WHEN 'own_citations' THEN p.own_citations IS NOT NULL WHEN 'citations' THEN p.citations IS NOT NULL
                                  WHEN 'brands' THEN p.naming IS NOT NULL
                                  WHEN 'sentiments' THEN p.positive IS NOT NULL ELSE true END AS is_known) AS k);
END
$$;
COMMENT ON FUNCTION search_reports.unasked_of IS 'Why an empty list of a week says nothing of what is chosen, as a sentence; NULL if it '
  'does. what is own_citations, citations, brands (ours, in answers), sentiments (of our brands), fan_out or response.';

CREATE OR REPLACE FUNCTION search_reports.kept_share(dataset text, c search_reports.choices, week date, before date) RETURNS numeric
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  RETURN (SELECT count(*) FILTER (WHERE k.is_now AND k.is_before)::numeric
                 / nullif(greatest(count(*) FILTER (WHERE k.is_now), count(*) FILTER (WHERE k.is_before)), 0)
            FROM (SELECT bool_or(p.week = kept_share.week) AS is_now, bool_or(p.week = before) AS is_before
                    FROM search_reports.prompts(c, ARRAY[kept_share.week, before]) AS p
                   WHERE dataset = ANY (p.asked) AND (dataset <> 'citations' OR p.own_citations IS NOT NULL) GROUP BY p.unit) AS k);
END
$$;
COMMENT ON FUNCTION search_reports.kept_share IS 'How much of the tracked prompts of a dataset (such as citations) two weeks have in '
  'common: of the larger of both numbers.';

-- Rows of the tables ------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.is_row_chosen(
  c search_reports.choices, aliases jsonb, property bigint, engine text, locode text, topic text, persona text, intent text,
  group_names text
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN search_reports.is_assistant_chosen(property, search_reports.spelled('engine', engine, aliases),
                                          search_reports.country_of(search_reports.spelled('locode', locode, aliases)), (c).web_property,
                                          (c).assistant, (c).country)
       AND search_reports.is_chosen(topic, (c).topic) AND search_reports.is_chosen(persona, (c).persona)
       AND search_reports.is_chosen(intent, (c).intent)
       AND ((c).prompt_group IS NULL OR searchmill.list_items(group_names) && (c).prompt_group
            OR '(none)' = ANY ((c).prompt_group) AND coalesce(group_names, '') = '');
COMMENT ON FUNCTION search_reports.is_row_chosen IS 'Whether a row of AI search is of what is chosen, but for its prompt and the kind of '
  'it.';

CREATE OR REPLACE FUNCTION search_reports.said(c search_reports.choices, week date)
RETURNS TABLE (place bigint, brand text, is_ours boolean, sentiment text, score double precision, category text, snippet text,
               assistant text, topic text,
               prompt text, source text, url text)
LANGUAGE plpgsql STABLE ROWS 500 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $$
DECLARE
  aliases jsonb  := search_reports.aliases_of(c.account);
  names   text[] := search_reports.own_names(c.account);
  -- A kind is that of the prompt in search_reports.prompt_facts: not every row tells it.
  wanted  text[] := CASE WHEN c.kind IS NOT NULL THEN ARRAY(
    SELECT DISTINCT f.prompt FROM search_reports.prompt_facts f
     WHERE f.account_id = c.account AND f.week = said.week AND f.prompt_type = c.kind) END;
BEGIN
  RETURN QUERY
  SELECT row_number() OVER (ORDER BY lower(s.sentiment_value COLLATE "C") = 'negative' DESC NULLS LAST, s.sentiment_score NULLS LAST,
                            s.sentiment_brand, s.ai_search_engine,
                                     s._key, s._occurrence),
         s.sentiment_brand, coalesce(search_reports.folded(s.sentiment_brand) = ANY (names), false), s.sentiment_value, s.sentiment_score,
         s.sentiment_category,
         s.sentiment_snippet, search_reports.spelled('engine', s.ai_search_engine, aliases), s.topic, s.prompt,
         nullif(search_reports.bare_domain(s.sentiment_source_domain), ''), nullif(search_reports.bare_url(s.sentiment_source_url), '')
    FROM search.ai_search_sentiments s
   WHERE s.account_id = c.account AND s.time_period_start BETWEEN said.week AND said.week + 6
     AND (c.prompt IS NULL OR s.prompt = c.prompt) AND (wanted IS NULL OR s.prompt = ANY (wanted))
     AND search_reports.is_row_chosen(c, aliases, s.web_property_id, s.ai_search_engine, s.locode, s.topic, s.persona, s.intent,
                                      s.prompt_group_names)
     AND (s._occurrence = 1 OR search_reports.is_first_copy(to_jsonb(s), ARRAY(
          SELECT to_jsonb(o) FROM search.ai_search_sentiments o
           WHERE o.account_id = s.account_id AND o.time_period_start = s.time_period_start AND o._key = s._key
             AND o._occurrence < s._occurrence)));
END
$$;
COMMENT ON FUNCTION search_reports.said IS 'What answers of a week say of brands, for what is chosen, the negative ones first, then by '
  'score. Rows that are equal in all columns are one.';

CREATE OR REPLACE FUNCTION search_reports.said_before(account bigint, week date, snippets text[]) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT s.sentiment_snippet FROM search.ai_search_sentiments s
                WHERE s.account_id = account AND s.time_period_start < said_before.week AND s.sentiment_snippet = ANY (snippets));
END
$$;
COMMENT ON FUNCTION search_reports.said_before IS 'Which of some sentences answers of any week before have said, for whatever brand and '
  'prompt.';

CREATE OR REPLACE FUNCTION search_reports.cited(c search_reports.choices, weeks date[], page text DEFAULT NULL, of_site text DEFAULT NULL)
RETURNS TABLE (week date, assistant text, prompt text, topic text, site text, url text, title text, attribution text, citations bigint)
LANGUAGE plpgsql STABLE ROWS 500 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $$
DECLARE
  aliases jsonb := search_reports.aliases_of(c.account);
  wanted  text  := lower(search_reports.bare_url(page) COLLATE "C");
BEGIN
  RETURN QUERY
  SELECT w.week, search_reports.spelled('engine', r.ai_search_engine, aliases), r.prompt, nullif(r.topic, ''),
         nullif(search_reports.bare_domain(r.citation_domain), ''),
         nullif(search_reports.bare_url(r.citation_url), ''), max(r.citation_title COLLATE "C"),
         max(lower(r.citation_attribution COLLATE "C") COLLATE "C"), count(*)
    FROM unnest(weeks) AS w (week)
    JOIN search.ai_search_citations r ON r.account_id = c.account AND r.time_period_start BETWEEN w.week AND w.week + 6
   WHERE (c.prompt IS NULL OR r.prompt = c.prompt)
     AND (page IS NULL OR strpos(lower(r.citation_url COLLATE "C"), wanted) > 0
          AND lower(search_reports.bare_url(r.citation_url) COLLATE "C") = wanted)
     AND (of_site IS NULL OR right('.' || lower(r.citation_domain COLLATE "C"), length(of_site) + 1) = '.' || lower(of_site COLLATE "C"))
     AND search_reports.is_row_chosen(c, aliases, r.web_property_id, r.ai_search_engine, r.locode, r.topic, r.persona, r.intent,
                                      r.prompt_group_names)
     AND (r._occurrence = 1 OR search_reports.is_first_copy(to_jsonb(r), ARRAY(
          SELECT to_jsonb(o) FROM search.ai_search_citations o
           WHERE o.account_id = r.account_id AND o.time_period_start = r.time_period_start AND o._key = r._key
             AND o._occurrence < r._occurrence)))
   GROUP BY 1, 2, 3, 4, 5, 6;
END
$$;
COMMENT ON FUNCTION search_reports.cited IS 'Citations in some weeks that are chosen (see search_reports.is_row_chosen), by assistant, '
  'prompt and page: of a page (compared by search_reports.bare_url), or of a site and sites below it; NULL chooses all. Rows that '
  'are equal in all columns are one.';

-- Pages -------------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.cited_pages(c search_reports.choices, week date, before date)
RETURNS TABLE (url text, site text, attribution text, is_ours boolean, assistants bigint, citations bigint, citations_before bigint)
LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $$
DECLARE
  own text[] := search_reports.own_patterns(c.account);
BEGIN
  RETURN QUERY
  SELECT nullif(p.url, ''), max(p.site), max(p.attribution), o.is_ours,
         count(DISTINCT p.assistant) FILTER (WHERE p.week = cited_pages.week),
         coalesce(sum(p.citations) FILTER (WHERE p.week = cited_pages.week), 0), coalesce(sum(p.citations) FILTER (WHERE p.week = before),
             0)
    FROM search_reports.ai_cited_pages p
   CROSS JOIN LATERAL (SELECT coalesce(p.attribution, '') = 'you' OR search_reports.is_own(p.site, NULL, own) AS is_ours) AS o
   WHERE p.account_id = c.account AND p.week IN (cited_pages.week, before) AND (c.kind IS NULL OR p.prompt_type = c.kind)
     AND search_reports.is_assistant_chosen(p.web_property_id, p.assistant, p.country, c.web_property, c.assistant, c.country)
   GROUP BY nullif(p.url, ''), o.is_ours;
END
$$;
COMMENT ON FUNCTION search_reports.cited_pages IS 'Pages that are cited in a week or in the one before it, for what is chosen, ours (by '
  'attribution or domain) and others, each with how often.';

-- If cited and ranking pages have no site in common, sites are probably spelled differently.
CREATE OR REPLACE FUNCTION search_reports.cited_and_ranking(c search_reports.choices, span text)
RETURNS TABLE (url text, citations bigint, assistants bigint, searches bigint, best_place integer, reason text, notice text)
LANGUAGE plpgsql STABLE ROWS 500 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH shown AS MATERIALIZED (
    SELECT n.week, r.week AS ranked_week, concat_ws(' ', 'Citations: ' || n.reason, 'Rankings: ' || r.reason) AS reason,
           concat_ws(' ', 'Citations: ' || n.notice, 'Rankings: ' || r.notice) AS notice
      FROM search_reports.shown_weeks('ai_search_citations', c.account, span) AS n
     CROSS JOIN search_reports.measure_pair('found', c.account, span, 'none') AS r
  ), pages AS MATERIALIZED (
    SELECT coalesce(p.url, r.url) AS url, p.citations, p.assistants, r.searches, r.best_place
      FROM (SELECT k.* FROM shown s CROSS JOIN LATERAL search_reports.cited_pages(c, s.week, NULL) AS k WHERE k.is_ours
            AND k.url IS NOT NULL) AS p
      FULL JOIN (SELECT k.url, sum(k.searches)::bigint AS searches, min(k.best_standard) AS best_place
                   FROM shown s JOIN search_reports.ranking_pages k ON k.account_id = c.account AND k.week = s.ranked_week AND k.url <> ''
                  WHERE search_reports.is_chosen(k.web_property_id::text, c.web_property) AND search_reports.is_chosen(k.country, c.country)
                  GROUP BY k.url) AS r ON r.url = p.url
  ), counts AS (
    SELECT count(p.citations) AS cited, count(p.searches) AS ranked, count(*) FILTER (WHERE p.citations > 0 AND p.searches > 0) AS met,
           array_agg(DISTINCT search_reports.host_of(p.url)) FILTER (WHERE p.citations > 0) AS cited_hosts,
           array_agg(DISTINCT search_reports.host_of(p.url)) FILTER (WHERE p.searches > 0) AS ranked_hosts
      FROM pages p
  ), told AS (
    SELECT coalesce(nullif(s.reason, ''), CASE WHEN n.cited = 0 THEN coalesce(search_reports.unasked_of('own_citations', c, s.week),
                                                                              'No page of ours is cited.')
                         WHEN n.ranked = 0 THEN 'No ranking page is known to be ours.'
                         WHEN NOT n.cited_hosts && n.ranked_hosts
                           THEN format('Cited pages of ours are on %s, ranking ones on %s: no site is on both sides.',
                           array_to_string(n.cited_hosts[:3], ', '), array_to_string(n.ranked_hosts[:3], ', ')) END) AS reason,
           nullif(concat_ws(' ', s.notice, CASE WHEN s.reason = '' THEN format('Of %s cited pages of ours and %s that rank, %s are both.',
                                                                               n.cited, n.ranked, n.met) END),
                  '') AS notice
      FROM shown s CROSS JOIN counts n
  )
  SELECT p.url, p.citations, p.assistants, p.searches, p.best_place, t.reason, t.notice
    FROM told t LEFT JOIN pages p ON t.reason IS NULL;
END
$$;
COMMENT ON FUNCTION search_reports.cited_and_ranking IS 'Pages of ours that are cited (citations, and by how many assistants) and that '
  'rank (for how many searches, and the best place by standard rank) in the newest weeks of a span, for what is chosen; reason says why '
  'both cannot be compared. One row without a page where there is none.';

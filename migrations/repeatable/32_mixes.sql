-- Figures of AI search that are not one line by one column: a measure over several weeks by two columns, how citations are divided, whom
-- assistants cite instead of us, and how they speak of others. In PL/pgSQL: Citus runs each query on the node that has the account.

-- The sample is one of prompts, whatever number of weeks asks them.
CREATE OR REPLACE FUNCTION search_reports.pooled(measure text, by text, across text, c search_reports.choices, span text)
RETURNS TABLE (line text, across_line text, level numeric, low numeric, high numeric, part numeric, whole numeric, weeks bigint,
               reason text)
LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' SET enable_sort = off AS $$
DECLARE
  nothing text := (SELECT m.empty FROM search_reports.measures() AS m WHERE m.name = measure);
  shown date[] := ARRAY(SELECT w.week FROM search_reports.measure_weeks(measure, c.account, span) AS w WHERE w.gap IS NULL);
BEGIN
  RETURN QUERY EXECUTE format($query$
  WITH cells AS MATERIALIZED (
    SELECT u.line, u.across, u.cluster, u.week, u.lacks, sum(u.part) FILTER (WHERE u.whole IS NOT NULL) AS part, sum(u.whole) AS whole,
           sum(u.units) AS units, min(u.doubt) AS doubt
      FROM (%s) AS u GROUP BY 1, 2, 3, 4, 5
  ), sums AS (
    SELECT k.line, k.across, sum(k.part) AS part, sum(k.whole) AS whole, sum(k.whole * k.whole) AS squared,
           sum(k.whole * k.part) AS by_part,
           sum(k.part * k.part) AS parts_squared
      FROM (SELECT c.line, c.across, c.cluster, sum(c.part) AS part, sum(c.whole) AS whole FROM cells c WHERE c.whole IS NOT NULL
            GROUP BY 1, 2, 3) AS k
     GROUP BY 1, 2
  ), told AS (
    SELECT k.line, k.across, count(DISTINCT k.week) FILTER (WHERE k.whole > 0) AS weeks, min(r.lacks) AS lacks, min(k.doubt) AS doubt
      FROM cells k
      -- The most frequent reason.
      LEFT JOIN (SELECT DISTINCT ON (l.line, l.across) l.line, l.across, l.lacks FROM cells l WHERE l.lacks IS NOT NULL
                  GROUP BY 1, 2, 3 ORDER BY l.line, l.across, sum(l.units) DESC, l.lacks) AS r USING (line, across)
     GROUP BY 1, 2
  )
  SELECT t.line, t.across, CASE WHEN g.gap IS NULL THEN $3 * s.part / s.whole END, CASE WHEN g.gap IS NULL THEN b.bounds[1] END,
         CASE WHEN g.gap IS NULL THEN b.bounds[2] END, CASE WHEN g.gap IS NULL THEN s.part END, s.whole, t.weeks, coalesce(g.gap, t.lacks)
    FROM told t LEFT JOIN sums s USING (line, across)
   CROSS JOIN LATERAL (SELECT CASE WHEN s.whole IS NULL THEN t.lacks WHEN s.whole = 0 THEN $4 WHEN s.part = 0 THEN t.doubt END AS gap) AS g
   CROSS JOIN LATERAL search_reports.rate_interval(s.part::float8, s.whole::float8, s.squared::float8, s.by_part::float8,
                                                   s.parts_squared::float8) AS b (bounds)
  $query$, search_reports.units_statement(measure, by, across, CASE (SELECT m.units FROM search_reports.measures() AS m
                                                                     WHERE m.name = measure)
      WHEN 'prompts' THEN search_reports.prompts_source(c, ARRAY[by, across]) END))
  USING search_reports.weighed(c, measure), shown, search_reports.scale_of(measure), nothing;
END
$$;
COMMENT ON FUNCTION search_reports.pooled IS 'A measure over all weeks of a span together, by two columns of its units (see '
  'search_reports.line_of; no groups): the sum of parts divided by the sum of wholes, with its 95 % interval. weeks is of how many weeks. '
  'Without a level, reason says why; else what some units lack.';

CREATE OR REPLACE FUNCTION search_reports.weeks_left_out(measure text, account bigint, span text, OUT reason text, OUT notice text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  SELECT CASE WHEN count(*) = 0 THEN search_reports.no_week((SELECT m.datasets[1] FROM search_reports.measures() AS m
                                                             WHERE m.name = measure), account, span)
              WHEN bool_and(w.gap IS NOT NULL) THEN format('None of these weeks has figures: %s.', string_agg(DISTINCT w.gap, '; ')) END,
         string_agg(format('Week of %s: %s.', w.week, coalesce('left out, ' || w.gap, w.note)), ' '
                    ORDER BY w.week) FILTER (WHERE coalesce(w.gap, w.note) IS NOT NULL)
    INTO reason, notice
    FROM search_reports.measure_weeks(measure, account, span) AS w;
END
$$;
COMMENT ON FUNCTION search_reports.weeks_left_out IS 'Why no week of a span has a measure (reason), and which of its weeks are left out or '
  'lack something (notice).';

CREATE OR REPLACE FUNCTION search_reports.rival_sentiments(c search_reports.choices, span text, most integer)
RETURNS TABLE (week date, brand text, part numeric, whole numeric, low numeric, high numeric, reason text)
LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $$
#variable_conflict use_column
DECLARE
  names text[] := search_reports.own_names(c.account);
  shown date[] := ARRAY(SELECT w.week FROM search_reports.measure_weeks('sentiment', c.account, span) AS w WHERE w.gap IS NULL ORDER BY 1);
BEGIN
  RETURN QUERY
  WITH cut AS MATERIALIZED (
    SELECT DISTINCT r.week FROM search_reports.requests r
     WHERE r.dataset = 'ai_search_sentiments' AND r.account_id = c.account AND r.week = ANY (shown)
       AND num_nonnulls(search_reports.asked_list(r.request, 'sentiment_values'), search_reports.asked_list(r.request,
           'sentiment_categories'),
                        search_reports.asked_list(r.request, 'sentiment_source_domains')) > 0
  ), mentions AS MATERIALIZED (
    SELECT s.week, coalesce(nullif(s.brand, ''), '(none)') AS brand, sum(s.positive + s.neutral / 2.0) AS part,
           sum(s.positive + s.neutral + s.negative)::numeric AS whole,
           sum(s.other) AS others, sum(s.mentions_squared) AS squared, sum(s.mentions_by_halves) AS by_halves,
           sum(s.halves_squared) AS halves_squared
      FROM search_reports.ai_sentiments s
     WHERE s.account_id = c.account AND s.week = ANY (shown) AND search_reports.folded(coalesce(s.brand, '')) <> ALL (names)
       AND (c.kind IS NULL OR s.prompt_type = c.kind) AND search_reports.is_chosen(s.topic, c.topic)
       AND search_reports.is_assistant_chosen(s.web_property_id, s.assistant, s.country, c.web_property, c.assistant, c.country)
     GROUP BY 1, 2
  ), first AS (
    SELECT m.brand FROM mentions m WHERE m.week = (SELECT max(week) FROM mentions) ORDER BY m.whole DESC, m.brand LIMIT most
  )
  SELECT w.week, l.brand, m.part, m.whole, b.bounds[1], b.bounds[2],
         CASE WHEN w.week IN (SELECT week FROM cut) THEN 'not all sentiments were asked for' WHEN m.brand IS NULL
           THEN 'no mention of it was loaded'
              WHEN m.whole = 0 OR m.part = 0 AND m.others > 0 THEN 'some mentions have another sentiment, or none' END
    FROM unnest(shown) AS w (week) CROSS JOIN first l LEFT JOIN mentions m ON m.week = w.week AND m.brand = l.brand
   CROSS JOIN LATERAL search_reports.rate_interval(m.part::float8, m.whole::float8, m.squared::float8, m.by_halves::float8 / 2,
                                                   m.halves_squared::float8 / 4) AS b (bounds);
END
$$;
COMMENT ON FUNCTION search_reports.rival_sentiments IS 'Mentions of the brands of others that are mentioned most in the newest week of a '
  'span, so many, in each of its weeks: positive ones and half of the neutral ones (part), of all that have a sentiment (whole), with the '
  '95 % interval of the share. reason says why a week has none.';

CREATE OR REPLACE FUNCTION search_reports.attribution_levels(c search_reports.choices, span text)
RETURNS TABLE (week date, attribution text, level numeric, low numeric, high numeric, part numeric, whole numeric, reason text,
               question text)
LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' AS $$
#variable_conflict use_column
DECLARE
  shown date[] := ARRAY(SELECT w.week FROM search_reports.measure_weeks('citations', c.account, span) AS w WHERE w.gap IS NULL);
BEGIN
  RETURN QUERY
  WITH prompts AS MATERIALIZED (
    SELECT u.week, coalesce(u.prompt, '') AS cluster, u.citations, u.attributions FROM search_reports.chosen_sums(c, '{}', shown) AS u
     WHERE u.citations > 0
  ), wholes AS MATERIALIZED (
    SELECT p.week, p.cluster, sum(p.citations) AS whole FROM prompts p GROUP BY 1, 2
  ), parts AS MATERIALIZED (
    SELECT k.week, k.attribution, sum(k.part) AS part, sum(k.part * w.whole) AS by_whole, sum(k.part * k.part) AS squared
      FROM (SELECT p.week, p.cluster, a.attribution, count(*) AS part FROM prompts p CROSS
            JOIN LATERAL unnest(p.attributions) AS a (attribution) GROUP BY 1, 2, 3) AS k
      JOIN wholes w USING (week, cluster) GROUP BY 1, 2
  ), squares AS (
    SELECT w.week, sum(w.whole * w.whole) AS squared FROM wholes w GROUP BY 1
  )
  SELECT l.week, k.attribution, CASE WHEN g.gap IS NULL THEN 100 * coalesce(f.part, 0) / l.whole END, CASE WHEN g.gap IS NULL
    THEN b.bounds[1] END,
         CASE WHEN g.gap IS NULL THEN b.bounds[2] END, CASE WHEN g.gap IS NULL THEN coalesce(f.part, 0) END, l.whole,
         nullif(concat_ws('; ', coalesce(g.gap, l.reason), CASE WHEN g.gap IS NULL AND n.part > 0 THEN n.words END), ''), CASE
           WHEN g.gap IS NULL THEN l.question END
    FROM search_reports.levels('citations', NULL, c, span) AS l
    LEFT JOIN (SELECT DISTINCT p.attribution FROM parts p) AS k ON true
    LEFT JOIN parts f ON f.week = l.week AND f.attribution = k.attribution
    LEFT JOIN squares q ON q.week = l.week
    LEFT JOIN (SELECT p.week, p.part, p.part || ' citations have no attribution' AS words FROM parts p
               WHERE p.attribution = '(none)') AS n ON n.week = l.week
   CROSS JOIN LATERAL (SELECT CASE WHEN l.level IS NULL THEN coalesce(l.reason, 'no citations') WHEN f.part IS NULL
                       THEN n.words END AS gap) AS g
   CROSS JOIN LATERAL search_reports.rate_interval(coalesce(f.part, 0)::float8, l.whole::float8, q.squared::float8,
                                                   coalesce(f.by_whole, 0)::float8,
                                                   coalesce(f.squared, 0)::float8) AS b (bounds);
END
$$;
COMMENT ON FUNCTION search_reports.attribution_levels IS 'How all citations are divided by attribution, week by week, in percent with the '
  '95 % interval: you for all of ours. A week without a level says why (reason); a 0 beside citations without an attribution is none.';

CREATE OR REPLACE FUNCTION search_reports.competitors_among(account bigint, weeks date[], pinned text[], sites text[]) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  named text[] := search_reports.competitor_patterns(account, pinned);
BEGIN
  IF named <> '{}' THEN
    RETURN ARRAY(SELECT s FROM unnest(sites) AS s WHERE '.' || s LIKE ANY (named));
  END IF;
  RETURN ARRAY(SELECT s FROM unnest(sites) AS s
               INTERSECT
               SELECT search_reports.bare_domain(k.site)
                 FROM (SELECT DISTINCT p.site FROM search_reports.ai_cited_pages p
                        WHERE p.account_id = account AND p.week = ANY (weeks) AND p.attribution = 'seo competitor' OFFSET 0) AS k);
END
$$;
COMMENT ON FUNCTION search_reports.competitors_among IS 'Which of some sites are competitors: those that jobs configure, the chosen ones '
  'and sites below them, else those that citations of some weeks attribute to SEO Competitor.';

CREATE OR REPLACE FUNCTION search_reports.cited_instead(c search_reports.choices, span text, pinned text[])
RETURNS TABLE (topic text, assistant text, competitor text, competitor_percent numeric, site text, site_percent numeric)
LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' AS $$
#variable_conflict use_column
DECLARE
  shown date[] := ARRAY(SELECT w.week FROM search_reports.measure_weeks('citations', c.account, span) AS w WHERE w.gap IS NULL);
  ours  text[] := search_reports.own_sites_of(c.account);
BEGIN
  RETURN QUERY
  WITH cited AS MATERIALIZED (
    SELECT coalesce(nullif(u.topic, ''), '(none)') AS topic, coalesce(nullif(u.assistant, ''), '(none)') AS assistant, s.site,
           count(*) AS citations
      FROM search_reports.chosen_sums(c, '{topic,assistant}', shown) AS u CROSS JOIN LATERAL unnest(u.cited_sites) AS s (site)
     GROUP BY 1, 2, 3
  ), rivals AS MATERIALIZED (
    SELECT search_reports.competitors_among(c.account, shown, pinned, (SELECT array_agg(DISTINCT d.site) FROM cited d)) AS sites
  ), kinds AS MATERIALIZED (
    SELECT k.site, search_reports.is_related(k.site, ours) AS is_ours, k.site = ANY (r.sites) AS is_rival
      FROM (SELECT DISTINCT d.site FROM cited d) AS k CROSS JOIN rivals r
  ), others AS MATERIALIZED (
    SELECT d.topic, d.assistant, d.site, d.citations, k.is_rival FROM cited d JOIN kinds k USING (site) WHERE NOT k.is_ours
  ), most AS (
    SELECT o.topic, o.assistant, max(o.citations) FILTER (WHERE o.is_rival) AS of_rivals, max(o.citations) AS of_others
      FROM others o GROUP BY 1, 2
  ), wholes AS (
    SELECT d.topic, d.assistant, sum(d.citations) AS citations FROM cited d GROUP BY 1, 2
  )
  -- Of several with as many citations, the first by name.
  SELECT m.topic, m.assistant, min(o.site) FILTER (WHERE o.is_rival AND o.citations = m.of_rivals),
         round(100 * m.of_rivals / w.citations, 1), min(o.site) FILTER (WHERE o.citations = m.of_others),
         round(100 * m.of_others / w.citations, 1)
    FROM most m
    JOIN wholes w USING (topic, assistant)
    JOIN others o ON o.topic = m.topic AND o.assistant = m.assistant AND (o.citations = m.of_others OR o.citations = m.of_rivals)
   GROUP BY m.topic, m.assistant, m.of_rivals, m.of_others, w.citations;
END
$$;
COMMENT ON FUNCTION search_reports.cited_instead IS 'By topic and assistant, over all weeks of a span together: the competitor and the '
  'site of others that are cited most, each with its share of all citations there in percent. Competitors are those that the jobs '
  'configure and the pinned ones, else sites that citations attribute to SEO Competitor.';

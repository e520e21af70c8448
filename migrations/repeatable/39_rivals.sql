-- Rivals: whose sites are compared with ours, and in which searches and prompts one gained what the other lost.

CREATE OR REPLACE FUNCTION search_reports.compared_sites(measure text, c search_reports.choices, span text, most integer, pinned text[])
RETURNS TABLE (site text, kind text)
LANGUAGE plpgsql STABLE ROWS 15 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  ours   text[] := search_reports.own_sites_of(c.account);
  named  text[] := ARRAY(SELECT domain FROM search_reports.competitors WHERE account_id = c.account
                          UNION SELECT unnest(pinned) ORDER BY 1);
  -- Not within the statement: planning it would find them, too.
  sites  text[] := search_reports.largest_sites(measure, c, span, most, named);
BEGIN
  RETURN QUERY
  SELECT s.site, CASE WHEN search_reports.is_related(s.site, ours) THEN 'ours' WHEN s.site = ANY (named) THEN 'competitor' ELSE 'other' END
    FROM unnest(sites) AS s (site)
   WHERE s.site <> '(no page)';
END
$$;
COMMENT ON FUNCTION search_reports.compared_sites IS 'Sites to compare in a measure (first_places or citations): ours, the competitors '
  'that jobs configure and the chosen ones, and the largest others, in the newest week of a span that has any (see '
  'search_reports.largest_sites).';

-- The whole is that of the measure, and the part of a rival the answers that have its name.
CREATE OR REPLACE FUNCTION search_reports.voice_changes(c search_reports.choices, week date, before date)
RETURNS TABLE (name text, kind text, level numeric, level_before numeric, like_for_like numeric, reading text, added numeric,
  dropped numeric, matched numeric, kept bigint, part numeric)
LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ours   text   := (SELECT array_to_string(b.own_names, ', ') FROM search_reports.brands b WHERE b.account_id = c.account);
  rivals text[] := (SELECT b.rival_names FROM search_reports.brands b WHERE b.account_id = c.account);
BEGIN
  RETURN QUERY
  SELECT coalesce(nullif(x.line, ''), ours), CASE x.line WHEN '' THEN 'ours' ELSE 'rival' END, x.level, x.level_before, x.like_for_like,
         x.reading, x.added, x.dropped, x.matched, x.kept, x.part
    FROM search_reports.changes_of(format(
           'SELECT u.week, u.unit, u.cut, '''' AS line, coalesce(u.prompt, '''') AS cluster, m.part, u.units, u.rival_voices,
                   CASE WHEN m.lacks IS NULL THEN m.whole END AS whole
              FROM %s AS u CROSS JOIN LATERAL (%s) AS m',
           search_reports.prompts_source(c, '{}', ARRAY[voice_changes.week], ARRAY[voice_changes.before]),
           (SELECT m.expressions FROM search_reports.measures() AS m WHERE m.name = 'share_of_voice')),
           100, c, voice_changes.week, voice_changes.before, '{""}'::text[] || rivals,
           'SELECT r.week, r.unit, r.cut, '''' AS line, r.part FROM read r WHERE r.whole IS NOT NULL
             UNION ALL
            SELECT r.week, r.unit, r.cut, v.name, 1 FROM read r CROSS JOIN LATERAL unnest(r.rival_voices) AS v (name)
             WHERE r.whole IS NOT NULL AND v.name = ANY ($6)') AS x
   WHERE x.level IS NOT NULL OR x.level_before IS NOT NULL;
END
$$;
COMMENT ON FUNCTION search_reports.voice_changes IS 'The share of voice of ours and of each rival in two weeks, and why it moved: '
  'columns of search_reports.changes.';

-- Both terms are what happened, weighted alike, so that what one gained can be set against what the other lost.
CREATE OR REPLACE FUNCTION search_reports.taken_searches(c search_reports.choices, week date, before date, rivals text[])
RETURNS TABLE (site text, query text, engine text, country text, device text, volume bigint, place integer, place_before integer,
  our_points numeric, its_points numeric, taken numeric, kept bigint)
LANGUAGE plpgsql STABLE ROWS 500 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' SET enable_nestloop = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH units AS MATERIALIZED (
    SELECT s.week, s.unit, s.cut, max(s.keyword) AS query, max(s.engine) AS engine, max(s.country) AS country, max(s.device) AS device,
           max(s.volume) AS volume, min(s.place) AS place, sum(s.weight * s.places)::numeric AS whole,
           sum(s.weight * s.held)::numeric AS ours, sum(s.weight)::numeric AS weight
      FROM search_reports.searches(c, ARRAY[taken_searches.week, taken_searches.before]) AS s
     WHERE s.weight > 0 AND search_reports.lacks_places(s.first_loaded, s.last_loaded, s.is_whole, s.places) IS NULL
       AND search_reports.lacks_us(s.shows_us) IS NULL
     GROUP BY s.week, s.unit, s.cut
  ), both_weeks AS MATERIALIZED (
    SELECT n.unit, n.query, n.engine, n.country, n.device, coalesce(n.volume, b.volume) AS volume, n.place, b.place AS place_before,
           n.weight, b.weight AS weight_before, n.whole, b.whole AS whole_before, n.ours, b.ours AS ours_before,
           sum(n.whole) OVER () AS all_whole, sum(b.whole) OVER () AS all_whole_before, count(*) OVER () AS kept
      FROM units n JOIN units b ON b.unit = n.unit AND b.cut = n.cut AND b.week = taken_searches.before
     WHERE n.week = taken_searches.week
  ), held AS MATERIALIZED (
    SELECT p.site, p.unit, coalesce(sum(p.held) FILTER (WHERE p.week = taken_searches.week), 0) AS now,
           coalesce(sum(p.held) FILTER (WHERE p.week = taken_searches.before), 0) AS before
      FROM search_reports.places_of_sites(c, ARRAY[taken_searches.week, taken_searches.before], rivals) AS p
     GROUP BY p.site, p.unit
    HAVING coalesce(sum(p.held) FILTER (WHERE p.week = taken_searches.week), 0)
           <> coalesce(sum(p.held) FILTER (WHERE p.week = taken_searches.before), 0)
  )
  SELECT h.site, u.query, u.engine, u.country, u.device, u.volume, u.place, u.place_before, 100 * x.ours, 100 * x.theirs,
         100 * sign(x.ours) * least(abs(x.ours), abs(x.theirs)), u.kept
    FROM both_weeks u JOIN held h ON h.unit = u.unit
   CROSS JOIN LATERAL (SELECT (u.whole / u.all_whole + u.whole_before / u.all_whole_before) / 2 AS part) AS w
   CROSS JOIN LATERAL (
         SELECT w.part * (u.ours / u.whole - u.ours_before / u.whole_before) AS ours,
                w.part * (u.weight * h.now / u.whole - u.weight_before * h.before / u.whole_before) AS theirs) AS x
   WHERE x.ours * x.theirs < 0;
END
$$;
COMMENT ON FUNCTION search_reports.taken_searches IS 'Tracked searches of two weeks in which a rival gained first places and we lost '
  'some, or the other way round: what either change adds to the market share, in points, by what happened. taken is the smaller of both, '
  'below zero where it was taken from us. kept is how many searches both weeks have.';

CREATE OR REPLACE FUNCTION search_reports.taken_prompts(c search_reports.choices, week date, before date, rivals text[])
RETURNS TABLE (site text, prompt text, assistant text, country text, cited bigint, cited_before bigint, our_citations bigint,
  our_citations_before bigint, our_points numeric, its_points numeric, taken numeric, kept bigint)
LANGUAGE plpgsql STABLE ROWS 500 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' SET enable_nestloop = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH units AS MATERIALIZED (
    SELECT p.week, p.unit, p.cut, p.prompt, p.assistant, p.country, p.citations, p.own_citations, p.cited_sites
      FROM search_reports.prompts(c, ARRAY[taken_prompts.week, taken_prompts.before]) AS p
     WHERE p.citations > 0 AND p.own_citations IS NOT NULL
  ), both_weeks AS MATERIALIZED (
    SELECT n.prompt, n.assistant, n.country, n.cited_sites AS sites, b.cited_sites AS sites_before, n.own_citations AS ours,
           b.own_citations AS ours_before, n.citations::numeric AS whole, b.citations::numeric AS whole_before,
           sum(n.citations) OVER () AS all_whole,
           sum(b.citations) OVER () AS all_whole_before, count(*) OVER () AS kept
      FROM units n JOIN units b ON b.unit = n.unit AND b.cut = n.cut AND b.week = taken_prompts.before
     WHERE n.week = taken_prompts.week
  )
  SELECT r.site, u.prompt, u.assistant, u.country, k.now, k.before, u.ours::bigint, u.ours_before::bigint, 100 * x.ours,
         100 * x.theirs, 100 * sign(x.ours) * least(abs(x.ours), abs(x.theirs)), u.kept
    -- Most prompts change nothing of ours: their citations need no counting.
    FROM (SELECT * FROM both_weeks WHERE ours * whole_before <> ours_before * whole) AS u CROSS JOIN unnest(rivals) AS r (site)
   CROSS JOIN LATERAL (SELECT cardinality(array_positions(u.sites, r.site))::bigint AS now,
                              cardinality(array_positions(u.sites_before, r.site))::bigint AS before) AS k
   CROSS JOIN LATERAL (SELECT (u.whole / u.all_whole + u.whole_before / u.all_whole_before) / 2 AS part) AS w
   CROSS JOIN LATERAL (
         SELECT w.part * (u.ours / u.whole - u.ours_before / u.whole_before) AS ours,
                w.part * (k.now / u.whole - k.before / u.whole_before) AS theirs) AS x
   WHERE x.ours * x.theirs < 0;
END
$$;
COMMENT ON FUNCTION search_reports.taken_prompts IS 'Tracked prompts of two weeks whose answers cite a rival more often and us less, or '
  'the other way round: what either change adds to the citation share, in points, by what happened. taken is the smaller of both, below '
  'zero where it was taken from us. kept is how many prompts with citations both weeks have.';

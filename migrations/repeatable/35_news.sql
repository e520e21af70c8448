-- What happened between two weeks, as signals and Home tell it: searches and prompts that both weeks have, and sentences about them.

CREATE OR REPLACE FUNCTION search_reports.moved_places(c search_reports.choices, of_week date, before date) RETURNS TABLE (
  query text, engine text, country text, device text, volume bigint, place integer, place_before integer, own_results integer,
  url_before text, depth integer
)
LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY
  WITH known AS MATERIALIZED (
    SELECT s.* FROM search_reports.searches(c, ARRAY[of_week, before]) AS s
     WHERE s.first_loaded = 1 AND search_reports.lacks_us(s.shows_us) IS NULL
  )
  SELECT n.keyword, n.engine, n.country, n.device, n.volume, n.place, b.place, n.own_results, b.url,
         coalesce(n.last_loaded, n.deepest)
    FROM known n JOIN known b ON b.unit = n.unit AND b.cut = n.cut AND b.week = before
   WHERE n.week = of_week AND n.place IS DISTINCT FROM b.place
     -- Of a place deeper than the results of the other week were loaded, that week says nothing.
     AND CASE WHEN n.place IS NULL THEN coalesce(b.place <= n.last_loaded, true) WHEN b.place IS NULL
              THEN coalesce(n.place <= b.last_loaded, true) ELSE true END;
END
$$;
COMMENT ON FUNCTION search_reports.moved_places IS 'Searches that both weeks have and whose best own place differs, NULL for none. A place '
  'that is deeper than the results of the other week were loaded is neither won nor lost. depth is how deep the results of the newer week '
  'were loaded, as far as that is known.';

CREATE OR REPLACE FUNCTION search_reports.moved_prompts(c search_reports.choices, of_week date, before date) RETURNS TABLE (
  prompt text, assistant text, topic text, answers integer, answers_before integer, naming integer, naming_before integer,
  is_certain boolean
)
LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY EXECUTE format($query$
  WITH asked AS MATERIALIZED (
    SELECT p.week, p.unit, p.cut, p.prompt, p.assistant, p.topic, p.answers, p.naming, p.unmet_brands FROM %s($1, ARRAY[$2, $3]) AS p
  ), known AS (
    SELECT a.* FROM asked a WHERE a.answers IS NOT NULL AND a.naming IS NOT NULL
  ), unmet AS MATERIALIZED (
    -- Such a row has another persona, place or language than the answer that it may be of.
    SELECT DISTINCT a.prompt, a.assistant FROM asked a WHERE a.week = $2 AND a.unmet_brands > 0
  )
  SELECT n.prompt, n.assistant, n.topic, n.answers, b.answers, n.naming, b.naming, u.prompt IS NULL
    FROM known n JOIN known b ON b.unit = n.unit AND b.cut = n.cut AND b.week = $3
    LEFT JOIN unmet u ON u.prompt = n.prompt AND u.assistant = n.assistant
   WHERE n.week = $2
  $query$, search_reports.units_function('prompts')) USING c, of_week, before;
END
$$;
COMMENT ON FUNCTION search_reports.moved_prompts IS 'Tracked prompts of which both weeks tell how many answers name us (answers may be '
  '0). is_certain unless a row of an own brand, of the prompt, the assistant and the newer week, meets no answer.';

-- Of several assistants that are tested at once, some change by chance.
CREATE OR REPLACE FUNCTION search_reports.tested_assistants(measure text, c search_reports.choices, of_week date, before date)
RETURNS TABLE (assistant text, level numeric, level_before numeric, like_for_like numeric, part numeric, reading text,
               is_more_than_chance boolean)
LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT t.line, t.level, t.level_before, t.like_for_like, t.part, t.reading,
         CASE WHEN t.chance IS NOT NULL THEN coalesce(t.chance <= search_reports.chance_cut(array_agg(t.chance) OVER ()), false) END
    FROM (SELECT x.*, search_reports.chance_of(x.like_for_like, x.noise, x.observations) AS chance
            FROM search_reports.changes(measure, 'assistant', c, of_week, before) AS x) AS t;
END
$$;
COMMENT ON FUNCTION search_reports.tested_assistants IS 'A measure in two weeks by assistant, as search_reports.changes has it. '
  'is_more_than_chance says whether the change stands after Benjamini and Hochberg at 5 % over all assistants; NULL where it cannot be '
  'tested.';

CREATE OR REPLACE FUNCTION search_reports.some_of(names text[], most integer DEFAULT 3) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN cardinality(names) = 0 THEN NULL
            ELSE array_to_string(names[:most], ', ')
                 || CASE WHEN cardinality(names) > most THEN ' and ' || search_reports.others(cardinality(names) - most) ELSE '' END END;
COMMENT ON FUNCTION search_reports.some_of IS 'The first names of a list, three unless asked, and how many others there are.';

-- Enough digits for two figures that differ to be told apart.
CREATE OR REPLACE FUNCTION search_reports.told_apart(one numeric, other numeric) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN one = other OR round(one, 1) <> round(other, 1) THEN 1 WHEN round(one, 2) <> round(other, 2) THEN 2
            WHEN round(one, 3) <> round(other, 3) THEN 3 ELSE 6 END;
COMMENT ON FUNCTION search_reports.told_apart IS 'How many digits tell two figures apart that are not equal; 1 for equal ones.';

CREATE OR REPLACE FUNCTION search_reports.not_as_zero(figure numeric, digits integer) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(figure, greatest(digits, search_reports.told_apart(figure, 0)));
COMMENT ON FUNCTION search_reports.not_as_zero IS 'A figure rounded to so many digits, or to more where it would be 0 and is not.';

CREATE OR REPLACE FUNCTION search_reports.site_shares(account bigint, of_week date, weeks integer) RETURNS TABLE (
  week date, site text, is_own boolean, share numeric
)
LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  c    search_reports.choices := search_reports.all_of(account);
  ours text[] := search_reports.own_sites_of(account);
BEGIN
  RETURN QUERY
  WITH wholes AS MATERIALIZED (
    SELECT l.week, l.whole FROM search_reports.levels('first_places', NULL, c, format('%s..%s', of_week - 7 * (weeks - 1), of_week)) AS l
     WHERE l.level IS NOT NULL
  )
  SELECT w.week, p.site, search_reports.is_related(p.site, ours), 100 * p.part / w.whole
    FROM wholes w JOIN search_reports.market_parts(c, ARRAY(SELECT k.week FROM wholes k), NULL) AS p ON p.week = w.week
   WHERE p.site <> '(no page)';
END
$$;
COMMENT ON FUNCTION search_reports.site_shares IS 'The market share of each site, as the measure first_places counts it, in so many weeks '
  'up to one, in percent; is_own also for a site that is ours in part.';

CREATE OR REPLACE FUNCTION search_reports.points_of(amount numeric) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN amount > 0 THEN '+' ELSE '−' END
       || CASE WHEN abs(amount) < 0.005 THEN 'less than 0.01' ELSE round(abs(amount), 2)::text END;
COMMENT ON FUNCTION search_reports.points_of IS 'A change of a share with its sign, never shown as 0.';

-- Each sentence is of searches or prompts that both weeks have, and that are chosen.
CREATE OR REPLACE FUNCTION search_reports.search_news(c search_reports.choices, of_week date, before date)
RETURNS TABLE (what text, details text, points numeric)
LANGUAGE plpgsql STABLE ROWS 2 SET search_path = pg_catalog, pg_temp SET jit = off SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY
  WITH keywords AS (
    SELECT coalesce(nullif(k.cluster, ''), '(none)') AS name, 100 * sum(k.happened) AS points
      FROM search_reports.contributions_by_unit('visibility', NULL, c, of_week, before) AS k
     GROUP BY 1 HAVING sum(k.happened) <> 0
  ), sides AS (
    SELECT k.points > 0 AS is_won, count(*) AS amount, sum(k.points) AS points,
           search_reports.some_of(array_agg(format('“%s” (%s)', k.name, search_reports.points_of(k.points))
                                            ORDER BY abs(k.points) DESC, k.name)) AS names
      FROM keywords k GROUP BY 1
  ), places AS (
    SELECT count(*) FILTER (WHERE m.place IS NULL) AS lost, count(*) FILTER (WHERE m.place_before IS NULL) AS won,
           min(m.depth) FILTER (WHERE m.place IS NULL)
             || CASE WHEN min(m.depth) FILTER (WHERE m.place IS NULL) < max(m.depth) FILTER (WHERE m.place IS NULL)
                     THEN ' to ' || max(m.depth) FILTER (WHERE m.place IS NULL) ELSE '' END AS depth
      FROM search_reports.moved_places(c, of_week, before) AS m
  )
  SELECT CASE WHEN s.is_won THEN 'Searches won' ELSE 'Searches lost' END,
         format('%s %s first places: %s%s', s.amount || CASE s.amount WHEN 1 THEN ' keyword' ELSE ' keywords' END,
                CASE WHEN s.is_won THEN 'won' ELSE 'lost' END, s.names,
                CASE WHEN s.is_won AND p.won > 0
                     THEN format('; %s us that did not', p.won || CASE p.won WHEN 1 THEN ' search shows' ELSE ' searches show' END)
                     WHEN NOT s.is_won AND p.lost > 0
                     THEN format('; %s us no more%s', p.lost || CASE p.lost WHEN 1 THEN ' search shows' ELSE ' searches show' END,
                                 ' within the first ' || p.depth)
                     ELSE '' END), s.points
    FROM sides s CROSS JOIN places p;
END
$$;
COMMENT ON FUNCTION search_reports.search_news IS 'Sentences about keywords that won or lost first places between two weeks, with what '
  'they add to visibility in points, by what happened and not by other volumes.';

CREATE OR REPLACE FUNCTION search_reports.prompt_news(c search_reports.choices, of_week date, before date)
RETURNS TABLE (what text, assistant text, details text, points numeric)
LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp SET jit = off SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY
  WITH moved AS MATERIALIZED (
    SELECT * FROM search_reports.moved_prompts(c, of_week, before)
  ), wholes AS (
    SELECT sum(m.answers)::numeric AS now, sum(m.answers_before)::numeric AS before FROM moved m
  ), units AS (
    -- What happened, as in search_reports.contributions_by_unit.
    SELECT coalesce(m.assistant, '(none)') AS assistant, coalesce(m.prompt, '(none)') AS prompt, m.naming > 0 AS is_won,
           100 * sum(round((m.answers / w.now + m.answers_before / w.before) / 2
                           * (m.naming::numeric / m.answers - m.naming_before::numeric / m.answers_before), 15)) AS points
      FROM moved m CROSS JOIN wholes w
     WHERE (m.naming > 0) <> (m.naming_before > 0) AND m.answers > 0 AND m.answers_before > 0 AND m.is_certain
     GROUP BY 1, 2, 3
  )
  SELECT CASE WHEN u.is_won THEN 'Prompts won: ' ELSE 'Prompts lost: ' END || u.assistant, u.assistant,
         format('%s %s naming us in answers to %s %s: %s', u.assistant, CASE WHEN u.is_won THEN 'began' ELSE 'stopped' END, count(*),
                CASE count(*) WHEN 1 THEN 'prompt' ELSE 'prompts' END,
                search_reports.some_of(array_agg(format('“%s”', u.prompt) ORDER BY abs(u.points) DESC, u.prompt))), sum(u.points)
    FROM units u
   GROUP BY u.assistant, u.is_won;
END
$$;
COMMENT ON FUNCTION search_reports.prompt_news IS 'Sentences about prompts whose answers began or stopped naming us between two weeks, by '
  'assistant, with what they add to the mention rate in points.';

-- Rivals are the competitors that jobs configure and the ten largest sites of either week, since one that has gone is news, too. Only one
-- whose share moved by more than chance is told of.
CREATE OR REPLACE FUNCTION search_reports.rival_news(c search_reports.choices, span text, of_week date, before date)
RETURNS TABLE (what text, competitor text, details text, points numeric, reading text)
LANGUAGE plpgsql STABLE ROWS 2 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  sites text[] := ARRAY(SELECT s.site FROM search_reports.compared_sites('first_places', c, span, 10, '{}') AS s WHERE s.kind <> 'ours'
                         UNION
                        SELECT s.site FROM search_reports.compared_sites('first_places', c, format('%1$s..%1$s', before), 10, '{}') AS s
                         WHERE s.kind <> 'ours');
BEGIN
  RETURN QUERY
  WITH tested AS MATERIALIZED (
    SELECT x.*, search_reports.chance_of(x.like_for_like, x.noise, x.observations) AS chance
      FROM search_reports.site_changes('first_places', c, sites, of_week, before) AS x
  ), told AS MATERIALIZED (
    SELECT t.site, t.level, t.like_for_like, t.reading, CASE t.reading WHEN 'more' THEN -1 ELSE 1 END AS side
      FROM tested t WHERE t.chance <= (SELECT search_reports.chance_cut(array_agg(k.chance)) FROM tested k)
  ), keywords AS (
    -- Of each by itself: in most weeks there is none, and then no search is read.
    SELECT n.site, coalesce(nullif(n.query, ''), '(none)') AS query, sum(n.taken) AS points
      FROM told t CROSS JOIN LATERAL search_reports.taken_searches(c, of_week, before, ARRAY[t.site]) AS n
     WHERE n.taken * t.side > 0 GROUP BY 1, 2
  )
  SELECT 'Rival: ' || t.site, t.site,
         format('%s holds %s of the first places, %s points %s%s', t.site,
                CASE t.level WHEN 0 THEN 'none' ELSE search_reports.not_as_zero(t.level, 2) || ' %' END,
                search_reports.not_as_zero(abs(t.like_for_like), 2), t.reading,
                (SELECT format(CASE t.side WHEN -1 THEN '; it took %s from us: %s' ELSE '; we took %s from it: %s' END,
                               search_reports.not_as_zero(abs(sum(k.points)), 2),
                               search_reports.some_of(array_agg(format('“%s” (%s)', k.query, search_reports.points_of(k.points))
                                                                ORDER BY abs(k.points) DESC, k.query)))
                   FROM keywords k WHERE k.site = t.site HAVING count(*) > 0)), t.like_for_like, t.reading
    FROM told t;
END
$$;
COMMENT ON FUNCTION search_reports.rival_news IS 'Sentences about rivals whose share of the first places changed by more than chance of '
  'all of them together, with the keywords in which one gained what the other lost.';

CREATE OR REPLACE FUNCTION search_reports.new_criticism(c search_reports.choices, of_week date, of_assistant text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    WITH said AS MATERIALIZED (
      SELECT s.snippet, s.place FROM search_reports.said(c, of_week) AS s
       WHERE s.is_ours AND lower(s.sentiment COLLATE "C") = 'negative' AND s.snippet <> '' AND s.assistant = of_assistant
    )
    SELECT format('; new since this week: “%s”', left((array_agg(s.snippet ORDER BY s.place))[1], 200))
           || CASE WHEN count(DISTINCT s.snippet) > 1 THEN format(' and %s more', count(DISTINCT s.snippet) - 1) ELSE '' END
      FROM said s
     WHERE s.snippet <> ALL (search_reports.said_before(c.account, of_week, ARRAY(SELECT k.snippet FROM said k)))
    HAVING count(*) > 0);
END
$$;
COMMENT ON FUNCTION search_reports.new_criticism IS 'The negative sentences of an assistant about us in a week that no week before had, '
  'the first of them quoted; NULL for none.';

-- What is told of an assistant is its own share of criticism; points are what its prompts add to that of all assistants together, as in
-- other news.
CREATE OR REPLACE FUNCTION search_reports.criticism_news(c search_reports.choices, of_week date, before date)
RETURNS TABLE (what text, assistant text, details text, points numeric, reading text)
LANGUAGE plpgsql STABLE ROWS 2 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  RETURN QUERY
  SELECT 'Criticism: ' || t.assistant, t.assistant,
         format('%s criticises us %s often: %s %% of its mentions are negative, %s points %s%s', t.assistant, d.way, round(t.level, 1),
                search_reports.not_as_zero(abs(t.like_for_like), 1), d.way,
                CASE d.way WHEN 'more' THEN search_reports.new_criticism(c, of_week, t.assistant) END), p.points, d.way
    FROM search_reports.tested_assistants('criticism', c, of_week, before) AS t
   CROSS JOIN LATERAL (SELECT CASE WHEN t.like_for_like > 0 THEN 'more' ELSE 'less' END AS way) AS d
   CROSS JOIN LATERAL (
         SELECT 100 * sum(k.happened + k.by_weight) AS points
           FROM search_reports.contributions_by_unit('criticism', 'assistant', c, of_week, before) AS k WHERE k.line = t.assistant) AS p
   WHERE t.is_more_than_chance;
END
$$;
COMMENT ON FUNCTION search_reports.criticism_news IS 'Sentences about assistants that criticise us more or less often than in another '
  'week, by more than chance of all assistants together, with what their prompts add to the share of criticism in points.';

-- A query of its own: Citus would run the one around it, with its functions, on the node that has the account.
CREATE OR REPLACE FUNCTION search_reports.own_pages_cited(account bigint, weeks date[]) RETURNS TABLE (week date, unit uuid, url text)
LANGUAGE plpgsql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $$
#variable_conflict use_column
DECLARE
  aliases jsonb  := search_reports.aliases_of(account);
  own     text[] := search_reports.own_patterns(account);
  hosts   text[] := ARRAY(
    SELECT k.site FROM (SELECT DISTINCT p.site FROM search_reports.ai_cited_pages p WHERE p.account_id = account AND p.week = ANY (weeks)
                        OFFSET 0) AS k WHERE search_reports.is_own(k.site, NULL, own));
BEGIN
  RETURN QUERY
  SELECT w.week, search_reports.prompt_key_of(r.web_property_id, r.ai_search_engine, r.locode, r.language, r.persona,
           r.collection_frequency, r.prompt, aliases), nullif(search_reports.bare_url(r.citation_url), '')
    FROM unnest(weeks) AS w (week)
    JOIN search.ai_search_citations r ON r.account_id = account AND r.time_period_start BETWEEN w.week AND w.week + 6
   WHERE (lower(r.citation_attribution COLLATE "C") = 'you' OR lower(r.citation_domain COLLATE "C") = ANY (hosts))
     AND (r._occurrence = 1 OR search_reports.is_first_copy(to_jsonb(r), ARRAY(
          SELECT to_jsonb(o) FROM search.ai_search_citations o
           WHERE o.account_id = r.account_id AND o.time_period_start = r.time_period_start AND o._key = r._key
             AND o._occurrence < r._occurrence)));
END
$$;
COMMENT ON FUNCTION search_reports.own_pages_cited IS 'Citations of our pages in some weeks, each with its tracked prompt and its page; '
  'rows that are equal in all columns are one.';

CREATE OR REPLACE FUNCTION search_reports.own_pages(c search_reports.choices, of_week date, before date)
RETURNS TABLE (url text, citations bigint, citations_before bigint, kept bigint, kept_before bigint, assistants_before bigint,
               of_whole bigint, whole numeric, whole_before numeric)
LANGUAGE plpgsql STABLE ROWS 500 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY EXECUTE format($query$
  WITH units AS MATERIALIZED (
    SELECT p.unit, max(p.assistant) AS assistant, bool_or(p.week = $2) AS is_now, bool_or(p.week = $3) AS is_before,
           bool_or(p.week = $2) AND bool_or(p.week = $3) AS is_kept,
           sum(p.citations) FILTER (WHERE p.week = $2) AS whole, sum(p.citations) FILTER (WHERE p.week = $3) AS whole_before
      FROM %s($1, ARRAY[$2, $3]) AS p WHERE p.own_citations IS NOT NULL AND 'citations' = ANY (p.asked) GROUP BY p.unit
  ), wholes AS (
    SELECT nullif(sum(u.whole), 0)::numeric AS whole, nullif(sum(u.whole_before), 0)::numeric AS whole_before FROM units u WHERE u.is_kept
  ), pages AS (
    SELECT k.url, count(*) FILTER (WHERE k.week = $2) AS now, count(*) FILTER (WHERE k.week = $3) AS before,
           count(*) FILTER (WHERE k.week = $2 AND u.is_kept) AS kept, count(*) FILTER (WHERE k.week = $3 AND u.is_kept) AS kept_before,
           count(DISTINCT coalesce(u.assistant, '')) FILTER (WHERE k.week = $3) AS assistants_before,
           count(CASE k.week WHEN $2 THEN u.whole ELSE u.whole_before END) FILTER (WHERE u.is_kept) AS of_whole
      FROM search_reports.own_pages_cited(($1).account, ARRAY[$2, $3]) AS k
      JOIN units u ON u.unit = k.unit AND CASE k.week WHEN $2 THEN u.is_now ELSE u.is_before END
     WHERE k.url IS NOT NULL GROUP BY k.url
  )
  SELECT p.*, w.whole, w.whole_before FROM wholes w CROSS JOIN pages p
  $query$, search_reports.units_function('prompts')) USING c, of_week, before;
END
$$;
COMMENT ON FUNCTION search_reports.own_pages IS 'Pages of ours that answers of two weeks cite, and how often: to the prompts that are '
  'chosen and were asked for all citations of ours, and to those of them that both weeks have (kept). whole is how many citations the kept '
  'prompts have of which all citations were asked for, and of_whole how many of these are of the page; NULL for none.';

-- A page with a single citation comes and goes.
CREATE OR REPLACE FUNCTION search_reports.page_news(c search_reports.choices, of_week date, before date)
RETURNS TABLE (what text, details text, points numeric)
LANGUAGE plpgsql STABLE ROWS 2 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  WITH sides AS (
    SELECT p.citations_before = 0 AS is_new, count(*) AS number, sum(p.kept + p.kept_before) AS citations,
           nullif(sum(p.of_whole), 0) AS of_whole, CASE WHEN p.citations_before = 0 THEN p.whole ELSE -p.whole_before END AS whole,
           search_reports.some_of(array_agg(format('%s (%s)', p.url, p.kept + p.kept_before)
                                            ORDER BY p.kept + p.kept_before DESC, p.url)) AS names
      FROM search_reports.own_pages(c, of_week, before) AS p
     WHERE p.citations_before = 0 AND p.kept > 1 OR p.citations = 0 AND p.kept_before > 1 GROUP BY 1, 5
  )
  SELECT CASE WHEN s.is_new THEN 'Pages cited newly' ELSE 'Pages cited no more' END,
         format('%s of ours %s, %s citations%s: %s',
                s.number || CASE s.number WHEN 1 THEN ' page' ELSE ' pages' END,
                CASE WHEN s.number = 1 THEN 'is' ELSE 'are' END || CASE WHEN s.is_new THEN ' cited newly' ELSE ' cited no more' END,
                s.citations, ' (' || search_reports.points_of(x.points) || ' points of the citation share)', s.names), x.points
    FROM sides s CROSS JOIN LATERAL (SELECT 100 * s.of_whole / s.whole AS points) AS x;
END
$$;
COMMENT ON FUNCTION search_reports.page_news IS 'Sentences about pages of ours that answers of a week cite and none of another week did, '
  'or the other way round: those that answers to prompts of both weeks cite at least twice, with what these citations add to the citation '
  'share in points (of tracked prompts of which all citations were asked for; NULL for none).';

-- A recovery is told once, in the week in which four fifths of the fall are made up for. Changes are like for like.
CREATE OR REPLACE FUNCTION search_reports.recovery_news(c search_reports.choices, span text, of_week date, before date, measure text)
RETURNS TABLE (what text, details text, points numeric)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
  missing  constant numeric := 0.2;
  now      record;
  fall     record;
  since    record;
  was      record;
  fell_in  date;
BEGIN
  -- Of searches that find us it is told how many they are.
  IF measure = 'found' THEN
    c.by_volume := false;
  END IF;
  SELECT * INTO now FROM search_reports.changes(measure, NULL, c, of_week, before) AS x;
  IF now.like_for_like IS NULL OR now.like_for_like <= 0 THEN
    RETURN;
  END IF;
  -- The steepest fall before, of which most was still missing: like for like, since a level may rise by what was added.
  SELECT k.week INTO fell_in
    FROM (SELECT l.week, l.like_for_like, lag(l.week) OVER (ORDER BY l.week) AS week_before,
                 sum(l.like_for_like) FILTER (WHERE l.week <= before) OVER (ORDER BY l.week DESC) AS since
            FROM search_reports.levels(measure, NULL, c, span) AS l WHERE l.level IS NOT NULL) AS k
   WHERE k.week <= before AND k.week_before = k.week - 7 AND k.like_for_like < 0 AND k.since < missing * k.like_for_like
   ORDER BY k.like_for_like, k.week DESC LIMIT 1;
  IF fell_in IS NULL THEN
    RETURN;
  END IF;
  SELECT * INTO fall FROM search_reports.changes(measure, NULL, c, fell_in, fell_in - 7) AS x;
  SELECT * INTO since FROM search_reports.changes(measure, NULL, c, of_week, fell_in - 7) AS x;
  SELECT * INTO was FROM search_reports.changes(measure, NULL, c, before, fell_in - 7) AS x;
  IF fall.reading = 'less' AND since.like_for_like >= missing * fall.like_for_like AND was.like_for_like < missing * fall.like_for_like THEN
    RETURN QUERY
    SELECT 'Back: ' || m.title,
           CASE measure WHEN 'found' THEN format('%s searches find us; before the fall in the week of %s, %s did',
                                                 round(k.now * since.kept / 100), fell_in, round(k.before * since.kept / 100))
                ELSE format('%s is back at %s %%; before the fall in the week of %s, it was %s %%', m.title,
                            round(k.now, d.digits), fell_in, round(k.before, d.digits)) END
             || CASE WHEN since.matched < 1 THEN format(', of the %s that both weeks have', m.units) ELSE '' END, now.like_for_like
      FROM search_reports.measures() AS m
     -- The levels of what both weeks have: others are no fall and no way back.
     CROSS JOIN LATERAL (SELECT since.level - since.added AS now, since.level_before + since.dropped AS before) AS k
     CROSS JOIN LATERAL (SELECT search_reports.told_apart(k.now, k.before) AS digits) AS d
     WHERE m.name = measure;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.recovery_news IS 'A sentence about a measure that is back at its level before the steepest fall of a '
  'span, which was more than chance: in the newer of two weeks at most a fifth of the fall is missing, and in the other one more was.';

CREATE OR REPLACE FUNCTION search_reports.news(c search_reports.choices, span text, compare text)
RETURNS TABLE (week date, what text, details text, points numeric, measure text, assistant text, competitor text, reading text)
LANGUAGE plpgsql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
  pair record;
BEGIN
  FOR pair IN
    SELECT k.name, p.week, p.before
      FROM unnest(ARRAY['visibility', 'mention_rate', 'criticism', 'citation_share', 'found', 'first_places']) AS k (name)
     CROSS JOIN LATERAL search_reports.measure_pair(k.name, c.account, span, compare) AS p WHERE p.before IS NOT NULL
  LOOP
    IF pair.name IN ('visibility', 'citation_share') THEN
      RETURN QUERY
      SELECT pair.week, n.what, n.details, n.points, pair.name, NULL::text, NULL::text, x.reading
        FROM (SELECT * FROM search_reports.search_news(c, pair.week, pair.before) WHERE pair.name = 'visibility'
               UNION ALL
              SELECT * FROM search_reports.page_news(c, pair.week, pair.before) WHERE pair.name = 'citation_share') AS n
        LEFT JOIN search_reports.changes(pair.name, NULL, c, pair.week, pair.before) AS x ON true;
    ELSIF pair.name = 'mention_rate' THEN
      RETURN QUERY
      SELECT pair.week, n.what, n.details || CASE WHEN a.level IS NULL OR a.level_before IS NULL THEN ''
               -- A rate of 0 is not certain where rows of own brands met no answer.
               WHEN 0 IN (a.level, a.level_before)
                    AND EXISTS (SELECT FROM search_reports.prompts(c, ARRAY[CASE a.level WHEN 0 THEN pair.week END,
                                                                            CASE a.level_before WHEN 0 THEN pair.before END]) AS p
                                 WHERE p.unmet_brands > 0 AND coalesce(nullif(p.assistant, ''), '(none)') = n.assistant) THEN ''
               ELSE format('; %s %% of its answers name us, before %s %%', round(a.level, d.digits), round(a.level_before, d.digits)) END,
             n.points, pair.name, n.assistant, NULL::text,
             CASE WHEN a.is_more_than_chance THEN a.reading WHEN NOT a.is_more_than_chance THEN 'within noise' END
        FROM search_reports.prompt_news(c, pair.week, pair.before) AS n
        LEFT JOIN search_reports.tested_assistants('mention_rate', c, pair.week, pair.before) AS a ON a.assistant = n.assistant
       CROSS JOIN LATERAL (SELECT search_reports.told_apart(a.level, a.level_before) AS digits) AS d;
    ELSIF pair.name = 'criticism' THEN
      RETURN QUERY
      SELECT pair.week, n.what, n.details, n.points, pair.name, n.assistant, NULL::text, n.reading
        FROM search_reports.criticism_news(c, pair.week, pair.before) AS n;
    ELSIF pair.name = 'first_places' THEN
      RETURN QUERY
      SELECT pair.week, n.what, n.details, n.points, pair.name, NULL::text, n.competitor, n.reading
        FROM search_reports.rival_news(c, span, pair.week, pair.before) AS n;
    END IF;
    RETURN QUERY
    SELECT pair.week, n.what, n.details, n.points, pair.name, NULL::text, NULL::text, 'more'
      FROM search_reports.recovery_news(c, span, pair.week, pair.before, pair.name) AS n
     WHERE pair.name IN ('visibility', 'found', 'mention_rate');
  END LOOP;
END
$$;
COMMENT ON FUNCTION search_reports.news IS 'All news of the newest week of a span against another week (see '
  'search_reports.week_compared), each with the measure that it is about, what it adds to this one in points, and whether the change of '
  'the measure, or of the assistant, is more than chance (reading).';

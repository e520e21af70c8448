-- What boards about one thing can show: keywords, pages, sites, topics and prompts of an account.

CREATE OR REPLACE FUNCTION search_reports.thing_columns(of_variable text) RETURNS TABLE (number bigint, dataset text, subject text,
    summary text, name text, weight text)
LANGUAGE sql IMMUTABLE ROWS 2
BEGIN ATOMIC
  SELECT number, dataset, subject, summary, name, weight
    FROM (VALUES (1::bigint, 'keyword', 'keyword_rankings', 'rankings', 'search_reports.search_facts', 'query', 'max(volume)'),
                 (1, 'page', 'keyword_rankings', 'rankings', 'search_reports.ranking_pages', 'url', 'sum(searches)'),
                 (2, 'page', 'ai_search_citations', 'citations', 'search_reports.ai_cited_pages', 'url', 'sum(citations)'),
                 (1, 'site', 'keyword_rankings', 'rankings', 'search_reports.search_sites', 'site', 'sum(standard_10)'),
                 (2, 'site', 'ai_search_citations', 'citations', 'search_reports.ai_cited_pages', 'site', 'sum(citations)'),
                 (1, 'topic', 'ai_search_response', 'answers', 'search_reports.prompt_values',
                  'CASE variable WHEN ''topic'' THEN nullif(value, ''(none)'') END', 'sum(amount)'),
                 (1, 'prompt', 'ai_search_response', 'answers', 'search_reports.prompt_sums',
                  'CASE WHEN NOT is_by_assistant THEN prompt END', 'sum(answers)'),
                 (1, 'persona', 'ai_search_response', 'answers', 'search_reports.prompt_values',
                  'CASE variable WHEN ''persona'' THEN value END', 'sum(amount)'),
                 (1, 'intent', 'ai_search_response', 'answers', 'search_reports.prompt_values',
                  'CASE variable WHEN ''intent'' THEN value END', 'sum(amount)'),
                 (1, 'prompt_group', 'ai_search_response', 'answers', 'search_reports.prompt_values',
                  'CASE variable WHEN ''prompt_group'' THEN value END', 'sum(amount)'))
         AS known (number, variable, dataset, subject, summary, name, weight)
   WHERE variable = of_variable;
END;
COMMENT ON FUNCTION search_reports.thing_columns IS 'Where the values of a variable that a board is about (keyword, page, site, topic or '
  'prompt), or of a kind of prompts (persona, intent, prompt_group), are found, and what measures their importance.';

CREATE OR REPLACE FUNCTION search_reports.things(
  of_variable text, of_account bigint, of_persona text[] DEFAULT NULL, of_intent text[] DEFAULT NULL, of_groups text[] DEFAULT NULL
) RETURNS TABLE (value text, label text, number bigint)
LANGUAGE plpgsql STABLE ROWS 300 SET plan_cache_mode = force_generic_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  part   record;
  newest date;
  most   constant integer := 300;
  found  text[] := '{}';
  more   text[];
BEGIN
  FOR part IN SELECT * FROM search_reports.thing_columns(of_variable) ORDER BY number LOOP
    -- The newest week that is stored; where none is, the newest one, which is computed.
    newest := (SELECT coalesce(max(w.week) FILTER (WHERE s.week IS NULL), max(w.week))
                 FROM search_reports.weeks_of(part.dataset, of_account) AS w
                 LEFT JOIN search_reports.marked_weeks s ON s.subject = part.subject AND s.account_id = of_account AND s.week = w.week
                WHERE w.is_published);
    EXECUTE format('SELECT array_agg(value ORDER BY weight DESC NULLS LAST, value)
                      FROM (SELECT %5$s AS value, sum(weight) AS weight
                              FROM (SELECT %1$s AS name, %2$s AS weight FROM %3$s WHERE account_id = $1 AND %4$s
                                    GROUP BY 1 OFFSET 0) AS named
                             WHERE %5$s <> %6$L GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT $3) AS most',
                   part.name, part.weight, part.summary,
                   'week = $2' || CASE of_variable WHEN 'prompt'
                     THEN ' AND search_reports.is_chosen(persona, $4) AND search_reports.is_chosen(intent, $5)
                            AND search_reports.is_any_of(prompt_groups, $6)' ELSE '' END,
                   -- Tens of thousands of rows a week have few different sites: OFFSET prevents that bare_domain is computed for each row.
                   CASE of_variable WHEN 'site' THEN 'search_reports.bare_domain(name)' ELSE 'name' END, '')
       INTO more USING of_account, newest, most, of_persona, of_intent, of_groups;
    found := found || coalesce(more, '{}');
  END LOOP;
  RETURN QUERY
  SELECT v.value, v.value, min(v.number) FROM unnest(found) WITH ORDINALITY AS v (value, number) GROUP BY v.value ORDER BY 3 LIMIT most;
END
$$;
COMMENT ON FUNCTION search_reports.things IS 'The most important values of a variable that a board is about (keyword, page, site, topic or '
  'prompt), or of a kind of prompts (persona, intent or prompt_group), in the newest week of an account; for prompts, those of the chosen '
  'kinds.';

CREATE OR REPLACE FUNCTION search_reports.knows_thing(of_variable text, of_account bigint, value text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  wanted text := CASE of_variable WHEN 'page' THEN search_reports.bare_url(value) ELSE value END;
  newest date;
BEGIN
  -- Panels compare the site as it is written, so another spelling would be shown without figures.
  IF of_variable = 'site' AND value <> search_reports.bare_domain(value) THEN
    RETURN false;
  END IF;
  IF (SELECT search_reports.has_value(of_account, wanted, array_agg(c.summary ORDER BY c.number), array_agg(
               CASE of_variable WHEN 'site' THEN format('search_reports.bare_domain(%s)', c.name)
                                ELSE c.name END ORDER BY c.number))
        FROM search_reports.thing_columns(of_variable) AS c) THEN
    RETURN true;
  ELSIF of_variable NOT IN ('page', 'site') THEN
    RETURN false;
  END IF;
  -- Summaries have pages of others only if they are cited, and sites only within the first places. Searching all weeks of results would
  -- take long.
  newest := (SELECT max(w.week) FROM search_reports.weeks_of('keyword_rankings', of_account) AS w WHERE w.is_published);
  RETURN EXISTS (SELECT 1 FROM search.keyword_rankings r
                  WHERE r.account_id = of_account AND r.time_period_start BETWEEN newest - 7 AND newest + 6
                    AND CASE of_variable WHEN 'page' THEN strpos(lower(r.normalized_url COLLATE "C"), search_reports.host_of(wanted)) > 0
                      AND search_reports.bare_url(r.normalized_url) = wanted
                                         ELSE lower(r.root_domain COLLATE "C") = wanted END);
END
$$;
COMMENT ON FUNCTION search_reports.knows_thing IS 'Whether an account has a value of a variable that a board is about, or of a kind of '
  'prompts: in any week of the summaries, or for pages and sites in the results of the newest two weeks.';

-- In PL/pgSQL: Citus runs each query on the node that has the account. A text without other letters than ASCII is compared in the collation
-- C, whose lower case takes a tenth of the time.
CREATE OR REPLACE FUNCTION search_reports.find_things(of_account bigint, wanted text, most integer)
RETURNS TABLE (variable text, value text, place integer, found bigint)
LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_generic_plan SET search_path = pg_catalog, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
  spelling constant text := CASE WHEN octet_length(wanted) = length(wanted) THEN 'lower(%s COLLATE "C")'
                                 ELSE 'search_reports.folded(%s)' END;
  -- The newest week that is stored; where none is, the newest one, which is computed.
  weeks jsonb := (
    SELECT jsonb_object_agg(d.subject, (
             SELECT coalesce(max(w.week) FILTER (WHERE s.week IS NULL), max(w.week))
               FROM search_reports.weeks_of(d.dataset, of_account) AS w
               LEFT JOIN search_reports.marked_weeks s ON s.subject = d.subject AND s.account_id = of_account AND s.week = w.week
              WHERE w.is_published))
      FROM (VALUES ('rankings', 'keyword_rankings'), ('answers', 'ai_search_response'), ('citations', 'ai_search_citations'))
           AS d (subject, dataset));
  kind   text;
  sought text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['keyword', 'prompt', 'topic', 'site', 'page'] LOOP
    sought := search_reports.folded(btrim(CASE kind WHEN 'page' THEN search_reports.bare_url(btrim(wanted))
                                    WHEN 'site' THEN search_reports.bare_domain(btrim(wanted)) ELSE wanted END));
    CONTINUE WHEN sought = '';
    RETURN QUERY EXECUTE (
      SELECT format($query$
             SELECT %1$L, m.value, CASE %2$s WHEN $1 THEN 1 ELSE CASE WHEN starts_with(%2$s, $1) THEN 2 ELSE 3 END END AS place,
                    count(*) OVER ()
               FROM (SELECT %3$s AS value, min(n.number) AS number, sum(n.weight) AS weight FROM (%4$s) AS n GROUP BY 1) AS m
              WHERE m.value <> ALL ('{"",(none),(no page),(unknown)}')
              ORDER BY place, m.number, m.weight DESC NULLS LAST, m.value COLLATE "C"
              LIMIT $2$query$, kind, format(spelling, 'm.value'),
             -- Few different sites are in tens of thousands of rows.
             CASE kind WHEN 'site' THEN 'search_reports.bare_domain(n.name)' ELSE 'n.name' END,
             string_agg(format('(SELECT %s::bigint AS number, %s AS name, (%s)::numeric AS weight FROM %s
                                  WHERE account_id = %L AND week = %L AND strpos(%s, $1) > 0 GROUP BY 2 OFFSET 0)',
                               c.number, c.name, c.weight, c.summary, of_account, weeks->>c.subject, format(spelling, c.name)),
                        ' UNION ALL '))
        FROM search_reports.thing_columns(kind) AS c) USING sought, most;
  END LOOP;
END
$$;
COMMENT ON FUNCTION search_reports.find_things IS 'Keywords, prompts, pages, sites and topics of an account whose text has the wanted '
  'one, whatever its case, in the newest week of each dataset: of each kind (variable) so many, those that are equal to it first (place '
  '1), then those that begin with it (2), then the others (3), each by importance. found is how many there are in all.';

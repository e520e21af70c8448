-- What is there to win: prompts whose answers do not name us, what they say and cite instead.

CREATE OR REPLACE FUNCTION search_reports.silent_prompts(c search_reports.choices, week date)
RETURNS TABLE (unit uuid, prompt text, assistant text, country text, topic text, answers integer, citations integer, cited_sites text[],
  is_silent boolean)
LANGUAGE plpgsql STABLE ROWS 2000 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT p.unit, p.prompt, p.assistant, p.country, p.topic, p.answers, p.citations, p.cited_sites, p.naming,
           bool_or(p.unmet_brands > 0) OVER (PARTITION BY p.prompt, p.assistant) AS is_unmet
      FROM search_reports.prompts(c, ARRAY[silent_prompts.week]) AS p
  )
  SELECT a.unit, a.prompt, a.assistant, a.country, a.topic, a.answers, a.citations, a.cited_sites, a.naming = 0 AND NOT a.is_unmet
    FROM asked a WHERE a.answers > 0 AND a.naming IS NOT NULL;
END
$$;
COMMENT ON FUNCTION search_reports.silent_prompts IS 'Tracked prompts of a week of which it is known whether their answers name us. '
  'is_silent if none does, for certain: not where a row of an own brand, of the same prompt and assistant, meets no answer.';

-- A query of its own: Citus would run the one around it, with its functions, on the node that has the account.
CREATE OR REPLACE FUNCTION search_reports.brands_said(c search_reports.choices, week date, prompts text[])
RETURNS TABLE (unit uuid, brands text[])
LANGUAGE plpgsql STABLE ROWS 500 SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  aliases jsonb  := search_reports.aliases_of(c.account);
  names   text[] := search_reports.own_names(c.account);
BEGIN
  RETURN QUERY
  WITH said AS (
    SELECT s.web_property_id, s.ai_search_engine, s.locode, s.language, s.persona, s.collection_frequency, s.prompt,
           s.sentiment_brand AS brand
      FROM search.ai_search_sentiments s
     WHERE s.account_id = c.account AND s.time_period_start BETWEEN brands_said.week AND brands_said.week + 6
       AND s.sentiment_brand <> '' AND search_reports.folded(s.sentiment_brand) <> ALL (names) AND s.prompt = ANY (prompts)
     GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  )
  SELECT search_reports.prompt_key_of(s.web_property_id, s.ai_search_engine, s.locode, s.language, s.persona, s.collection_frequency,
           s.prompt, aliases), array_agg(DISTINCT s.brand COLLATE "C")
    FROM said s GROUP BY 1;
END
$$;
COMMENT ON FUNCTION search_reports.brands_said IS 'The brands of others that sentiments of a week speak of, by tracked prompt, of some '
  'prompts.';

CREATE OR REPLACE FUNCTION search_reports.named_instead(c search_reports.choices, week date, pinned text[])
RETURNS TABLE (prompt text, assistant text, country text, topic text, answers integer, brands text[], competitors text[], sites text[],
  known bigint, silent bigint)
LANGUAGE plpgsql STABLE ROWS 500 SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_custom_plan
SET work_mem = '64MB' SET enable_nestloop = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH prompts AS MATERIALIZED (
    SELECT p.*, count(*) OVER () AS known, count(*) FILTER (WHERE p.is_silent) OVER () AS silent
      FROM search_reports.silent_prompts(c, named_instead.week) AS p
  ), named AS MATERIALIZED (
    SELECT * FROM search_reports.brands_said(c, named_instead.week, ARRAY(SELECT DISTINCT p.prompt FROM prompts p WHERE p.is_silent))
  ), citations AS MATERIALIZED (
    SELECT p.unit, s.site, count(*) AS number FROM prompts p CROSS JOIN LATERAL unnest(p.cited_sites) AS s (site)
     WHERE p.is_silent AND s.site <> '(no page)' GROUP BY 1, 2
  ), rivals AS (
    SELECT unnest(search_reports.competitors_among(c.account, ARRAY[named_instead.week], pinned,
                                                   (SELECT array_agg(DISTINCT k.site) FROM citations k))) AS site
  ), cited AS (
    SELECT k.unit, array_agg(k.site ORDER BY k.number DESC, k.site) AS sites,
           array_agg(k.site ORDER BY k.number DESC, k.site) FILTER (WHERE r.site IS NOT NULL) AS competitors
      FROM citations k LEFT JOIN rivals r ON r.site = k.site
     GROUP BY k.unit
  )
  SELECT p.prompt, p.assistant, p.country, p.topic, p.answers, n.brands, k.competitors, k.sites, p.known, p.silent
    FROM prompts p LEFT JOIN named n ON n.unit = p.unit LEFT JOIN cited k ON k.unit = p.unit
   WHERE p.is_silent AND (n.brands IS NOT NULL OR k.competitors IS NOT NULL);
END
$$;
COMMENT ON FUNCTION search_reports.named_instead IS 'Tracked prompts of a week whose answers do not name us, but speak of brands of '
  'others (brands, by their sentiments) or cite sites of competitors (competitors). sites are all that they cite, the most cited first; '
  'silent is how many prompts there are whose answers do not name us, of those of which it is known (known).';

CREATE OR REPLACE FUNCTION search_reports.silent_sources(c search_reports.choices, week date, pinned text[])
RETURNS TABLE (site text, is_competitor boolean, citations bigint, prompts bigint, assistants bigint, percent numeric, cited_prompts bigint)
LANGUAGE plpgsql STABLE ROWS 500 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' AS $$
#variable_conflict use_column
DECLARE
  ours   text[] := search_reports.own_sites_of(c.account);
BEGIN
  RETURN QUERY
  WITH cited AS MATERIALIZED (
    SELECT p.prompt, p.assistant, s.site
      FROM search_reports.silent_prompts(c, silent_sources.week) AS p CROSS JOIN LATERAL unnest(p.cited_sites) AS s (site)
     WHERE p.is_silent
  ), rivals AS MATERIALIZED (
    SELECT search_reports.competitors_among(c.account, ARRAY[silent_sources.week], pinned,
                                            (SELECT array_agg(DISTINCT d.site) FROM cited d)) AS sites
  )
  SELECT k.site, k.site = ANY (r.sites), k.citations, k.prompts, k.assistants, 100 * k.citations::numeric / w.citations,
         w.prompts
    FROM (SELECT d.site, count(*) AS citations, count(DISTINCT d.prompt) AS prompts, count(DISTINCT d.assistant) AS assistants
            FROM cited d GROUP BY 1) AS k
   CROSS JOIN (SELECT count(DISTINCT d.prompt) AS prompts, count(*) AS citations FROM cited d) AS w CROSS JOIN rivals r
   WHERE k.site <> '(no page)' AND NOT search_reports.is_related(k.site, ours);
END
$$;
COMMENT ON FUNCTION search_reports.silent_sources IS 'The sites of others that answers cite which do not name us, in a week: how often, '
  'for how many prompts (of so many in all: cited_prompts), by how many assistants, and their percentage of these citations.';

-- Summaries, mended: what counts as an own result, kinds of prompts in lower case, how many weeks readers compute, weeks that only some
-- jobs have published, and what panels share. Citations by attribution get a summary of their own, ai_citation_totals: by site they have
-- hardly fewer rows than the table.
-- Guarantees: as 0024. All weeks are marked, and the service summarises them anew, the newest first.
-- Locks: as 0024. A trigger makes ai_citation_totals of what processes of the release before store.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

LOCK TABLE searchmill.publications IN SHARE ROW EXCLUSIVE MODE;

-- Marks ---------------------------------------------------------------------------------------------------------------

-- Readers compute four weeks of a subject and account at most, so that a backfill does not make them compute a year; about four, as
-- transactions at once do not see each other's marks. More weeks are left out until they are stored. Of new marks the newest come first.
CREATE FUNCTION search_reports.mark_weeks(dataset text, account bigint, weeks date[]) RETURNS void
LANGUAGE sql
AS $$
  WITH live AS MATERIALIZED (
    SELECT subject, week FROM search_reports.live_weeks WHERE subject = ANY (search_reports.subjects_of(dataset)) AND account_id = account
  )
  INSERT INTO search_reports.stale_weeks (subject, account_id, week, is_live)
  SELECT subject, account, week,
         l.week IS NOT NULL
           OR row_number() OVER (PARTITION BY subject, l.week IS NULL ORDER BY week DESC) + (SELECT count(*) FROM live o WHERE o.subject = n.subject) <= 4
    FROM (SELECT subject, place, week FROM unnest(search_reports.subjects_of(dataset)) WITH ORDINALITY AS s (subject, place), unnest(weeks) AS week) AS n
    LEFT JOIN live l USING (subject, week)
   ORDER BY n.place, week
$$;
COMMENT ON FUNCTION search_reports.mark_weeks IS 'Marks weeks of an account that a publication has changed; readers compute about four of them at once.';

-- Runs in the transaction that publishes or replays, when it has written what it changed. The rows of a slice that nobody ever approved are
-- inside its window; those of an approved one may be anywhere: the differences say where, or the staged rows.
CREATE OR REPLACE FUNCTION search_reports.mark_publication() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  slice   searchmill.slices;
  changes text := 'searchmill_staging.' || quote_ident('execution_' || NEW.execution_id);
BEGIN
  SELECT * INTO slice FROM searchmill.slices WHERE id = NEW.slice_id;
  PERFORM search_reports.mark_weeks(slice.dataset, slice.account_id, ARRAY(
    SELECT week::date
      FROM generate_series(search_reports.week_of(slice.window_start)::timestamp, slice.window_end::timestamp, interval '7 days') AS week));
  IF EXISTS (SELECT FROM searchmill.executions WHERE slice_id = slice.id AND approved_at IS NOT NULL) THEN
    IF to_regclass('pg_temp.searchmill_changes') IS NOT NULL THEN
      changes := 'pg_temp.searchmill_changes';
    END IF;
    EXECUTE format('SELECT search_reports.mark_weeks(%L, account_id, array_agg(week))
                      FROM (SELECT DISTINCT account_id, search_reports.week_of(time_period_start) AS week FROM %s) AS changed
                     WHERE account_id <> %s OR week NOT BETWEEN search_reports.week_of(%L) AND %L
                     GROUP BY account_id',
                   slice.dataset, changes, slice.account_id, slice.window_start, slice.window_end);
  END IF;
  RETURN NULL;
END
$$;

-- Own domains ---------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.own_patterns(account bigint) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  WITH counted AS (
    SELECT domain
      FROM search_reports.own_domains o
     WHERE account_id = account
       AND source = CASE WHEN EXISTS (SELECT FROM search_reports.own_domains c WHERE c.account_id = account AND c.source = 'configured')
                         THEN 'configured' ELSE 'cited' END
  )
  SELECT coalesce(array_agg('%.' || regexp_replace(domain, '([\\%_])', '\\\1', 'g') ORDER BY domain COLLATE "C"), '{}')
    FROM counted o
   -- What lies below another one matches already.
   WHERE NOT EXISTS (SELECT FROM counted above WHERE right(o.domain, length(above.domain) + 1) = '.' || above.domain)
$$;

CREATE FUNCTION search_reports.is_own(subdomain text, root_domain text, patterns text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT coalesce('.' || lower(subdomain COLLATE "C") LIKE ANY (patterns), false)
      OR coalesce('.' || lower(root_domain COLLATE "C") LIKE ANY (patterns), false)
$$;
COMMENT ON FUNCTION search_reports.is_own IS 'Whether a result is an own one: its subdomain or its root domain matches a pattern of own_patterns.';

CREATE OR REPLACE FUNCTION search_reports.bare_domain(domain text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT left(regexp_replace(lower(domain COLLATE "C"), '^www\.(?=.+\.)', ''), 253) $$;
COMMENT ON FUNCTION search_reports.bare_domain IS 'A domain in lower case, without www., which is only taken from what has another point: www.com stays; at most 253 characters, as domains have.';

-- Rankings -------------------------------------------------------------------------------------------------------------

CREATE INDEX ranking_sites_own ON search_reports.ranking_sites_stored (account_id, week) WHERE is_own;
COMMENT ON COLUMN search_reports.ranking_sites_stored.is_own IS 'Whether these results are own ones, by root domain or subdomain: a site may have a row of either kind.';
COMMENT ON COLUMN search_reports.ranking_sites.is_own IS 'Whether these results are own ones, by root domain or subdomain: a site may have a row of either kind.';

-- The statistics may know nothing of a week that was published lately, and a plan kept for all weeks reads all partitions: each call is
-- planned for its week, and rows are grouped by hash.
CREATE OR REPLACE FUNCTION search_reports.compute_ranking_searches(account bigint, sunday date) RETURNS SETOF search_reports.ranking_searches_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_nestloop = off
AS $$
DECLARE
  own text[] := search_reports.own_patterns(account);
BEGIN
  RETURN QUERY
  WITH searches AS MATERIALIZED (
    SELECT time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
           search_engine_language_code, locode, device, query,
           coalesce(max(keyword_group_ids COLLATE "C"), '') AS ids, coalesce(max(keyword_group_names COLLATE "C"), '') AS names,
           max(volume) AS volume, count(*)::integer AS results,
           max(rank_standard) AS deepest_standard, max(rank_true) AS deepest_true,
           min(rank_standard) FILTER (WHERE is_own) AS own_standard, min(rank_true) FILTER (WHERE is_own) AS own_true,
           -- The lowest rank comes first as text, too: ten digits, never below 0.
           min((lpad((rank_standard + 2147483648)::text, 10, '0') || coalesce(normalized_url, '')) COLLATE "C")
             FILTER (WHERE is_own) AS own_url_standard,
           min((lpad((rank_true + 2147483648)::text, 10, '0') || coalesce(normalized_url, '')) COLLATE "C")
             FILTER (WHERE is_own) AS own_url_true,
           (count(*) FILTER (WHERE is_own))::integer AS own_results
      FROM (SELECT time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
                   search_engine_language_code, locode, device, query, keyword_group_ids, keyword_group_names,
                   coalesce(average_search_volume, approximate_search_volume) AS volume, rank_standard, rank_true, normalized_url,
                   search_reports.is_own(subdomain, root_domain, own) AS is_own
              FROM search.keyword_rankings
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
            -- Else is_own would be found out for each of its uses.
            OFFSET 0) AS result
     GROUP BY time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
              search_engine_language_code, locode, device, query
  ), lists AS (
    -- Few differ, and taking them apart is slow.
    SELECT ids, names,
           CASE WHEN cardinality(searchmill.list_items(names)) IN (0, cardinality(searchmill.list_items(ids)))
                THEN searchmill.list_items(names) ELSE ARRAY[names] END AS keyword_groups
      FROM (SELECT DISTINCT ids, names FROM searches) AS known
  )
  SELECT account, sunday,
         md5(ROW(web_property_id, search_engine, search_engine_country_code, search_engine_language_code, locode, device, query)::text)::uuid,
         time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code, search_engine_language_code,
         locode, device, query, keyword_groups, volume, results, deepest_standard, deepest_true, own_standard, own_true,
         nullif(substr(own_url_standard, 11), ''), nullif(substr(own_url_true, 11), ''), own_results
    FROM searches JOIN lists USING (ids, names);
END
$$;

CREATE OR REPLACE FUNCTION search_reports.compute_ranking_sites(account bigint, sunday date) RETURNS SETOF search_reports.ranking_sites_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_nestloop = off
AS $$
DECLARE
  own text[] := search_reports.own_patterns(account);
BEGIN
  RETURN QUERY
  SELECT account, sunday, web_property_id, search_engine, search_engine_country_code, device, site, is_own,
         (count(*) FILTER (WHERE rank_standard <= 1))::integer, (count(*) FILTER (WHERE rank_standard <= 3))::integer,
         (count(*) FILTER (WHERE rank_standard <= 5))::integer, (count(*) FILTER (WHERE rank_standard <= 10))::integer,
         (count(*) FILTER (WHERE rank_standard <= 20))::integer,
         (count(*) FILTER (WHERE rank_true <= 1))::integer, (count(*) FILTER (WHERE rank_true <= 3))::integer,
         (count(*) FILTER (WHERE rank_true <= 5))::integer, (count(*) FILTER (WHERE rank_true <= 10))::integer,
         (count(*) FILTER (WHERE rank_true <= 20))::integer,
         coalesce(sum(volume) FILTER (WHERE rank_standard <= 1), 0), coalesce(sum(volume) FILTER (WHERE rank_standard <= 3), 0),
         coalesce(sum(volume) FILTER (WHERE rank_standard <= 5), 0), coalesce(sum(volume) FILTER (WHERE rank_standard <= 10), 0),
         coalesce(sum(volume) FILTER (WHERE rank_standard <= 20), 0),
         coalesce(sum(volume) FILTER (WHERE rank_true <= 1), 0), coalesce(sum(volume) FILTER (WHERE rank_true <= 3), 0),
         coalesce(sum(volume) FILTER (WHERE rank_true <= 5), 0), coalesce(sum(volume) FILTER (WHERE rank_true <= 10), 0),
         coalesce(sum(volume) FILTER (WHERE rank_true <= 20), 0)
    FROM (SELECT web_property_id, search_engine, search_engine_country_code, device, left(root_domain, 253) AS site, rank_standard, rank_true,
                 coalesce(average_search_volume, approximate_search_volume) AS volume,
                 search_reports.is_own(subdomain, root_domain, own) AS is_own
            FROM search.keyword_rankings
           WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
             AND (rank_standard <= 20 OR rank_true <= 20)) AS result
   GROUP BY web_property_id, search_engine, search_engine_country_code, device, site, is_own;
END
$$;

CREATE OR REPLACE FUNCTION search_reports.compute_ranking_pages(account bigint, sunday date) RETURNS SETOF search_reports.ranking_pages_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
DECLARE
  own text[] := search_reports.own_patterns(account);
BEGIN
  RETURN QUERY
  SELECT account, sunday, web_property_id, search_engine, search_engine_country_code, device, url, count(*)::integer,
         min(best_standard), min(best_true)
    FROM (SELECT web_property_id, search_engine, search_engine_country_code, device, search_reports.bare_url(normalized_url) AS url,
                 min(rank_standard) AS best_standard, min(rank_true) AS best_true
            FROM search.keyword_rankings
           WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
             AND search_reports.is_own(subdomain, root_domain, own)
           GROUP BY time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
                    search_engine_language_code, locode, device, query, search_reports.bare_url(normalized_url)) AS found
   GROUP BY web_property_id, search_engine, search_engine_country_code, device, url;
END
$$;

-- Kinds of prompts ----------------------------------------------------------------------------------------------------

-- In lower case, so that a panel that compares them tells the planner how many rows are left.
CREATE OR REPLACE FUNCTION search_reports.compute_ai_answers(account bigint, sunday date) RETURNS SETOF search_reports.ai_answers_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_nestloop = off
AS $$
BEGIN
  RETURN QUERY
  WITH kinds AS (
    SELECT k.web_property_id, k.prompt, lower(max(k.prompt_type COLLATE "C")) AS prompt_type
      FROM (SELECT web_property_id, prompt, prompt_type FROM search.ai_search_brands
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
            UNION ALL
            SELECT web_property_id, prompt, prompt_type FROM search.ai_search_citations
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6) AS k
     GROUP BY k.web_property_id, k.prompt
  ), collected AS (
    SELECT r.web_property_id, r.ai_search_engine, r.locode, r.topic, r.prompt, count(*) FILTER (WHERE r.is_answer) AS answers,
           bool_or(NOT r.is_answer) AS is_naming
      FROM (SELECT web_property_id, collection_frequency, time_period_start, time_period_end, locode, language, ai_search_engine, topic, prompt,
                   persona, true AS is_answer
              FROM search.ai_search_response
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
            UNION ALL
            SELECT web_property_id, collection_frequency, time_period_start, time_period_end, locode, language, ai_search_engine, topic, prompt,
                   persona, false
              FROM search.ai_search_brands
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
               AND lower(brand_or_product_attribution) = 'you') AS r
     GROUP BY r.web_property_id, r.collection_frequency, r.time_period_start, r.time_period_end, r.locode, r.language, r.ai_search_engine, r.topic,
              r.prompt, r.persona
    HAVING count(*) FILTER (WHERE r.is_answer) > 0
  )
  SELECT account, sunday, c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), k.prompt_type, c.topic,
         sum(c.answers)::integer, coalesce(sum(c.answers) FILTER (WHERE c.is_naming), 0)::integer
    FROM collected c LEFT JOIN kinds k ON k.prompt = c.prompt AND k.web_property_id IS NOT DISTINCT FROM c.web_property_id
   GROUP BY c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), k.prompt_type, c.topic;
END
$$;

CREATE OR REPLACE FUNCTION search_reports.compute_ai_citation_sites(account bigint, sunday date) RETURNS SETOF search_reports.ai_citation_sites_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 2000
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), lower(c.prompt_type), c.topic,
         left(c.citation_domain, 253), lower(c.citation_attribution), count(*)::integer
    FROM search.ai_search_citations c
   WHERE c.account_id = account AND c.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7, 8, 9;
END
$$;

CREATE OR REPLACE FUNCTION search_reports.compute_ai_cited_pages(account bigint, sunday date) RETURNS SETOF search_reports.ai_cited_pages_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), lower(c.prompt_type),
         search_reports.bare_url(c.citation_url), left(c.citation_domain, 253), lower(c.citation_attribution), count(*)::integer
    FROM search.ai_search_citations c
   WHERE c.account_id = account AND c.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7, 8, 9;
END
$$;

CREATE OR REPLACE FUNCTION search_reports.compute_ai_sentiments(account bigint, sunday date) RETURNS SETOF search_reports.ai_sentiments_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, s.web_property_id, s.ai_search_engine, search_reports.country_of(s.locode), lower(s.prompt_type), s.sentiment_brand,
         (count(*) FILTER (WHERE lower(s.sentiment_value) = 'positive'))::integer,
         (count(*) FILTER (WHERE lower(s.sentiment_value) = 'neutral'))::integer,
         (count(*) FILTER (WHERE lower(s.sentiment_value) = 'negative'))::integer,
         (count(*) FILTER (WHERE coalesce(lower(s.sentiment_value), '') NOT IN ('positive', 'neutral', 'negative')))::integer
    FROM search.ai_search_sentiments s
   WHERE s.account_id = account AND s.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7;
END
$$;

CREATE OR REPLACE FUNCTION search_reports.compute_ai_fan_out(account bigint, sunday date) RETURNS SETOF search_reports.ai_fan_out_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, f.web_property_id, f.ai_search_engine, search_reports.country_of(f.locode), lower(f.prompt_type), f.fan_out_query,
         count(*)::integer, coalesce(sum(f.amount_of_searches), 0)
    FROM search.ai_search_fan_out f
   WHERE f.account_id = account AND f.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7;
END
$$;

COMMENT ON COLUMN search_reports.ai_answers_stored.prompt_type IS 'Kind of prompt in lower case, as brands and citations of the week tell it; NULL where neither does.';
COMMENT ON COLUMN search_reports.ai_answers.prompt_type IS 'Kind of prompt in lower case, as brands and citations of the week tell it; NULL where neither does.';
COMMENT ON COLUMN search_reports.ai_citation_sites_stored.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_citation_sites.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_cited_pages_stored.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_cited_pages.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_sentiments.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_fan_out_stored.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_fan_out.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';

-- Citations ------------------------------------------------------------------------------------------------------------

CREATE TABLE search_reports.ai_citation_totals_stored (
  account_id      bigint NOT NULL,
  week            date NOT NULL,
  web_property_id bigint,
  assistant       text,
  country         text,
  prompt_type     text,
  attribution     text,
  citations       integer NOT NULL
);
CREATE INDEX ai_citation_totals_week ON search_reports.ai_citation_totals_stored (account_id, week);
COMMENT ON TABLE search_reports.ai_citation_totals_stored IS 'Stored rows of search_reports.ai_citation_totals. Query the view: some of these may be out of date.';
COMMENT ON COLUMN search_reports.ai_citation_totals_stored.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ai_citation_totals_stored.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ai_citation_totals_stored.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_reports.ai_citation_totals_stored.assistant IS 'AI search engine.';
COMMENT ON COLUMN search_reports.ai_citation_totals_stored.country IS 'Country: what the location code begins with, in upper case.';
COMMENT ON COLUMN search_reports.ai_citation_totals_stored.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_citation_totals_stored.attribution IS 'Attribution, such as You or SEO Competitor, in lower case.';
COMMENT ON COLUMN search_reports.ai_citation_totals_stored.citations IS 'Citations.';

CREATE FUNCTION search_reports.compute_ai_citation_totals(account bigint, sunday date) RETURNS SETOF search_reports.ai_citation_totals_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 300
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, s.web_property_id, s.assistant, s.country, s.prompt_type, s.attribution, sum(s.citations)::integer
    FROM search_reports.ai_citation_sites s
   WHERE s.account_id = account AND s.week = sunday
   GROUP BY s.web_property_id, s.assistant, s.country, s.prompt_type, s.attribution;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_citation_totals IS 'The rows of search_reports.ai_citation_totals for an account and the week of a Sunday, computed from the tables.';

CREATE VIEW search_reports.ai_citation_totals AS
SELECT c.account_id, c.week, c.web_property_id, c.assistant, c.country, c.prompt_type, c.attribution, c.citations
  FROM search_reports.ai_citation_totals_stored c
 WHERE NOT EXISTS (SELECT FROM search_reports.stale_weeks s WHERE s.subject = 'citations' AND s.account_id = c.account_id AND s.week = c.week)
UNION ALL
SELECT w.account_id, w.week, c.web_property_id, c.assistant, c.country, c.prompt_type, c.attribution, c.citations
  FROM search_reports.live_weeks w CROSS JOIN LATERAL search_reports.compute_ai_citation_totals(w.account_id, w.week) c
 WHERE w.subject = 'citations';
COMMENT ON VIEW search_reports.ai_citation_totals IS 'Citations by attribution, all sites together.';
COMMENT ON COLUMN search_reports.ai_citation_totals.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ai_citation_totals.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ai_citation_totals.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_reports.ai_citation_totals.assistant IS 'AI search engine.';
COMMENT ON COLUMN search_reports.ai_citation_totals.country IS 'Country: what the location code begins with, in upper case.';
COMMENT ON COLUMN search_reports.ai_citation_totals.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_citation_totals.attribution IS 'Attribution, such as You or SEO Competitor, in lower case.';
COMMENT ON COLUMN search_reports.ai_citation_totals.citations IS 'Citations.';

-- A refresh by a process of an earlier release stores the sites of a week, and does not know of these totals.
CREATE FUNCTION search_reports.total_citations() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM search_reports.ai_citation_totals_stored WHERE (account_id, week) IN (SELECT DISTINCT account_id, week FROM changed);
  ELSE
    INSERT INTO search_reports.ai_citation_totals_stored
    SELECT account_id, week, web_property_id, assistant, country, prompt_type, attribution, sum(citations)::integer
      FROM changed GROUP BY account_id, week, web_property_id, assistant, country, prompt_type, attribution;
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION search_reports.total_citations IS 'Keeps ai_citation_totals_stored with what is stored of ai_citation_sites.';
CREATE TRIGGER total_inserted AFTER INSERT ON search_reports.ai_citation_sites_stored
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION search_reports.total_citations();
CREATE TRIGGER total_deleted AFTER DELETE ON search_reports.ai_citation_sites_stored
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION search_reports.total_citations();

-- Weeks ----------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW search_reports.weeks AS
SELECT k.dataset, k.account_id, k.week,
       CASE WHEN m.week IS NOT NULL THEN 'summarising' WHEN k.is_held THEN 'held' WHEN k.has_failed THEN 'failed' WHEN k.is_missing THEN 'missing'
            WHEN k.is_running THEN 'running' ELSE 'published' END AS state,
       k.is_published,
       nullif(concat_ws('; ', CASE WHEN m.week IS NOT NULL THEN 'being summarised' END,
                        CASE WHEN k.is_published AND k.is_lacking THEN 'partly there: ' ELSE '' END || k.reasons), '') AS reason,
       k.is_published AND k.is_lacking AS is_partial
  FROM (SELECT j.dataset, j.account_id, search_reports.week_of(c.week) AS week, bool_or(c.state = 'held') AS is_held,
               bool_or(c.state = 'failed') AS has_failed, bool_or(c.state = 'missing') AS is_missing, bool_or(c.state = 'running') AS is_running,
               bool_or(c.published_at IS NOT NULL) AS is_published, bool_or(c.published_at IS NULL) AS is_lacking,
               string_agg(c.state || ' (' || c.job || ')', ', ' ORDER BY c.state, c.job) FILTER (WHERE c.state <> 'published') AS reasons
          FROM searchmill.coverage c JOIN searchmill.jobs j ON j.name = c.job
         WHERE c.is_expected OR c.published_at IS NOT NULL OR c.state IN ('held', 'running')
         GROUP BY j.dataset, j.account_id, search_reports.week_of(c.week)) k
  LEFT JOIN (SELECT subject, account_id, week FROM search_reports.stale_weeks GROUP BY subject, account_id, week HAVING NOT bool_and(is_live)) m
    ON m.subject = (search_reports.subjects_of(k.dataset))[1] AND m.account_id = k.account_id AND m.week = k.week;
COMMENT ON COLUMN search_reports.weeks.is_partial IS 'Whether some of its jobs have published the week, and some have not: its figures are of a part.';

-- What panels share ----------------------------------------------------------------------------------------------------

-- Each is one SELECT that the planner takes into the statement that calls it, so that indexes are used as if it stood there.
CREATE FUNCTION search_reports.newest_weeks(of_dataset text, of_account bigint, most integer) RETURNS TABLE (week date, gap text, note text)
LANGUAGE sql STABLE
AS $$
  SELECT w.week, CASE WHEN w.state = 'summarising' OR NOT w.is_published THEN coalesce(w.reason, w.state) END,
         CASE WHEN w.state <> 'summarising' AND w.is_published THEN w.reason END
    FROM search_reports.weeks w
   WHERE w.dataset = of_dataset AND w.account_id = of_account
   ORDER BY w.week DESC
   LIMIT most
$$;
COMMENT ON FUNCTION search_reports.newest_weeks IS 'The newest weeks of a dataset and account, NULL for all: gap says why a week has no figures, note what its figures lack, as when only some jobs have published it.';

CREATE FUNCTION search_reports.week_notice(of_dataset text, of_account bigint, VARIADIC of_weeks date[]) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT string_agg(format('Week of %s: %s.', week, note), ' ' ORDER BY week)
    FROM search_reports.newest_weeks(of_dataset, of_account, NULL)
   WHERE week = ANY (of_weeks) AND note IS NOT NULL
$$;
COMMENT ON FUNCTION search_reports.week_notice IS 'What the figures of some weeks lack, as a sentence; NULL when nothing.';

CREATE FUNCTION search_reports.volume_notice(is_weighted boolean, has_volumes boolean) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE WHEN is_weighted AND NOT has_volumes THEN 'No search volumes are loaded (includeMsv), so every search counts alike.' END
$$;
COMMENT ON FUNCTION search_reports.volume_notice IS 'What to say where figures should be weighted by volume and no volume is known.';

CREATE FUNCTION search_reports.site_results(s search_reports.ranking_sites, rank text, first_places integer, by_volume boolean) RETURNS numeric
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE WHEN by_volume
              THEN CASE rank WHEN 'standard'
                   THEN CASE first_places WHEN 1 THEN s.standard_1_volume WHEN 3 THEN s.standard_3_volume WHEN 5 THEN s.standard_5_volume
                                          WHEN 10 THEN s.standard_10_volume WHEN 20 THEN s.standard_20_volume END
                   ELSE CASE first_places WHEN 1 THEN s.true_1_volume WHEN 3 THEN s.true_3_volume WHEN 5 THEN s.true_5_volume
                                          WHEN 10 THEN s.true_10_volume WHEN 20 THEN s.true_20_volume END END
              ELSE CASE rank WHEN 'standard'
                   THEN CASE first_places WHEN 1 THEN s.standard_1 WHEN 3 THEN s.standard_3 WHEN 5 THEN s.standard_5
                                          WHEN 10 THEN s.standard_10 WHEN 20 THEN s.standard_20 END
                   ELSE CASE first_places WHEN 1 THEN s.true_1 WHEN 3 THEN s.true_3 WHEN 5 THEN s.true_5
                                          WHEN 10 THEN s.true_10 WHEN 20 THEN s.true_20 END END END
$$;
COMMENT ON FUNCTION search_reports.site_results IS 'Results of a row of ranking_sites within the first 1, 3, 5, 10 or 20 places by rank (standard or true), counted or with their volumes.';

CREATE FUNCTION search_reports.searches_by_place(t search_reports.ranking_totals, rank text, by_volume boolean)
RETURNS TABLE (number integer, searches numeric)
LANGUAGE sql IMMUTABLE
AS $$
  SELECT number, CASE WHEN by_volume THEN CASE rank WHEN 'standard' THEN standard_volume ELSE true_volume END
                      ELSE CASE rank WHEN 'standard' THEN standard ELSE of_true END END
    FROM (VALUES (0, t.standard_1, t.true_1, t.standard_1_volume, t.true_1_volume),
                 (1, t.standard_2_3, t.true_2_3, t.standard_2_3_volume, t.true_2_3_volume),
                 (2, t.standard_4_10, t.true_4_10, t.standard_4_10_volume, t.true_4_10_volume),
                 (3, t.standard_11_20, t.true_11_20, t.standard_11_20_volume, t.true_11_20_volume),
                 (4, t.standard_beyond, t.true_beyond, t.standard_beyond_volume, t.true_beyond_volume),
                 (5, t.standard_absent, t.true_absent, t.standard_absent_volume, t.true_absent_volume))
           AS places (number, standard, of_true, standard_volume, true_volume)
$$;
COMMENT ON FUNCTION search_reports.searches_by_place IS 'Searches of a row of ranking_totals by their best own place (0: 1, 1: 2 to 3, 2: 4 to 10, 3: 11 to 20, 4: beyond, 5: absent) by rank (standard or true), counted or with their volumes.';

-- Each search once, however many periods a week has.
CREATE FUNCTION search_reports.ranking_changes(
  of_account bigint, of_property bigint, of_engine text, of_country text, of_device text, rank text
) RETURNS TABLE (newest date, before date, query text, engine text, country text, device text, volume bigint, own_results integer,
                 place integer, url text, absent_place integer, place_before integer, url_before text, absent_place_before integer)
LANGUAGE sql STABLE
AS $$
  WITH weeks AS (
    SELECT week FROM search_reports.newest_weeks('keyword_rankings', of_account, NULL) WHERE gap IS NULL ORDER BY week DESC LIMIT 2
  ), pair AS MATERIALIZED (
    SELECT max(week) AS newest, max(week) - 7 AS before FROM weeks HAVING max(week) - min(week) = 7
  ), searches AS (
    SELECT DISTINCT ON (s.week, s.search_key) s.week, s.search_key, s.query, s.search_engine, s.country, s.device, s.volume, s.own_results,
           CASE rank WHEN 'standard' THEN s.own_standard ELSE s.own_true END AS place,
           CASE rank WHEN 'standard' THEN s.own_url_standard ELSE s.own_url_true END AS url,
           1 + CASE rank WHEN 'standard' THEN s.deepest_standard ELSE s.deepest_true END AS absent_place
      FROM search_reports.ranking_searches s
     WHERE s.account_id = of_account AND s.week IN ((SELECT newest FROM pair), (SELECT before FROM pair))
       AND (of_property IS NULL OR s.web_property_id = of_property)
       AND (of_engine IS NULL OR s.search_engine = of_engine)
       AND (of_country IS NULL OR s.country = of_country)
       AND (of_device IS NULL OR s.device = of_device)
     ORDER BY s.week, s.search_key, s.period_start DESC, s.period_end DESC
  )
  SELECT p.newest, p.before, n.query, n.search_engine, n.country, n.device, n.volume, n.own_results,
         n.place, n.url, n.absent_place, e.place, e.url, e.absent_place
    FROM pair p JOIN searches n ON n.week = p.newest JOIN searches e ON e.week = p.before AND e.search_key = n.search_key
$$;
COMMENT ON FUNCTION search_reports.ranking_changes IS 'Searches tracked in the newest week with figures and in the week before it, side by side: best own places and URLs by rank (standard or true), and the place behind their deepest one. No row when the week before has no figures. NULL chooses all.';

-- What is stored already -----------------------------------------------------------------------------------------------

-- Publications are locked, so what is not marked here is marked by who publishes it.
INSERT INTO search_reports.stale_weeks (subject, account_id, week, is_live)
SELECT DISTINCT subject, account_id, week, false FROM search_reports.weeks_in_tables();

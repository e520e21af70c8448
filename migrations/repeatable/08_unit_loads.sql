-- What the published loads of a week asked for: which units they select, and what they leave out of a unit's rows (its cut). Facts are
-- written with it, so that no figure has to know a submit body.

CREATE OR REPLACE VIEW search_reports.requests WITH (security_barrier) AS
SELECT s.dataset, s.account_id, s.job, search_reports.week_of(s.window_start + 7 * n) AS week, s.published_at,
       e.request - '{account_id,start_date,end_date,time_period_start,time_period_end,includeMsv}'::text[] AS request,
       (SELECT array_agg(d.column_name ORDER BY d.column_name) FROM searchmill.drift_events d
         WHERE d.execution_id = e.id AND d.kind = 'missing_column'
           AND d.column_name IN ('rank_standard', 'root_domain', 'brand_or_product_attribution', 'citation_attribution',
                                 'citation_domain')) AS unsent,
       s.id AS slice_id
  FROM searchmill.slices s
  JOIN searchmill.executions e ON e.id = s.published_execution_id
 CROSS JOIN LATERAL generate_series(0, (s.window_end - s.window_start) / 7) AS n
 WHERE s.published_at IS NOT NULL
   AND ((SELECT search_reports.sees_all_accounts()) OR s.account_id IN (SELECT account_id FROM search_reports.accounts_of_login));
COMMENT ON VIEW search_reports.requests IS 'Dataset x account x job x week: what the published load of the week asked the service for. If '
  'several loads of a job cover a week, it has several rows; the last published one counts.';
COMMENT ON COLUMN search_reports.requests.published_at IS 'When it was published.';
COMMENT ON COLUMN search_reports.requests.request IS 'The submit body without account and period, and without search volumes, which change '
  'no row.';
COMMENT ON COLUMN search_reports.requests.unsent IS 'Columns that figures count by and that the service did not send, at least in a part '
  'of its pages, so that they are NULL in these rows; NULL if there are none.';
COMMENT ON COLUMN search_reports.requests.slice_id IS 'The slice that was published.';

-- A list of texts of a submit body in the form in which values are compared; NULL without one, since an empty list asks for everything.
CREATE OR REPLACE FUNCTION search_reports.asked_list(request jsonb, field text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT array_agg(search_reports.join_key(item))
          FROM jsonb_array_elements_text(CASE jsonb_typeof(request -> field) WHEN 'array' THEN request -> field
                                         ELSE '[]' END) AS items (item));
COMMENT ON FUNCTION search_reports.asked_list IS 'The values of a filter of a submit body, in the form of search_reports.join_key; NULL '
  'where it asks for all.';

-- Aliases apply to engines, places and languages before their values are compared.
CREATE OR REPLACE FUNCTION search_reports.asked_spelled(request jsonb, field text, kind text, aliases jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT array_agg(search_reports.join_key(search_reports.spelled(kind, item, aliases)))
        FROM unnest(search_reports.asked_list(request, field)) AS item);
COMMENT ON FUNCTION search_reports.asked_spelled IS 'The same as search_reports.asked_list for a filter whose values aliases may spell '
  'otherwise.';

CREATE OR REPLACE FUNCTION search_reports.own_sites_of(account bigint) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(array_agg(DISTINCT o.domain), '{}')
    FROM search_reports.own_domains o
   WHERE o.account_id = account
     AND (o.source = 'configured'
          OR NOT EXISTS (SELECT FROM search_reports.own_domains c WHERE c.account_id = account AND c.source = 'configured'));
END;
COMMENT ON FUNCTION search_reports.own_sites_of IS 'The domains of an account that count as ours: those that its jobs configure, else '
  'those of citations attributed to You.';

-- A filter on domains asks for our results if each of our domains is one of them or lies below one.
CREATE OR REPLACE FUNCTION search_reports.covers_sites(asked text[], ours text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN asked IS NULL OR cardinality(ours) > 0 AND NOT EXISTS (
         SELECT FROM unnest(ours) AS o
          WHERE NOT EXISTS (SELECT FROM unnest(asked) AS a CROSS JOIN LATERAL (SELECT '.' || search_reports.bare_domain(a)) AS d (ending)
                             WHERE right('.' || o, length(d.ending)) = d.ending));
COMMENT ON FUNCTION search_reports.covers_sites IS 'Whether a list of domains asks for all of some sites. NULL asks for every site.';

-- Cuts of rankings. A column that the service did not send is as good as one that was not asked for.
CREATE OR REPLACE FUNCTION search_reports.search_loads(account bigint, sunday date)
RETURNS TABLE (slice bigint, first_loaded integer, last_loaded integer, is_whole boolean, shows_us boolean, result_types text)
LANGUAGE plpgsql STABLE ROWS 4 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ours text[] := search_reports.own_sites_of(account);
BEGIN
  RETURN QUERY
  SELECT DISTINCT ON (r.slice_id) r.slice_id, coalesce((r.request ->> 'min_rank')::integer, 1), (r.request ->> 'max_rank')::integer,
         search_reports.asked_list(r.request, 'domains') IS NULL AND r.unsent IS NULL,
         search_reports.covers_sites(search_reports.asked_list(r.request, 'domains'), ours) AND r.unsent IS NULL,
         (SELECT string_agg(t, ', ' ORDER BY t) FROM unnest(search_reports.asked_list(r.request, 'result_types')) AS t)
    FROM search_reports.requests r
   WHERE r.dataset = 'keyword_rankings' AND r.account_id = account AND r.week = sunday
   ORDER BY r.slice_id, r.published_at DESC;
END
$$;
COMMENT ON FUNCTION search_reports.search_loads IS 'The published loads of rankings of an account and week, and what each leaves out of '
  'the results of a search.';

-- What each load of AI search selects, and whether it shows all of what a figure needs.
CREATE OR REPLACE FUNCTION search_reports.prompt_loads(account bigint, sunday date, aliases jsonb)
RETURNS TABLE (dataset text, properties text[], engines text[], locodes text[], languages text[], topics text[], prompts text[], kind text,
               intents text[],
               personas text[], prompt_groups text[], frequency text, shows_us boolean, shows_all boolean)
LANGUAGE plpgsql STABLE ROWS 8 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ours  text[] := search_reports.own_sites_of(account);
  names text[] := search_reports.own_names(account);
BEGIN
  RETURN QUERY
  -- A load with a limit of rows says nothing of prompts that it has no row of: it selects none (an empty list).
  SELECT DISTINCT ON (r.dataset, r.job) r.dataset,
         CASE WHEN q ->> 'limit' IS NULL THEN search_reports.asked_list(q, 'web_property_ids') ELSE '{}' END,
         search_reports.asked_spelled(q, 'ai_search_engines', 'engine', aliases),
         search_reports.asked_spelled(q, 'locodes', 'locode', aliases), search_reports.asked_spelled(q, 'languages', 'language', aliases),
         search_reports.asked_list(q, 'topics'), search_reports.asked_list(q, 'prompts'),
         nullif(lower((q ->> 'prompt_type') COLLATE "C"), ''),
         search_reports.asked_list(q, 'intents'), search_reports.asked_list(q, 'personas'), search_reports.asked_list(q, 'prompts_groups'),
         lower(coalesce(nullif(q ->> 'collection_frequency', ''), 'weekly') COLLATE "C"),
         r.unsent IS NULL AND CASE r.dataset
           WHEN 'ai_search_brands' THEN 'you' = ANY (coalesce(search_reports.asked_list(q, 'brand_or_product_attributions'), '{you}'))
                                        AND search_reports.covers_names(search_reports.asked_list(q, 'brand_or_product_names'), names)
           WHEN 'ai_search_citations' THEN 'you' = ANY (coalesce(search_reports.asked_list(q, 'citation_attributions'), '{you}'))
                                           AND search_reports.asked_list(q, 'citation_urls') IS NULL
                                           AND search_reports.covers_sites(search_reports.asked_list(q, 'domains'), ours)
                                           AND search_reports.covers_sites(search_reports.asked_list(q, 'root_domains'), ours)
           WHEN 'ai_search_sentiments' THEN num_nonnulls(search_reports.asked_list(q, 'sentiment_values'),
                                                         search_reports.asked_list(q, 'sentiment_categories'),
                                                         search_reports.asked_list(q, 'sentiment_source_domains')) = 0
                                            AND search_reports.covers_names(search_reports.asked_list(q, 'sentiment_brands'), names)
           ELSE true END,
         r.unsent IS NULL AND num_nonnulls(search_reports.asked_list(q, 'citation_attributions'),
                                           search_reports.asked_list(q, 'citation_urls'),
                                           search_reports.asked_list(q, 'domains'), search_reports.asked_list(q, 'root_domains')) = 0
    FROM search_reports.requests r
   CROSS JOIN LATERAL (SELECT r.request) AS asked (q)
   WHERE starts_with(r.dataset, 'ai_search_') AND r.account_id = account AND r.week = sunday
   ORDER BY r.dataset, r.job, r.published_at DESC;
END
$$;
COMMENT ON FUNCTION search_reports.prompt_loads IS 'The published loads of AI search of an account and week: which tracked prompts each '
  'selects (NULL: all), whether it shows everything about us (shows_us), and about everybody (shows_all).';

-- Stored names count even where their week is marked: when other names are stored, all weeks are marked. In PL/pgSQL, since the view is
-- made later.
CREATE OR REPLACE FUNCTION search_reports.own_names(account bigint) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(DISTINCT search_reports.folded(n.name) COLLATE "C"
                                    ORDER BY search_reports.folded(n.name) COLLATE "C"), '{}')
            FROM search_reports.own_brand_names n WHERE n.account_id = account);
END
$$;
COMMENT ON FUNCTION search_reports.own_names IS 'Names of our brands and products, in the form of search_reports.folded: those that the '
  'rows of any week attribute to You. They are ours in every week, so that history does not change because a newer week has come.';

CREATE OR REPLACE FUNCTION search_reports.covers_names(asked text[], ours text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN asked IS NULL OR cardinality(ours) > 0 AND (SELECT bool_and(search_reports.join_key(o) = ANY (asked)) FROM unnest(ours) AS o);
COMMENT ON FUNCTION search_reports.covers_names IS 'Whether a list of names asks for all of ours. NULL asks for every name.';

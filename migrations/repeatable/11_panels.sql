-- What panels of boards share.

CREATE OR REPLACE FUNCTION search_reports.volume_notice(is_weighted boolean, has_volumes boolean) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE WHEN is_weighted AND NOT has_volumes THEN 'No search volumes are loaded (includeMsv), so every search counts alike.' END;
COMMENT ON FUNCTION search_reports.volume_notice IS 'What to say where figures should be weighted by volume and no volume is known.';

CREATE OR REPLACE FUNCTION search_reports.results_within(
  rank text, first_places integer,
  standard_1 numeric, standard_3 numeric, standard_5 numeric, standard_10 numeric, standard_20 numeric,
  true_1 numeric, true_3 numeric, true_5 numeric, true_10 numeric, true_20 numeric
) RETURNS numeric
LANGUAGE sql IMMUTABLE
RETURN CASE rank WHEN 'standard'
         THEN CASE first_places WHEN 1 THEN standard_1 WHEN 3 THEN standard_3 WHEN 5 THEN standard_5 WHEN 10 THEN standard_10 WHEN 20 THEN standard_20 END
         ELSE CASE first_places WHEN 1 THEN true_1 WHEN 3 THEN true_3 WHEN 5 THEN true_5 WHEN 10 THEN true_10 WHEN 20 THEN true_20 END END;
COMMENT ON FUNCTION search_reports.results_within IS 'Of the figures within the first 1, 3, 5, 10 and 20 places, the one by rank (standard or true) and places.';

-- Each search once, however many periods a week has.
CREATE OR REPLACE FUNCTION search_reports.ranking_changes(
  of_account bigint, of_property bigint, of_engine text, of_country text, of_device text, rank text
) RETURNS TABLE (newest date, before date, query text, engine text, country text, device text, volume bigint, own_results integer,
                 place integer, url text, absent_place integer, place_before integer, url_before text, absent_place_before integer)
LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  last_week   date;
  week_before date;
BEGIN
  SELECT max(w.week), min(w.week) INTO last_week, week_before
    FROM (SELECT n.week FROM search_reports.newest_weeks('keyword_rankings', of_account, NULL) n WHERE n.gap IS NULL ORDER BY n.week DESC LIMIT 2) w;
  IF last_week - week_before = 7 THEN
    -- Planned for these weeks and filters each time.
    RETURN QUERY EXECUTE $query$
    WITH searches AS MATERIALIZED (
      SELECT DISTINCT ON (s.week, s.search_key) s.week, s.search_key, s.query, s.search_engine, s.country, s.device, s.volume, s.own_results,
             CASE $8 WHEN 'standard' THEN s.own_standard ELSE s.own_true END AS place,
             CASE $8 WHEN 'standard' THEN s.own_url_standard ELSE s.own_url_true END AS url,
             1 + CASE $8 WHEN 'standard' THEN s.deepest_standard ELSE s.deepest_true END AS absent_place
        FROM search_reports.ranking_searches s
       WHERE s.account_id = $3 AND s.week IN ($1, $2)
         AND ($4 IS NULL OR s.web_property_id = $4)
         AND ($5 IS NULL OR s.search_engine = $5)
         AND ($6 IS NULL OR s.country = $6)
         AND ($7 IS NULL OR s.device = $7)
       ORDER BY s.week, s.search_key, s.period_start DESC, s.period_end DESC
    )
    SELECT $1, $2, n.query, n.search_engine, n.country, n.device, n.volume, n.own_results,
           n.place, n.url, n.absent_place, e.place, e.url, e.absent_place
      FROM searches n JOIN searches e ON e.search_key = n.search_key AND e.week = n.week - 7
    $query$ USING last_week, week_before, of_account, of_property, of_engine, of_country, of_device, rank;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_changes IS 'Searches tracked in the newest week with figures and in the week before it, side by side: best own places and URLs by rank (standard or true), and the place behind their deepest one. No row when the week before has no figures. NULL chooses all.';

-- Not one SELECT: Citus runs each of its queries on the node that has the account.
CREATE OR REPLACE FUNCTION search_reports.web_property_name(of_account bigint, of_property bigint, of_weeks date[]) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  of_week date;
  dataset text;
  found   text;
BEGIN
  FOREACH of_week IN ARRAY of_weeks LOOP
    FOREACH dataset IN ARRAY search_reports.summarised_datasets() LOOP
      EXECUTE format('SELECT web_property_name FROM search.%I
                       WHERE account_id = $1 AND time_period_start BETWEEN $2 AND $3 AND web_property_id = $4 LIMIT 1', dataset)
         INTO found USING of_account, of_week, of_week + 6, of_property;
      IF found <> '' THEN
        RETURN found;
      END IF;
    END LOOP;
  END LOOP;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION search_reports.web_property_name IS 'The name of a web property in the first of some weeks that tells it; NULL when none does.';

-- Its own queries are run where the account is, and the names are asked for here.
CREATE OR REPLACE FUNCTION search_reports.web_properties(of_account bigint) RETURNS TABLE (web_property_id bigint, name text)
LANGUAGE plpgsql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  known record;
BEGIN
  FOR known IN
    SELECT web_property_id, array_agg(week ORDER BY week DESC) AS weeks
      FROM (SELECT web_property_id, week FROM search_reports.ranking_totals_stored
             WHERE account_id = of_account AND week > (SELECT max(week) FROM search_reports.ranking_totals_stored WHERE account_id = of_account) - 7 * 13
            UNION SELECT web_property_id, week FROM search_reports.ai_answers_stored
             WHERE account_id = of_account AND week > (SELECT max(week) FROM search_reports.ai_answers_stored WHERE account_id = of_account) - 7 * 13
            UNION SELECT web_property_id, week FROM search_reports.ai_citation_totals_stored
             WHERE account_id = of_account AND week > (SELECT max(week) FROM search_reports.ai_citation_totals_stored WHERE account_id = of_account) - 7 * 13
            UNION SELECT web_property_id, week FROM search_reports.ai_sentiments_stored
             WHERE account_id = of_account AND week > (SELECT max(week) FROM search_reports.ai_sentiments_stored WHERE account_id = of_account) - 7 * 13
            UNION SELECT web_property_id, week FROM search_reports.ai_fan_out_stored
             WHERE account_id = of_account AND week > (SELECT max(week) FROM search_reports.ai_fan_out_stored WHERE account_id = of_account) - 7 * 13) AS summaries
     WHERE web_property_id IS NOT NULL
     GROUP BY 1
  LOOP
    web_property_id := known.web_property_id;
    name := search_reports.web_property_name(of_account, known.web_property_id, known.weeks);
    RETURN NEXT;
  END LOOP;
END
$$;
COMMENT ON FUNCTION search_reports.web_properties IS 'Web properties of an account in what is stored of the newest 13 weeks, each by the name in its newest week that tells it; NULL when none does.';

CREATE OR REPLACE FUNCTION search_reports.percent_decoded(encoded text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT coalesce(convert_from(string_agg(CASE WHEN part ~ '^%..$' THEN decode(right(part, 2), 'hex') ELSE convert_to(part, 'UTF8') END,
                                                ''::bytea ORDER BY place), 'UTF8'), '')
          FROM (SELECT found[1] AS part, place
                  FROM regexp_matches(encoded, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') WITH ORDINALITY AS parts (found, place)) AS parts);
COMMENT ON FUNCTION search_reports.percent_decoded IS 'The text that was percent-encoded, as in an address (RFC 3986); boards in Grafana pass their choices so.';

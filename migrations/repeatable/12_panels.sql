-- What panels of boards share.

-- Rows of nothing are chosen by their name only, so that a planner knows how many rows the values leave.
CREATE OR REPLACE FUNCTION search_reports.is_chosen(value text, chosen text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN chosen IS NULL OR value = ANY (chosen) OR '(none)' = ANY (chosen) AND coalesce(value, '') = '';
COMMENT ON FUNCTION search_reports.is_chosen IS 'Whether a value is one of those chosen: NULL chooses all, (none) what has no value.';

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
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, newest date, week_before date,
  of_groups text[] DEFAULT NULL
) RETURNS TABLE (web_property bigint, query text, engine text, country text, device text, volume bigint, own_results integer,
                 place integer, url text, absent_place integer, place_before integer, url_before text, absent_place_before integer, own_results_before integer)
LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF week_before IS NOT NULL THEN
    -- Planned for these weeks and filters each time.
    RETURN QUERY EXECUTE $query$
    WITH searches AS MATERIALIZED (
      SELECT DISTINCT ON (s.week, s.search_key) s.week, s.search_key, s.web_property_id, s.query, s.search_engine, s.country, s.device, s.volume, s.own_results,
             CASE $8 WHEN 'standard' THEN s.own_standard ELSE s.own_true END AS place,
             CASE $8 WHEN 'standard' THEN s.own_url_standard ELSE s.own_url_true END AS url,
             1 + CASE $8 WHEN 'standard' THEN s.deepest_standard ELSE s.deepest_true END AS absent_place
        FROM search_reports.ranking_searches s
       WHERE s.account_id = $3 AND s.week IN ($1, $2)
         AND search_reports.is_chosen(s.web_property_id::text, $4)
         AND search_reports.is_chosen(s.search_engine, $5)
         AND search_reports.is_chosen(s.country, $6)
         AND search_reports.is_chosen(s.device, $7)
         AND ($9 IS NULL OR s.keyword_groups && $9)
       ORDER BY s.week, s.search_key, s.period_start DESC, s.period_end DESC
    )
    SELECT n.web_property_id, n.query, n.search_engine, n.country, n.device, n.volume, n.own_results,
           n.place, n.url, n.absent_place, e.place, e.url, e.absent_place, e.own_results
      FROM searches n JOIN searches e ON e.search_key = n.search_key AND e.week = $2
     WHERE n.week = $1
    $query$ USING newest, week_before, of_account, of_property, of_engine, of_country, of_device, rank, of_groups;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_changes IS 'Searches tracked in both of two weeks, side by side: best own places and URLs by rank (standard or true), and the place behind their deepest one. Own results without such a rank, as of features, have no place: own_results tell of them. No row without a week before. NULL chooses all.';

CREATE OR REPLACE FUNCTION search_reports.percent_decoded(encoded text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT coalesce(convert_from(string_agg(CASE WHEN part ~ '^%..$' THEN decode(right(part, 2), 'hex') ELSE convert_to(part, 'UTF8') END,
                                                ''::bytea ORDER BY place), 'UTF8'), '')
          FROM (SELECT found[1] AS part, place
                  FROM regexp_matches(encoded, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') WITH ORDINALITY AS parts (found, place)) AS parts);
COMMENT ON FUNCTION search_reports.percent_decoded IS 'The text that was percent-encoded, as in an address (RFC 3986); boards in Grafana pass their choices so.';

-- Grafana joins several values by commas, so that a board offers them with their own percent-encoded.
CREATE OR REPLACE FUNCTION search_reports.percent_decoded_list(written text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT array_agg(search_reports.percent_decoded(value) ORDER BY place)
          FROM unnest(string_to_array(regexp_replace(written, '^\{(.*)\}$', '\1'), ',')) WITH ORDINALITY AS values (value, place));
COMMENT ON FUNCTION search_reports.percent_decoded_list IS 'The texts of a list such as {a,b}, or of one text, in which commas, braces and percent signs are percent-encoded; NULL of none. Boards in Grafana pass several choices so.';

CREATE OR REPLACE FUNCTION search_reports.as_sentence(words text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN upper(left(words, 1)) || substr(words, 2) || '.';
COMMENT ON FUNCTION search_reports.as_sentence IS 'Words with a capital letter before and a full stop behind.';

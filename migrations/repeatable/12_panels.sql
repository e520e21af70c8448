-- Functions that panels of several boards share.

-- Rows without a value are chosen by (none) only, so that the planner can estimate from the values how many rows are left.
CREATE OR REPLACE FUNCTION search_reports.is_chosen(value text, chosen text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN chosen IS NULL OR value = ANY (chosen) OR '(none)' = ANY (chosen) AND coalesce(value, '') = '';
COMMENT ON FUNCTION search_reports.is_chosen IS 'Whether a value is one of those chosen. NULL chooses all, (none) chooses rows without a value.';

CREATE OR REPLACE FUNCTION search_reports.is_market_chosen(
  web_property_id bigint, engine text, country text, device text, of_property text[], of_engine text[], of_country text[], of_device text[]
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN search_reports.is_chosen(web_property_id::text, of_property) AND search_reports.is_chosen(engine, of_engine)
       AND search_reports.is_chosen(country, of_country) AND search_reports.is_chosen(device, of_device);
COMMENT ON FUNCTION search_reports.is_market_chosen IS 'Whether a search of this web property, engine, country and device is chosen.';

CREATE OR REPLACE FUNCTION search_reports.is_assistant_chosen(
  web_property_id bigint, assistant text, country text, of_property text[], of_assistant text[], of_country text[]
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN search_reports.is_chosen(web_property_id::text, of_property) AND search_reports.is_chosen(assistant, of_assistant)
       AND search_reports.is_chosen(country, of_country);
COMMENT ON FUNCTION search_reports.is_assistant_chosen IS 'Whether answers of this assistant, for this web property and country, are chosen.';

CREATE OR REPLACE FUNCTION search_reports.is_served_chosen(
  web_property_id bigint, engine text, locode text, aliases jsonb, of_property text[], of_assistant text[], of_country text[]
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN search_reports.is_assistant_chosen(web_property_id, search_reports.spelled('engine', engine, aliases),
                                          search_reports.country_of(search_reports.spelled('locode', locode, aliases)), of_property, of_assistant, of_country);
COMMENT ON FUNCTION search_reports.is_served_chosen IS 'The same as search_reports.is_assistant_chosen for a row of schema search, which has engine and place as the service spells them.';

CREATE OR REPLACE FUNCTION search_reports.is_of_kind(
  persona text, intent text, group_names text, of_persona text[], of_intent text[], of_groups text[]
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN search_reports.is_chosen(persona, of_persona) AND search_reports.is_chosen(intent, of_intent)
       AND (of_groups IS NULL OR searchmill.list_items(group_names) && of_groups OR '(none)' = ANY (of_groups) AND coalesce(group_names, '') = '');
COMMENT ON FUNCTION search_reports.is_of_kind IS 'Whether the persona, the intent and one of the prompt groups of a row of AI search are chosen. NULL chooses all, (none) chooses rows without one.';

CREATE OR REPLACE FUNCTION search_reports.volume_notice(is_weighted boolean, has_volumes boolean) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE WHEN is_weighted AND NOT has_volumes THEN 'No search volumes are loaded (includeMsv), so every search counts alike.' END;
COMMENT ON FUNCTION search_reports.volume_notice IS 'The notice for figures that should be weighted by volume when no volume is known.';

-- Each search counts once, however many periods a week has. Both weeks are read in one pass: a join would be planned without knowing how many
-- searches there are, and might compare each with each.
CREATE OR REPLACE FUNCTION search_reports.ranking_changes(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, newest date, week_before date,
  of_groups text[] DEFAULT NULL
) RETURNS TABLE (web_property bigint, query text, engine text, country text, device text, volume bigint, own_results integer,
                 place integer, url text, absent_place integer, place_before integer, url_before text, absent_place_before integer, own_results_before integer)
LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF week_before IS NOT NULL THEN
    -- Planned for these weeks and filters each time.
    RETURN QUERY EXECUTE $query$
    SELECT b.web_property_id, b.query, b.search_engine, b.country, b.device, b.volume, b.own_results,
           b.place, b.url, b.absent_place, b.place_before, b.url_before, b.absent_place_before, b.own_results_before
      FROM (SELECT s.*, lag(s.week) OVER two_weeks AS compared, lag(s.place) OVER two_weeks AS place_before, lag(s.url) OVER two_weeks AS url_before,
                   lag(s.absent_place) OVER two_weeks AS absent_place_before, lag(s.own_results) OVER two_weeks AS own_results_before
              FROM (SELECT DISTINCT ON (r.search_key, r.week) r.week, r.search_key, r.web_property_id, r.query, r.search_engine, r.country, r.device,
                           r.volume, r.own_results,
                           CASE $8 WHEN 'standard' THEN r.own_standard ELSE r.own_true END AS place,
                           CASE $8 WHEN 'standard' THEN r.own_url_standard ELSE r.own_url_true END AS url,
                           1 + CASE $8 WHEN 'standard' THEN r.deepest_standard ELSE r.deepest_true END AS absent_place
                      FROM search_reports.search_facts r
                     WHERE r.account_id = $3 AND r.week IN ($1, $2)
                       AND search_reports.is_market_chosen(r.web_property_id, r.search_engine, r.country, r.device, $4, $5, $6, $7)
                       AND ($9 IS NULL OR r.keyword_groups && $9)
                     ORDER BY r.search_key, r.week, r.period_start DESC, r.period_end DESC) AS s
            WINDOW two_weeks AS (PARTITION BY s.search_key ORDER BY s.week)) AS b
     WHERE b.week = $1 AND b.compared = $2
    $query$ USING newest, week_before, of_account, of_property, of_engine, of_country, of_device, rank, of_groups;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_changes IS 'Searches tracked in both of two weeks, side by side: best own places and URLs by rank (standard or true), and the place behind their deepest result (absent_place). Own results without such a rank, such as features, have no place; own_results counts them. No rows without a week before.';

CREATE OR REPLACE FUNCTION search_reports.percent_decoded(encoded text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT coalesce(convert_from(string_agg(CASE WHEN part ~ '^%..$' THEN decode(right(part, 2), 'hex') ELSE convert_to(part, 'UTF8') END,
                                                ''::bytea ORDER BY place), 'UTF8'), '')
          FROM (SELECT found[1] AS part, place
                  FROM regexp_matches(encoded, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') WITH ORDINALITY AS parts (found, place)) AS parts);
COMMENT ON FUNCTION search_reports.percent_decoded IS 'The text of a percent-encoded text (RFC 3986). Boards in Grafana pass their choices so.';

-- Grafana joins several values with commas, so a board offers values in which commas are percent-encoded.
CREATE OR REPLACE FUNCTION search_reports.percent_decoded_list(written text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT array_agg(search_reports.percent_decoded(value) ORDER BY place)
          FROM unnest(string_to_array(regexp_replace(written, '^\{(.*)\}$', '\1'), ',')) WITH ORDINALITY AS values (value, place));
COMMENT ON FUNCTION search_reports.percent_decoded_list IS 'The texts of a list such as {a,b}, or of a single text, in which commas, braces and percent signs are percent-encoded; NULL for NULL. Boards in Grafana pass several choices so.';

CREATE OR REPLACE FUNCTION search_reports.as_sentence(words text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN upper(left(words, 1)) || substr(words, 2) || '.';
COMMENT ON FUNCTION search_reports.as_sentence IS 'The text with a capital letter at the beginning and a full stop at the end.';

-- Runs: stretches of weeks whose figures have the same base -----------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_reports.anchored(amounts numeric[]) RETURNS numeric[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  FOR place IN 2 .. coalesce(cardinality(amounts), 0) LOOP
    IF abs(amounts[place] - amounts[place - 1]) <= 0.1 * amounts[place - 1] OR amounts[place] IS NULL THEN
      amounts[place] := amounts[place - 1];
    END IF;
  END LOOP;
  RETURN amounts;
END
$$;
COMMENT ON FUNCTION search_reports.anchored IS 'Runs of amounts, week by week. A run ends when an amount differs by more than a tenth from the first one of the run, by which the run is named.';

-- Compares only places that both sets have; places that come or go are reported as such. Numbers do not show replacements; the digest does.
CREATE OR REPLACE FUNCTION search_reports.moved_parts(one jsonb, other jsonb, OUT came numeric, OUT went numeric, OUT is_moved boolean)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT (coalesce(sum(m.came), 0), coalesce(sum(m.went), 0), coalesce(greatest(sum(m.came), sum(m.went)) > 0.1 * sum(c.before), true))
          FROM jsonb_each(one) AS o (place, parts) JOIN jsonb_each(other) AS n (place, parts) USING (place)
         CROSS JOIN LATERAL (
               SELECT sum(coalesce(b.amount::numeric, 0)) AS before, sum(greatest(coalesce(a.amount::numeric, 0) - coalesce(b.amount::numeric, 0), 0)) AS came,
                      sum(greatest(coalesce(b.amount::numeric, 0) - coalesce(a.amount::numeric, 0), 0)) AS went
                 FROM jsonb_each_text(o.parts - 'digest') AS b (part, amount) FULL JOIN jsonb_each_text(n.parts - 'digest') AS a (part, amount) USING (part)) AS c
         CROSS JOIN LATERAL (SELECT search_reports.digest_distance((o.parts ->> 'digest')::numeric, (n.parts ->> 'digest')::numeric) AS others) AS d
         CROSS JOIN LATERAL (SELECT greatest(c.came, round((d.others + c.came - c.went) / 2)) AS came, greatest(c.went, round((d.others - c.came + c.went) / 2)) AS went) AS m);
COMMENT ON FUNCTION search_reports.moved_parts IS 'What came to a tracked set and what went from it, and whether either is more than a tenth of the set. Given are amounts by place and part, such as searches by web property, and the digest of the place. Equal totals may hide changes, such as one web property that replaces another, or one keyword that replaces another.';

CREATE OR REPLACE FUNCTION search_reports.tracked_runs(weeks date[], totals numeric[], sets jsonb[], sources text[] DEFAULT NULL) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  anchor jsonb;
  total  numeric;
  label  text;
  labels text[] := '{}';
  begun  jsonb := '{}';
BEGIN
  FOR n IN 1 .. coalesce(cardinality(sets), 0) LOOP
    IF sources[n] IS DISTINCT FROM sources[n - 1] AND n > 1 THEN
      anchor := sets[n];
      total := totals[n];
      label := coalesce(label, total::text);
    ELSIF anchor IS NULL OR anchor <> sets[n] AND (search_reports.moved_parts(anchor, sets[n])).is_moved THEN
      anchor := sets[n];
      label := totals[n]::text;
      IF begun ? label AND (search_reports.moved_parts(begun -> label, anchor)).is_moved OR NOT begun ? label AND abs(totals[n] - total) <= 0.1 * total THEN
        label := format('%s (not the same since %s)', label, weeks[n]);
      END IF;
      begun := begun || jsonb_build_object(label, anchor);
      total := totals[n];
    ELSE
      anchor := sets[n] || anchor;
    END IF;
    labels := labels || label;
  END LOOP;
  RETURN labels;
END
$$;
COMMENT ON FUNCTION search_reports.tracked_runs IS 'Runs of tracked sets (see search_reports.moved_parts), week by week. A run ends when a tenth of the set that it began with came or went. It is named by its number (totals), and by its week if another run has the same number. If sets come from other sources than before, they cannot be compared, and the run continues from the new one.';

-- Functions that panels of several boards share.

-- Rows without a value are chosen by (none) only, so that the planner can estimate from the values how many rows are left.
CREATE OR REPLACE FUNCTION search_reports.is_chosen(value text, chosen text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN chosen IS NULL OR value = ANY (chosen) OR '(none)' = ANY (chosen) AND coalesce(value, '') = '';
COMMENT ON FUNCTION search_reports.is_chosen IS 'Whether a value is one of those chosen. NULL chooses all, (none) chooses rows without a '
  'value.';

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
COMMENT ON FUNCTION search_reports.is_assistant_chosen IS 'Whether answers of this assistant, for this web property and country, are '
  'chosen.';

CREATE OR REPLACE FUNCTION search_reports.percent_decoded(encoded text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT coalesce(convert_from(string_agg(CASE WHEN part ~ '^%..$' THEN decode(right(part, 2), 'hex')
                                                ELSE convert_to(part, 'UTF8') END,
                                                ''::bytea ORDER BY place), 'UTF8'), '')
          FROM (SELECT found[1] AS part, place
                  FROM regexp_matches(encoded, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') WITH ORDINALITY AS parts (found, place)) AS parts);
COMMENT ON FUNCTION search_reports.percent_decoded IS 'The text of a percent-encoded text (RFC 3986). Boards in Grafana pass their choices '
  'so.';

-- Grafana joins several values with commas, so a board offers values in which commas are percent-encoded.
CREATE OR REPLACE FUNCTION search_reports.percent_decoded_list(written text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT array_agg(search_reports.percent_decoded(value) ORDER BY place)
          FROM unnest(string_to_array(regexp_replace(written, '^\{(.*)\}$', '\1'), ',')) WITH ORDINALITY AS values (value, place));
COMMENT ON FUNCTION search_reports.percent_decoded_list IS 'The texts of a list such as {a,b}, or of a single text, in which commas, '
  'braces and percent signs are percent-encoded; NULL for NULL. Boards in Grafana pass several choices so.';

CREATE OR REPLACE FUNCTION search_reports.as_sentence(words text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN upper(left(words, 1) COLLATE "C") || substr(words, 2) || '.';
COMMENT ON FUNCTION search_reports.as_sentence IS 'The text with a capital letter at the beginning and a full stop at the end.';

CREATE OR REPLACE FUNCTION search_reports.is_related(site text, domains text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM unnest(domains) AS d
                WHERE right('.' || lower(site COLLATE "C"), length(d) + 1) = '.' || d
                   OR right(d, length(site) + 1) = '.' || lower(site COLLATE "C"));
COMMENT ON FUNCTION search_reports.is_related IS 'Whether a site is one of some domains, or lies above or below one of them.';

CREATE OR REPLACE FUNCTION search_reports.others(amount bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE amount WHEN 1 THEN '1 other' ELSE amount || ' others' END;
COMMENT ON FUNCTION search_reports.others IS 'So many that are not named, in words.';

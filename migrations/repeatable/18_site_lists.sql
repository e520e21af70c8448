-- Which of many sites a panel shows. Sites are in the form of search_reports.bare_domain.

CREATE OR REPLACE FUNCTION search_reports.with_own(sites text[], own text[], most integer, pinned text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT p FROM unnest(pinned) AS p WHERE p <> ALL (sites) ORDER BY p)
       || ARRAY(SELECT s FROM unnest(sites) WITH ORDINALITY AS k (s, place) WHERE place > most AND s = ANY (pinned || own[:5]) ORDER BY place)
       || sites[:most];
COMMENT ON FUNCTION search_reports.with_own IS 'The first sites of a list, so many (most), and before them our first five and all pinned '
  'sites; pinned sites that are not in the list come first.';

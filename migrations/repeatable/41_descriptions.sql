-- A column that most tables and views have is described here, if it is nowhere else. Others are described once, at the table: a column of a
-- view without a description of its own gets that of the nearest column of the same name that the view reads. A migration that changes the
-- description of a column has to change it in these views, too.

DO $$
DECLARE
  shown record;
BEGIN
  FOR shown IN
    SELECT c.oid::regclass AS relation, known.name AS column, known.description
      FROM (VALUES ('account_id', 'Account.'), ('week', 'Sunday that begins the week.')) AS known (name, description)
      JOIN pg_catalog.pg_attribute a ON a.attname = known.name
      JOIN pg_catalog.pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'v')
     WHERE c.relnamespace IN (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname IN ('search_reports', 'search_stored', 'searchmill'))
       AND col_description(c.oid, a.attnum) IS NULL
  LOOP
    EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', shown.relation, shown.column, shown.description);
  END LOOP;
  FOR shown IN
    WITH RECURSIVE read AS (
      SELECT c.oid AS view, a.attname AS column, a.attnum AS place, c.oid AS relation, a.attnum::integer AS number, 0 AS distance
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
       WHERE c.relkind = 'v' AND c.relnamespace IN (SELECT oid FROM pg_catalog.pg_namespace
                                                    WHERE nspname IN ('search', 'search_reports', 'search_stored', 'searchmill'))
         AND col_description(c.oid, a.attnum) IS NULL
      UNION
      SELECT r.view, r.column, r.place, d.refobjid, d.refobjsubid, r.distance + 1
        FROM read r
        JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.relation
        JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = w.oid
          AND d.refclassid = 'pg_catalog.pg_class'::regclass
        JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid AND a.attname = r.column
       WHERE d.refobjid <> r.relation
    )
    SELECT DISTINCT ON (view, place) view::regclass AS view, r.column, col_description(relation, number) AS description
      FROM read r
     WHERE col_description(relation, number) IS NOT NULL
     ORDER BY view, place, distance, relation
  LOOP
    EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', shown.view, shown.column, shown.description);
  END LOOP;
END
$$;

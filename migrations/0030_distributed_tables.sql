-- For tables that Citus distributes: their weeks are found by one pass over the nodes, since Citus lets no recursive query walk an
-- index for all accounts. Tables on one server are read as in 0024.
-- Guarantees: nothing else changes.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE OR REPLACE FUNCTION search_reports.weeks_in_tables() RETURNS TABLE (subject text, account_id bigint, week date)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_incremental_sort = off
AS $$
DECLARE
  part           record;
  days           text;
  is_distributed boolean;
BEGIN
  FOR part IN
    SELECT dataset, relid AS oid, relid::regclass AS name
      FROM unnest('{keyword_rankings,ai_search_response,ai_search_brands,ai_search_citations,ai_search_sentiments,ai_search_fan_out}'::text[])
             AS dataset,
           pg_partition_tree(format('search.%I', dataset)::regclass)
     WHERE isleaf AND parentrelid IS NOT NULL
  LOOP
    is_distributed := false;
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
      EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)' INTO is_distributed USING part.oid;
    END IF;
    IF is_distributed THEN
      days := format('SELECT DISTINCT account_id, time_period_start FROM %s', part.name);
    ELSE
      days := format('
        WITH RECURSIVE days AS (
          (SELECT account_id, time_period_start FROM %1$s ORDER BY account_id, time_period_start LIMIT 1)
          UNION ALL
          SELECT n.account_id, n.time_period_start
            FROM days d CROSS JOIN LATERAL (
              SELECT p.account_id, p.time_period_start FROM %1$s p
               WHERE (p.account_id, p.time_period_start) > (d.account_id, d.time_period_start)
               ORDER BY p.account_id, p.time_period_start LIMIT 1) n
        )
        SELECT account_id, time_period_start FROM days', part.name);
    END IF;
    -- Read first: what is joined to them is not known on the nodes.
    RETURN QUERY EXECUTE format('
      WITH days AS MATERIALIZED (%1$s)
      SELECT DISTINCT subject, account_id, search_reports.week_of(time_period_start)
        FROM days CROSS JOIN unnest(search_reports.subjects_of(%2$L)) AS subject', days, part.dataset);
  END LOOP;
END
$$;

-- Not one SELECT: Citus runs each of its queries on the node that has the account.
CREATE FUNCTION search_reports.web_property_name(of_account bigint, of_property bigint, of_weeks date[]) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  of_week date;
  dataset text;
  found   text;
BEGIN
  FOREACH of_week IN ARRAY of_weeks LOOP
    FOREACH dataset IN ARRAY '{keyword_rankings,ai_search_response,ai_search_citations,ai_search_sentiments,ai_search_fan_out}'::text[] LOOP
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

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_reader') THEN
    GRANT EXECUTE ON FUNCTION search_reports.web_property_name TO searchmill_reader;
  END IF;
END
$$;

-- Citus makes the table, its partitions and the view over it anew, without their comments.
CREATE FUNCTION searchmill.undistribute(dataset text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  remark   text;
  comments text[];
BEGIN
  SELECT array_agg(format('COMMENT ON %s %s IS %L', CASE o.type WHEN 'table' THEN 'TABLE' WHEN 'view' THEN 'VIEW' ELSE 'COLUMN' END,
                          o.identity, d.description))
    INTO comments
    FROM pg_catalog.pg_description d CROSS JOIN LATERAL pg_identify_object(d.classoid, d.objoid, d.objsubid) o
   WHERE d.classoid = 'pg_catalog.pg_class'::regclass
     AND d.objoid IN (SELECT relid FROM pg_partition_tree(format('search.%I', dataset)::regclass)
                      UNION ALL SELECT to_regclass(format('search.%I', dataset || '_arrays')));
  EXECUTE 'SELECT undistribute_table($1)' USING format('search.%I', dataset)::regclass;
  FOREACH remark IN ARRAY coalesce(comments, '{}') LOOP
    EXECUTE remark;
  END LOOP;
END
$$;
COMMENT ON FUNCTION searchmill.undistribute IS 'Brings the rows of a table of schema search back to the coordinator of a Citus cluster.';

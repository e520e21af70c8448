-- Functions that summaries and boards call for each row. The nodes lack them if Citus was created later. Result: signature.
-- Not null: signature.
SELECT p.oid::regprocedure::text AS signature
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
 WHERE n.nspname IN ('search_reports', 'searchmill') AND p.prokind = 'f' AND p.provolatile = 'i'
   AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_object d WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid)
 ORDER BY signature

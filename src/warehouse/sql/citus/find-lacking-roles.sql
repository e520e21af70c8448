-- Login roles of readers, analysts and writers that a worker lacks, such as those created before Citus. Result: node; roles, quoted and in order.
-- Not null: node, roles.
SELECT w.nodename || ':' || w.nodeport AS node, string_agg(quote_ident(r.rolname), ', ' ORDER BY r.rolname) AS roles
  FROM run_command_on_workers('SELECT jsonb_agg(rolname) FROM pg_catalog.pg_roles') w
  JOIN pg_catalog.pg_roles r ON NOT jsonb_exists(w.result::jsonb, r.rolname)
 WHERE w.success AND r.rolcanlogin
   AND EXISTS (SELECT 1 FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles g ON g.oid = m.roleid
                WHERE m.member = r.oid AND g.rolname IN ('searchmill_reader', 'searchmill_analyst', 'searchmill_writer'))
 GROUP BY node
 ORDER BY node

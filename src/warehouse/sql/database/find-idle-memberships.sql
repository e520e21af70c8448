-- Logins that are members of a role of Searchmill and have none of its rights, since they inherit nothing and do not set that role.
-- Result: login, role, statement that changes it. Locks: none.
-- Not null: login, role, statement.
SELECT l.rolname::text AS login, r.rolname::text AS role,
       CASE WHEN current_setting('server_version_num')::integer >= 160000
         THEN format('GRANT %I TO %I WITH INHERIT TRUE', r.rolname, l.rolname)
         ELSE format('ALTER ROLE %I INHERIT', l.rolname) END AS statement
  FROM pg_catalog.pg_roles l JOIN pg_catalog.pg_roles r ON r.rolname IN ('searchmill_writer', 'searchmill_reader', 'searchmill_analyst', 'searchmill_account')
 WHERE l.rolcanlogin AND NOT l.rolsuper AND pg_has_role(l.oid, r.oid, 'MEMBER') AND NOT pg_has_role(l.oid, r.oid, 'USAGE')
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_db_role_setting s CROSS JOIN LATERAL unnest(s.setconfig) AS setting
                    WHERE s.setrole = l.oid AND s.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))
                      AND setting IN ('role=' || r.rolname, 'role=' || quote_ident(r.rolname)))
 ORDER BY l.rolname, r.rolname

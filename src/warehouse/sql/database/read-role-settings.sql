-- Settings with which every session of this role in this database begins. Result: name, source (role or database).
-- Locks: none.
-- Not null: name, source.
SELECT split_part(setting, '=', 1) AS name,
       CASE WHEN s.setrole = 0 THEN 'database ' || current_database() ELSE 'role ' || session_user END AS source
  FROM pg_catalog.pg_db_role_setting s CROSS JOIN LATERAL unnest(s.setconfig) AS setting
 WHERE s.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))
   AND s.setrole IN (0, (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user))
 ORDER BY 1

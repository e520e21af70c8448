-- Whether there is a login, and its roles of Searchmill. Params: :login. Result: isThere, roles.
-- Locks: none.
-- Not null: isThere, roles.
SELECT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = :login) AS "isThere",
       ARRAY(SELECT r.rolname::text FROM pg_catalog.pg_roles r JOIN pg_catalog.pg_auth_members m ON m.roleid = r.oid
               JOIN pg_catalog.pg_roles l ON l.oid = m.member
              WHERE l.rolname = :login AND r.rolname LIKE 'searchmill\_%' ORDER BY 1) AS roles

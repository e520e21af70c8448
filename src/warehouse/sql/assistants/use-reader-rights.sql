-- For the rest of the transaction, a login that may write has only the rights of searchmill_reader, where it may take them. A login that can only
-- read keeps its own: policies may be made for it. Result: one row where rights were changed. Repeating changes nothing.
-- Not null: role.
SELECT set_config('role', 'searchmill_reader', true) AS role
  FROM pg_catalog.pg_roles
 WHERE rolname = 'searchmill_reader' AND pg_has_role(current_user, oid, 'MEMBER') AND has_table_privilege('searchmill.slices', 'UPDATE')

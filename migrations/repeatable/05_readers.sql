-- Which accounts a login sees. Views of search_reports have the rights of their owner, because readers have no right to the tables behind
-- them. So each view chooses the accounts itself, by the function and the view below, before it applies the reader's conditions
-- (security_barrier). Policies on the tables use both, too.

-- In PL/pgSQL, which plans once per session: each view calls it, and a page reads a view about a hundred times.
CREATE OR REPLACE FUNCTION search_reports.sees_all_accounts() RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_account' AND pg_has_role(current_user, oid, 'MEMBER'))
      -- These are members of every role, or of the roles that they have made.
      OR EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls))
      OR EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'search_reports' AND pg_has_role(current_user, nspowner, 'USAGE'));
END
$$;
COMMENT ON FUNCTION search_reports.sees_all_accounts IS 'Whether the login sees all accounts. Members of searchmill_account see those of '
  'search_reports.accounts_of_login.';

CREATE OR REPLACE VIEW search_reports.accounts_of_login WITH (security_barrier) AS
SELECT account_id FROM searchmill.account_logins WHERE login = current_user;
COMMENT ON VIEW search_reports.accounts_of_login IS 'The accounts that a login with the role searchmill_account sees.';

-- Which accounts a login sees. Views of search_reports have the rights of their owner, since readers have none to what they are made of; so each
-- chooses the accounts itself, by these two, before what its reader asks for (security_barrier). Policies on the tables use them, too.

-- In PL/pgSQL, which plans once a session: each view asks it, and a page reads some hundred of them.
CREATE OR REPLACE FUNCTION search_reports.sees_all_accounts() RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_account' AND pg_has_role(current_user, oid, 'MEMBER'))
      -- Members of every role, or of the roles they have made.
      OR EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls))
      OR EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'search_reports' AND pg_has_role(current_user, nspowner, 'USAGE'));
END
$$;
COMMENT ON FUNCTION search_reports.sees_all_accounts IS 'Whether the login sees all accounts: members of searchmill_account see those of search_reports.accounts_of_login.';

CREATE OR REPLACE VIEW search_reports.accounts_of_login WITH (security_barrier) AS
SELECT account_id FROM searchmill.account_logins WHERE login = current_user;
COMMENT ON VIEW search_reports.accounts_of_login IS 'The accounts that a login with the role searchmill_account sees.';
COMMENT ON COLUMN search_reports.accounts_of_login.account_id IS 'Account.';

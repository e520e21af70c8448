-- The statements that make a login for people's tools, or bring one up to date: its role, and settings with which its sessions begin in this database.
-- Compiling takes longer than running what BI tools ask, so jit is off. A login of accounts gets no other role, since roles add up.
-- Params: :login, :password (its SCRAM verifier; NULL leaves that of a login that is there), :accountIds (the accounts that it sees; NULL for all),
--   :statementTimeoutSeconds. Result: statement, in order. Locks: none. Repeating changes nothing but the password.
-- Not null: statement.
WITH asked AS (
  SELECT :login::text AS login, :password::text AS password, CASE WHEN :accountIds::bigint[] IS NULL THEN 'searchmill_analyst' ELSE 'searchmill_account' END AS role,
         :statementTimeoutSeconds::integer AS seconds
)
SELECT s.statement
  FROM asked a
 CROSS JOIN LATERAL (VALUES
       (1, CASE WHEN NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = a.login) THEN format('CREATE ROLE %I LOGIN', a.login) END),
       (2, format('ALTER ROLE %I PASSWORD %L', a.login, a.password)),
       (3, format('GRANT %I TO %I', a.role, a.login)),
       (4, format('ALTER ROLE %I IN DATABASE %I SET jit = off', a.login, current_database())),
       (5, format('ALTER ROLE %I IN DATABASE %I SET search_path = search_reports, search', a.login, current_database())),
       (6, format('ALTER ROLE %I IN DATABASE %I SET statement_timeout = %L', a.login, current_database(), a.seconds || 's'))
     ) AS s (place, statement)
 WHERE s.statement IS NOT NULL AND (s.place <> 2 OR a.password IS NOT NULL)
 ORDER BY s.place

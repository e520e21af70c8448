-- Logins of people, and the accounts that they may read.

-- name: logins/end
-- Ends a session of the pages, by a function with the owner's rights, because readers of the boards may only read.
-- Params: :digest (SHA-256 of the session's number). Result: none. Locks: none that others wait for.
-- Repeating changes nothing.
SELECT searchmill.end_session(:digest);

-- name: logins/find
-- Whether there is a login, and its roles of Searchmill. Params: :login. Result: isThere, roles.
-- Locks: none.
-- Not null: isThere, roles.
SELECT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = :login) AS "isThere",
       ARRAY(SELECT r.rolname::text FROM pg_catalog.pg_roles r JOIN pg_catalog.pg_auth_members m ON m.roleid = r.oid
               JOIN pg_catalog.pg_roles l ON l.oid = m.member
              WHERE l.rolname = :login AND r.rolname LIKE 'searchmill\_%' ORDER BY 1) AS roles;

-- name: logins/is-ended
-- Whether a session of the pages was ended. Params: :digest (SHA-256 of the session's number). Result: isEnded. Locks: none.
-- Not null: isEnded.
SELECT EXISTS (SELECT FROM searchmill.ended_sessions s WHERE s.digest = :digest) AS "isEnded";

-- name: logins/note-accounts
-- Notes the accounts that a login with the role searchmill_account sees. Params: :login, :accountIds. Result: none.
-- Locks: rows. Repeating changes nothing.
INSERT INTO searchmill.account_logins (login, account_id)
SELECT :login::text, unnest(:accountIds::bigint[])
    ON CONFLICT DO NOTHING;

-- name: logins/plan-analyst
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
 ORDER BY s.place;

-- name: logins/read-place
-- Where sessions of the pages are: the ledger and its database, since a copy of a warehouse has the ledger of the original.
-- Result: place. Locks: none.
-- Not null: place.
SELECT concat_ws('/', l.id, d.oid, d.datname) AS place
  FROM searchmill.ledger l, pg_catalog.pg_database d
 WHERE d.datname = pg_catalog.current_database();

-- Notes the accounts that a login with the role searchmill_account sees. Params: :login, :accountIds. Result: none.
-- Locks: rows. Repeating changes nothing.
INSERT INTO searchmill.account_logins (login, account_id)
SELECT :login::text, unnest(:accountIds::bigint[])
    ON CONFLICT DO NOTHING

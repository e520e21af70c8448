-- One row where the account is known. Params: :accountId. Result: account as text. Locks: none.
-- Not null: account.
SELECT account_id::text AS account FROM search_reports.accounts WHERE account_id = :accountId::bigint

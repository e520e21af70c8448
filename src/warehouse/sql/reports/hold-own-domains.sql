-- Keeps the own domains of an account as they are until the transaction ends; fails when they have changed since it began.
-- Params: :accountId. Locks: the account's row of own_domain_changes, shared.
SELECT account_id FROM search_reports.own_domain_changes WHERE account_id = :accountId FOR SHARE

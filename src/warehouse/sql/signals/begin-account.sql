-- From now on a target is told of signals of earlier weeks, too, that are found in an account. Params: :target, :accountId. Repeating changes nothing.
INSERT INTO searchmill.told_accounts AS a (target, account_id, begun_at) VALUES (:target, :accountId::bigint, clock_timestamp())
ON CONFLICT (target, account_id) DO UPDATE SET begun_at = excluded.begun_at WHERE a.begun_at IS NULL

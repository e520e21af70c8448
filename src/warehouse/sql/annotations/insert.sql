-- Notes what happened on a day. Params: :accountId, or null for all accounts; :day, :text, :actor. Result: id. Locks: none.
INSERT INTO searchmill.annotations (account_id, day, text, actor)
VALUES (:accountId, :day, :text, :actor)
RETURNING id

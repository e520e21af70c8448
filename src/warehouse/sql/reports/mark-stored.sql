-- Marks a week that this transaction stores on a node of a Citus cluster: readers leave it out until the node is known to have it.
-- Params: :subject, :accountId, :week. Result: id of the mark, as text.
-- Not null: id.
INSERT INTO searchmill.stale_weeks (subject, account_id, week) VALUES (:subject, :accountId, :week) RETURNING id::text AS id

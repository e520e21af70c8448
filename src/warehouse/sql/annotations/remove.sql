-- Removes a note. Params: :noteId. Result: what it was; no row when there is none. Locks: the row.
-- Not null: day.
DELETE FROM searchmill.annotations WHERE id = :noteId
RETURNING id AS "noteId", account_id::text AS "accountId", day::text, text

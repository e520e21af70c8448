-- Notes at weeks of an account, which boards draw.

-- name: annotations/has-account
-- Whether jobs load, or have loaded, an account. Params: :accountId. Locks: none.
-- Not null: isKnown.
SELECT EXISTS (SELECT FROM searchmill.jobs WHERE account_id = :accountId) AS "isKnown";

-- name: annotations/insert
-- Notes what happened on a day. Params: :accountId, or null for all accounts; :day, :text, :actor. Result: id. Locks: none.
INSERT INTO searchmill.annotations (account_id, day, text, actor)
VALUES (:accountId, :day, :text, :actor)
RETURNING id;

-- name: annotations/read
-- What charts mark, oldest week first: for one account and for all accounts, or for every account.
-- Params: :accountId, or null for every account; :from and :through, the first and last week, or null. Locks: none.
-- Not null: week, day, kind, text.
SELECT account_id::text AS "accountId", week::text, day::text, kind, dataset, job, text, actor, at, note_id AS "noteId"
  FROM search_reports.annotations
 WHERE (:accountId::bigint IS NULL OR account_id = :accountId::bigint OR account_id IS NULL)
   AND (:from::date IS NULL OR week >= :from::date)
   AND (:through::date IS NULL OR week <= :through::date)
 ORDER BY day, kind COLLATE "C", dataset COLLATE "C", job COLLATE "C", note_id;

-- name: annotations/remove
-- Removes a note. Params: :noteId. Result: what it was; no row when there is none. Locks: the row.
-- Not null: day.
DELETE FROM searchmill.annotations WHERE id = :noteId
RETURNING id AS "noteId", account_id::text AS "accountId", day::text, text;

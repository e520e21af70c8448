-- Whether jobs load, or have loaded, an account. Params: :accountId. Locks: none.
-- Not null: isKnown.
SELECT EXISTS (SELECT FROM searchmill.jobs WHERE account_id = :accountId) AS "isKnown"

-- Up to when the last digest of a target told. Params: :target. Result: digestAt. Locks: none.
SELECT digest_at AS "digestAt" FROM searchmill.notification_targets WHERE name = :target

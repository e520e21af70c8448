-- Forgets the problems of a target that are not among these. Params: :target, :keys. Repeating changes nothing.
DELETE FROM searchmill.notified_problems WHERE target = :target AND key <> ALL (:keys::text[])

-- Whether a rule has looked at a week of any account. Params: :week (NULL: any week). Result: found. Locks: none. Not null: found.
SELECT EXISTS (SELECT FROM searchmill.signal_looks WHERE :week::date IS NULL OR week = :week::date) AS found

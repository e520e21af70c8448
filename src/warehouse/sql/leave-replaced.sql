-- Takes those rows out of a replay whose week another slice of the same job has published since: its answer has them.
-- Params: $1 slice of the replay. Result: page, position. Repeating finds none.
DELETE FROM {staging} r
 USING searchmill.slices s, searchmill.slices later
 WHERE s.id = $1 AND later.job = s.job AND later.id <> s.id AND later.published_at > s.published_at
   AND r.account_id = later.account_id AND r.time_period_start BETWEEN later.window_start AND later.window_end
RETURNING r._page AS page, r._position AS position

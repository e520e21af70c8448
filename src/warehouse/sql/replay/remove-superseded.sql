-- Takes those rows out of a replay whose week another slice of the same job has published since: its answer has them.
-- Params: :sliceId of the replay. Result: as many rows. Repeating finds none.
DELETE FROM {staging} r
 USING searchmill.slices s, searchmill.slices later
 WHERE s.id = :sliceId AND later.job = s.job AND later.id <> s.id AND later.published_at > s.published_at
   AND r.account_id = later.account_id AND r.time_period_start BETWEEN later.window_start AND later.window_end

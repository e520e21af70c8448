-- Takes those rows out of a replay whose week another slice of the same job has published since: its answer has them. Publications are
-- in the order of their ids, whatever the clock said.
-- Params: :sliceId of the replay. Result: as many rows. Repeating finds none.
DELETE FROM {staging} r
 USING searchmill.slices s, searchmill.publications p, searchmill.slices later, searchmill.publications pl
 WHERE s.id = :sliceId AND p.execution_id = s.published_execution_id
   AND later.job = s.job AND later.id <> s.id AND pl.execution_id = later.published_execution_id AND pl.id > p.id
   AND r.account_id = later.account_id AND r.time_period_start BETWEEN later.window_start AND later.window_end

-- Deletes rows of other jobs that have a replayed key and a number above the last replayed one, so that all rows of a key come
-- from one load.
-- Params: :job of the replay. Result: as many rows. Repeating finds none.
DELETE FROM {table} t
 USING (SELECT account_id, time_period_start, _key, max(_occurrence) AS last FROM {staging} GROUP BY 1, 2, 3) s
 WHERE t.account_id = s.account_id AND t.time_period_start = s.time_period_start AND t._key = s._key AND t._occurrence > s.last
   AND t._slice NOT IN (SELECT id FROM searchmill.slices WHERE job = :job)

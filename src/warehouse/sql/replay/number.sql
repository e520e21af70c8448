-- Numbers replayed rows after those with the same key that slices of their job have in the table. Params: :job.
-- Repeating changes nothing.
UPDATE {staging} r SET _occurrence = n.occurrence
  FROM (SELECT s.ctid AS row_id,
               row_number() OVER (PARTITION BY s.account_id, s.time_period_start, s._key ORDER BY s._page, s._position)
                 + coalesce((SELECT max(t._occurrence) FROM {table} t
                              WHERE t.account_id = s.account_id AND t.time_period_start = s.time_period_start AND t._key = s._key
                                AND t._slice IN (SELECT id FROM searchmill.slices WHERE job = :job)), 0) AS occurrence
          FROM {staging} s) n
 WHERE r.ctid = n.row_id AND n.occurrence > 1

-- Numbers replayed rows after those with the same key that slices of their job have in the table. Params: :job.
-- Repeating changes nothing.
UPDATE {staging} r SET _occurrence = n.occurrence
  FROM (SELECT s._page, s._position,
               row_number() OVER (PARTITION BY s.account_id, s.time_period_start, s._key ORDER BY s._page, s._position)
                 + coalesce(p.last, 0) AS occurrence
          FROM {staging} s
          LEFT JOIN (SELECT t.account_id, t.time_period_start, t._key, max(t._occurrence) AS last
                       FROM {table} t
                       JOIN (SELECT DISTINCT account_id, time_period_start, _key FROM {staging}) k
                         ON k.account_id = t.account_id AND k.time_period_start = t.time_period_start AND k._key = t._key
                      WHERE t._slice IN (SELECT id FROM searchmill.slices WHERE job = :job)
                      GROUP BY 1, 2, 3) p
            ON p.account_id = s.account_id AND p.time_period_start = s.time_period_start AND p._key = s._key) n
 WHERE r._page = n._page AND r._position = n._position AND n.occurrence > 1

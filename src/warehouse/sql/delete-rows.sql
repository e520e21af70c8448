-- Removes this job's rows of the window that the new answer does not have. Rows that another job wrote last stay.
-- Params: $1 job, $2 account, $3 first and $4 last day of the window.
DELETE FROM {table} t
 USING searchmill.slices o
 WHERE t.account_id = $2 AND t.time_period_start BETWEEN $3 AND $4
   AND o.id = t._slice AND o.job = $1
   AND NOT EXISTS (SELECT FROM {staging} s
                    WHERE s.account_id = t.account_id AND s.time_period_start = t.time_period_start
                      AND s._key = t._key AND s._occurrence = t._occurrence)

-- Deletes the rows that the new answer does not have any more, and the surplus of other jobs.
-- Params: :accounts, :from and :to, the days of the rows.
DELETE FROM {table} t
 USING searchmill_changes c
 WHERE c.change IN ('delete', 'surplus') AND t.account_id = c.account_id AND t.time_period_start = c.time_period_start
   AND t._key = c._key AND t._occurrence = c._occurrence
   AND t.account_id = ANY (:accounts) AND t.time_period_start BETWEEN :from AND :to

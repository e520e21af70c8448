-- Reassigns rows that another job has with the same values to the slice of this load.
-- Params: :sliceId, :accounts, :from and :to, the days of the rows.
UPDATE {table} t
   SET _slice = :sliceId
  FROM searchmill_changes c
 WHERE c.change = 'reassign' AND t.account_id = c.account_id AND t.time_period_start = c.time_period_start
   AND t._key = c._key AND t._occurrence = c._occurrence
   AND t.account_id = ANY (:accounts) AND t.time_period_start BETWEEN :from AND :to

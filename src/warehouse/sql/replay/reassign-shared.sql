-- Reassigns replayed rows that another job has with the same values to the slice of the replay.
-- Params: :sliceId. Repeating changes nothing.
UPDATE {table} t SET _slice = :sliceId
  FROM {staging} s
 WHERE t.account_id = s.account_id AND t.time_period_start = s.time_period_start AND t._key = s._key AND t._occurrence = s._occurrence
   AND t._slice <> :sliceId

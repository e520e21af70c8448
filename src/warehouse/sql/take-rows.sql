-- Moves rows that another job has with the same values to the slice of this load.
-- Params: $1 slice, $2 accounts, $3 first and $4 last day of the rows.
UPDATE {table} t
   SET _slice = $1
  FROM searchmill_changes c
 WHERE c.change = 'take' AND t.account_id = c.account_id AND t.time_period_start = c.time_period_start
   AND t._key = c._key AND t._occurrence = c._occurrence
   AND t.account_id = ANY ($2) AND t.time_period_start BETWEEN $3 AND $4

-- Deletes the rows that the new answer does not have any more, and rows of other jobs that are the rest of its keys.
-- Params: $1 accounts, $2 first and $3 last day of the rows.
DELETE FROM {table} t
 USING searchmill_changes c
 WHERE c.change IN ('delete', 'rest') AND t.account_id = c.account_id AND t.time_period_start = c.time_period_start
   AND t._key = c._key AND t._occurrence = c._occurrence
   AND t.account_id = ANY ($1) AND t.time_period_start BETWEEN $2 AND $3

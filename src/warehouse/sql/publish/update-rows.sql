-- Rewrites the rows whose values differ. Params: :sliceId, :accounts, :from and :to, the days of the rows.
UPDATE {table} t
   SET {assignments}, _extra = s._extra, _slice = :sliceId, _changed_at = now()
  FROM searchmill_changes c JOIN {staging} s ON s.ctid = c.staged
 WHERE c.change = 'update' AND t.account_id = c.account_id AND t.time_period_start = c.time_period_start
   AND t._key = c._key AND t._occurrence = c._occurrence
   AND t.account_id = ANY (:accounts) AND t.time_period_start BETWEEN :from AND :to

-- Rewrites the rows whose values differ. Params: :sliceId, :accounts, :from and :to, the days of the rows.
-- OFFSET 0 keeps the staged rows that are joined apart: where the table is distributed, only these are sent to its nodes.
UPDATE {table} t
   SET {assignments}, _extra = s._extra, _slice = :sliceId, _changed_at = now()
  FROM (SELECT s.*
          FROM searchmill_changes c
          JOIN {staging} s ON s.account_id = c.account_id AND s.time_period_start = c.time_period_start
                          AND s._key = c._key AND s._occurrence = c._occurrence
         WHERE c.change = 'update'
        OFFSET 0) s
 WHERE t.account_id = s.account_id AND t.time_period_start = s.time_period_start
   AND t._key = s._key AND t._occurrence = s._occurrence
   AND t.account_id = ANY (:accounts) AND t.time_period_start BETWEEN :from AND :to

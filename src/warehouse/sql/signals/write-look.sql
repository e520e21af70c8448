-- Records a look of a rule at a week. Params: :accountId, :week, :rule, :place, :title, :datasets, :weeks, :basis, :cursor,
-- :silence.
-- Repeating changes nothing but the time.
INSERT INTO searchmill.signal_looks (account_id, week, rule, place, title, datasets, weeks, basis, cursor, silence)
VALUES (:accountId, :week, :rule, :place, :title, :datasets, :weeks, :basis, :cursor, :silence)
ON CONFLICT (account_id, week, rule) DO UPDATE
   SET place = excluded.place, title = excluded.title, datasets = excluded.datasets, weeks = excluded.weeks, basis = excluded.basis, cursor = excluded.cursor,
       silence = excluded.silence, looked_at = clock_timestamp()

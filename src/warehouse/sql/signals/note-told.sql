-- Records which signals, and which removed ones, are sent to a target. Params: :target, :told, :takenBack, both numbers of signals. Repeating changes nothing but times.
WITH told AS (
  INSERT INTO searchmill.told_signals (target, signal_id) SELECT :target, id FROM unnest(:told::bigint[]) AS id
  ON CONFLICT (target, signal_id) DO UPDATE SET told_at = excluded.told_at, taken_back_told_at = NULL
)
UPDATE searchmill.told_signals SET taken_back_told_at = clock_timestamp() WHERE target = :target AND signal_id = ANY (:takenBack::bigint[])

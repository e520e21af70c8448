-- Problems that a target knows of, or will be told of if they last. Params: :target. Locks: none.
SELECT key, kind, severity, job, connection, window_start AS "windowStart", window_end AS "windowEnd", title, since,
       seen_at AS "seenAt", told_at AS "toldAt", reminded_at AS "remindedAt", gone_at AS "goneAt"
  FROM searchmill.notified_problems
 WHERE target = :target
 ORDER BY seen_at, key

-- Writes problems of a target down. Params: :target, :problems as a JSON list of what read-problems gives. Repeating changes nothing.
INSERT INTO searchmill.notified_problems (target, key, kind, severity, job, connection, window_start, window_end, title, since,
                                          seen_at, told_at, reminded_at, gone_at)
SELECT :target, key, kind, severity, job, connection, "windowStart", "windowEnd", title, since, "seenAt", "toldAt", "remindedAt", "goneAt"
  FROM jsonb_to_recordset(:problems::jsonb) AS p (
         key text, kind text, severity text, job text, connection text, "windowStart" date, "windowEnd" date, title text, since timestamptz,
         "seenAt" timestamptz, "toldAt" timestamptz, "remindedAt" timestamptz, "goneAt" timestamptz)
ON CONFLICT (target, key) DO UPDATE
   SET severity = excluded.severity, window_start = excluded.window_start, window_end = excluded.window_end, title = excluded.title,
       since = excluded.since, told_at = excluded.told_at, reminded_at = excluded.reminded_at, gone_at = excluded.gone_at

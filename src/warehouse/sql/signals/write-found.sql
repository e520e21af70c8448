-- Stores what a rule found as the signals of a week, and takes back the others. A signal that was taken back before may return.
-- Params: :accountId, :week, :rule, :found as a JSON list of { subject, text, weight, about }. Repeating changes nothing.
WITH found AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset(:found::jsonb) AS f (subject text, text text, weight numeric, about jsonb)
), taken_back AS (
  UPDATE searchmill.signals s SET taken_back_at = clock_timestamp()
   WHERE account_id = :accountId AND week = :week AND rule = :rule AND taken_back_at IS NULL
     AND NOT EXISTS (SELECT FROM found f WHERE f.subject = s.subject)
)
INSERT INTO searchmill.signals AS s (account_id, week, rule, subject, text, weight, about)
SELECT :accountId, :week, :rule, subject, text, weight, about FROM found
ON CONFLICT (account_id, week, rule, subject) DO UPDATE
   SET text = excluded.text, weight = excluded.weight, about = excluded.about, taken_back_at = NULL,
       found_at = CASE WHEN s.taken_back_at IS NULL THEN s.found_at ELSE clock_timestamp() END

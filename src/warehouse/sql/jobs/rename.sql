-- Gives jobs that jobs/set-aside has set aside their new names. A job under whose new name somebody has paused a job keeps that pause.
-- Params: :moves, a JSON array of from and to. Locks: the jobs' rows and those of their slices.
WITH moves AS (
  SELECT 'renamed from ' || "from" AS aside, "to" FROM jsonb_to_recordset(:moves) AS m ("from" text, "to" text)
), paused AS (
  UPDATE searchmill.pauses p SET name = m."to" FROM moves m
   WHERE p.kind = 'job' AND p.name = m.aside
     AND NOT EXISTS (SELECT FROM searchmill.pauses o WHERE o.kind = 'job' AND o.name = m."to")
), superseded AS (
  DELETE FROM searchmill.pauses p USING moves m
   WHERE p.kind = 'job' AND p.name = m.aside
     AND EXISTS (SELECT FROM searchmill.pauses o WHERE o.kind = 'job' AND o.name = m."to")
), decided AS (
  UPDATE searchmill.actions a SET job = m."to" FROM moves m WHERE a.job = m.aside
)
UPDATE searchmill.jobs j SET name = m."to" FROM moves m WHERE j.name = m.aside

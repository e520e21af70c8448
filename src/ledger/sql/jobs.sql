-- Jobs as they were configured last.

-- name: jobs/find-lacking
-- Jobs, of those given, that may lack an expected week: all others have each week published in a slice of its own, and the
-- recent ones since the tick, or live. Planning looks closer at what is found. One index scan a job, however many the years.
-- Params: :wanted, a JSON array with, for every job, its name, the first expected week, the first week of the lookback (recent), the newest
--         expected week and the tick of the schedule.
-- Result: name. Locks: none.
-- Not null: name.
SELECT w.name
  FROM jsonb_to_recordset(:wanted::jsonb) AS w (name text, first date, recent date, newest date, tick timestamptz)
 WHERE (SELECT count(*) FROM searchmill.slices s
         WHERE s.job = w.name AND s.window_start >= w.first AND s.window_start < w.recent AND s.window_end = s.window_start + 6
           AND (s.window_start - w.first) % 7 = 0 AND s.published_execution_id IS NOT NULL) < (w.recent - w.first) / 7
    OR (SELECT count(*) FROM searchmill.slices s LEFT JOIN searchmill.executions p ON p.id = s.published_execution_id
         WHERE s.job = w.name AND s.window_start BETWEEN w.recent AND w.newest AND s.window_end = s.window_start + 6
           AND (s.window_start - w.first) % 7 = 0
           AND (p.planned_at >= w.tick
                OR EXISTS (SELECT FROM searchmill.executions e WHERE e.slice_id = s.id AND e.ended_at IS NULL)))
       < (w.newest - w.recent) / 7 + 1;

-- name: jobs/is-recorded
-- Whether a job is written down with the question it asks now. Params: :job, :dataset, :accountId, :filtersDigest. Locks: none.
-- Not null: found.
SELECT EXISTS (SELECT FROM searchmill.jobs
                WHERE name = :job AND (dataset, account_id, filters_digest) = (:dataset, :accountId, :filtersDigest)) AS found;

-- name: jobs/lock-all
-- Lets processes update the list of jobs one after another: no process abandons what another has marked and is about to adopt, and two
-- whose files have the same jobs in another order don't wait for each other's rows.
-- Locks: one advisory lock, until the transaction ends.
SELECT pg_advisory_xact_lock(hashtext('searchmill plan'), 0);

-- name: jobs/lock-named
-- Keeps other sessions from planning or renaming jobs until the transaction ends.
-- Params: :names. Locks: the jobs' rows in the order of their names, the same that jobs/upsert locks.
SELECT name FROM searchmill.jobs WHERE name = ANY (:names::text[]) ORDER BY name FOR UPDATE;

-- name: jobs/mark-removed
-- Marks jobs that are no longer configured, unless another running process has them. Their published rows stay.
-- Params: :configured names, :instanceId of the process that asks. Result: names newly removed. Repeating changes nothing.
UPDATE searchmill.jobs j SET removed_at = clock_timestamp()
 WHERE removed_at IS NULL AND name <> ALL (:configured::text[])
   AND NOT EXISTS (SELECT FROM searchmill.instances i
                    WHERE j.name = ANY (i.jobs) AND i.id <> :instanceId AND i.seen_at > clock_timestamp() - interval '60 seconds')
RETURNING name;

-- name: jobs/read
-- Jobs as the ledger knows them, configured ones first. Params: :job, or null for all. Locks: none.
-- Not null: name, dataset, connection, accountId, cron, timezone, since, lookbackWeeks, isEnabled, filtersDigest.
SELECT j.name, dataset, connection, account_id AS "accountId", cron, timezone, since::text AS since,
       expected_through::text AS "expectedThrough", lookback_weeks AS "lookbackWeeks", filters_digest AS "filtersDigest",
       planned_at AS "plannedAt", removed_at AS "removedAt", enabled AS "isEnabled", p.paused_at AS "pausedSince",
       p.reason AS "pauseReason"
  FROM searchmill.jobs j LEFT JOIN searchmill.pauses p ON p.kind = 'job' AND p.name = j.name
 WHERE :job::text IS NULL OR j.name = :job
 ORDER BY removed_at NULLS FIRST, j.name;

-- name: jobs/read-known
-- Jobs that have slices, with their last recorded question: a configuration may have renamed them.
-- Params: :instanceId of the process that asks.
-- Result: name, dataset, accountId, filters, filtersDigest, removedAt, isElsewhere (another running process is configured with the name). Locks: none.
-- Not null: isElsewhere.
SELECT j.name, j.dataset, j.account_id AS "accountId", j.filters, j.filters_digest AS "filtersDigest", j.removed_at AS "removedAt",
       EXISTS (SELECT FROM searchmill.instances i
                WHERE j.name = ANY (i.jobs) AND i.id <> :instanceId AND i.seen_at > clock_timestamp() - interval '60 seconds') AS "isElsewhere"
  FROM searchmill.jobs j
 WHERE EXISTS (SELECT FROM searchmill.slices s WHERE s.job = j.name)
 ORDER BY j.name;

-- name: jobs/read-neighbours
-- Other configured jobs of a dataset and account, their questions, and the weeks of a window that are published with these.
-- Params: :job, :dataset, :accountId, :windowStart, :windowEnd. Result: name, filters, weeks (from 0 for the first). Locks: none.
-- Not null: weeks.
SELECT j.name, j.filters,
       ARRAY(SELECT (w.day::date - :windowStart::date) / 7
               FROM generate_series(:windowStart::timestamp, :windowEnd::timestamp, interval '7 days') AS w (day)
              WHERE EXISTS (SELECT FROM searchmill.slices s
                             WHERE s.job = j.name AND w.day::date BETWEEN s.window_start AND s.window_end
                               AND s.published_filters_digest = j.filters_digest)) AS weeks
  FROM searchmill.jobs j
 WHERE j.dataset = :dataset AND j.account_id = :accountId AND j.name <> :job AND j.removed_at IS NULL AND j.enabled
 ORDER BY j.name;

-- name: jobs/read-question
-- The current question of the job of an execution, for the window of its slice.
-- Params: :executionId. Result: dataset, accountId, connection, filters, filtersDigest, start, end. Locks: the job's row, shared: until
-- the transaction ends its question does not change. Jobs are locked before executions, so this comes first.
SELECT s.dataset, s.account_id AS "accountId", j.connection, j.filters, j.filters_digest AS "filtersDigest",
       s.window_start AS "start", s.window_end AS "end"
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
  JOIN searchmill.jobs j ON j.name = s.job
 WHERE e.id = :executionId
   FOR SHARE OF j;

-- name: jobs/read-standing
-- How the configured jobs stand, for metrics. Locks: none.
-- Result, for each job: isPaused (it or its connection is). retryingSeconds for which one of its loads fails, and overdueSeconds for
-- which one is due without a process, the longest of each. leaseTakings of its loads under way.
-- A load that waits for its submit counts from the last submit of its connection on: while others are submitted it waits for its turn.
-- Not null: job, isPaused, retryingSeconds, overdueSeconds, leaseTakings.
SELECT j.name AS job,
       EXISTS (SELECT FROM searchmill.pauses p WHERE (p.kind, p.name) IN (('job', j.name), ('connection', j.connection))) AS "isPaused",
       coalesce(l.retrying, 0)::float8 AS "retryingSeconds", greatest(l.overdue, 0)::float8 AS "overdueSeconds",
       coalesce(l.takings, 0)::integer AS "leaseTakings"
  FROM searchmill.jobs j
  LEFT JOIN (
    SELECT s.job, sum(e.lease_takings) AS takings,
           max(extract(epoch FROM clock_timestamp() - e.retrying_since)) FILTER (WHERE e.state <> 'held') AS retrying,
           max(extract(epoch FROM clock_timestamp()
                 - greatest(e.due_at, e.lease_until, CASE WHEN e.state = 'planned' THEN c.submits_since END)))
             FILTER (WHERE e.state <> 'held' AND searchmill.has_passed(e.due_at) AND searchmill.is_free(e.lease_until, e.state)
                       AND (e.state <> 'planned' OR c.unauthorized_since IS NULL)
                       AND (e.state = 'staged' OR NOT EXISTS (SELECT FROM searchmill.pauses p
                              WHERE (p.kind, p.name) IN (('job', s.job), ('connection', e.connection))))) AS overdue
      FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
      LEFT JOIN (
        SELECT c.name, b.unauthorized_since,
               greatest(b.paused_until, (SELECT max(granted_at) FROM searchmill.call_slots
                                          WHERE budget_id = b.id AND kind = 'submit')) AS submits_since
          FROM searchmill.connections c JOIN searchmill.budgets b ON b.id = c.budget_id
      ) c ON c.name = e.connection
     WHERE e.ended_at IS NULL
     GROUP BY s.job
  ) l ON l.job = j.name
 WHERE j.removed_at IS NULL;

-- name: jobs/remove-named
-- Removes jobs that have no slices, to make room for others of these names. Params: :names. Repeating changes nothing.
DELETE FROM searchmill.jobs WHERE name = ANY (:names::text[]);

-- name: jobs/rename
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
UPDATE searchmill.jobs j SET name = m."to" FROM moves m WHERE j.name = m.aside;

-- name: jobs/set-aside
-- Gives jobs names that no job can have, so that names can go round among them. Their slices, their pauses, and what people
-- did to them go with them: a decision belongs to what was loaded, as it is called now.
-- Params: :names. Locks: the jobs' rows and those of their slices.
WITH paused AS (
  UPDATE searchmill.pauses SET name = 'renamed from ' || name WHERE kind = 'job' AND name = ANY (:names::text[])
), decided AS (
  UPDATE searchmill.actions SET job = 'renamed from ' || job WHERE job = ANY (:names::text[])
)
UPDATE searchmill.jobs SET name = 'renamed from ' || name WHERE name = ANY (:names::text[]);

-- name: jobs/upsert
-- Writes down jobs as configured and the newest week expected of each.
-- Params: :jobs, a JSON array of name, dataset, connection, accountId, filters, filtersDigest, cron, timezone, since, lookbackWeeks,
--         keepWeeks or none (weeks before them are not expected), isEnabled, allowEmpty, and expectedThrough, the first day of the
--         newest expected week, or none.
-- Result: name, pausedSince (of the job or its connection, or null) and now, the time of the database, of each that was
--         written. A job under whose name another dataset or account was loaded is not written.
-- Locks: the jobs' rows, in the order of their names, until the transaction ends. So plannings of a job go one after another, and not
--         while it gets another name. For that, this comes first and always. Repeating refreshes them.
-- Not null: now.
INSERT INTO searchmill.jobs (name, dataset, connection, account_id, filters, filters_digest, cron, timezone, since,
                             expected_through, lookback_weeks, enabled, allow_empty, planned_at)
SELECT name, dataset, connection, "accountId", filters, "filtersDigest", cron, timezone,
       since + 7 * greatest((through - 7 * ("keepWeeks" - 1) - since + 6) / 7, 0),
       "expectedThrough",
       "lookbackWeeks", "isEnabled", "allowEmpty", clock_timestamp()
  FROM jsonb_to_recordset(:jobs) AS j (name text, dataset text, connection text, "accountId" bigint, filters jsonb, "filtersDigest" text,
                                    cron text, timezone text, since date, "expectedThrough" date, "lookbackWeeks" integer,
                                    "keepWeeks" integer, "isEnabled" boolean, "allowEmpty" boolean)
  CROSS JOIN LATERAL (SELECT greatest(j."expectedThrough", (SELECT k.expected_through FROM searchmill.jobs k WHERE k.name = j.name)) AS through) known
 ORDER BY name
ON CONFLICT (name) DO UPDATE
  SET dataset = excluded.dataset, connection = excluded.connection, account_id = excluded.account_id,
      filters = excluded.filters, filters_digest = excluded.filters_digest, cron = excluded.cron,
      timezone = excluded.timezone, since = excluded.since,
      expected_through = greatest(excluded.expected_through, jobs.expected_through),
      lookback_weeks = excluded.lookback_weeks, enabled = excluded.enabled, allow_empty = excluded.allow_empty,
      planned_at = clock_timestamp(), removed_at = NULL
  WHERE (jobs.dataset, jobs.account_id) = (excluded.dataset, excluded.account_id)
     OR NOT EXISTS (SELECT FROM searchmill.slices WHERE job = excluded.name)
RETURNING name, clock_timestamp() AS now,
          (SELECT min(p.paused_at) FROM searchmill.pauses p
            WHERE (p.kind, p.name) IN (('job', jobs.name), ('connection', jobs.connection))) AS "pausedSince";

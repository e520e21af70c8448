-- Executions: who holds one, which are due, and what is known of them. What changes their state is in transitions.sql.

-- name: executions/claim
-- Takes the lease on an execution that is due and free: on :executionId, or on the most urgent planned one of :connection.
-- A paused execution is not taken, unless it is staged. At most two executions of a job wait for their submit or its answer: while the
-- service does not answer, only these have an unknown outcome.
-- Each claim has a new token; older tokens can write nothing. A lease that ran out instead of being given back is counted: see
-- deaths_in_row in docs/schema.sql.
-- Params: :executionId or :connection, the other one null; :owner, :leaseMs, :earlyMs (by which it may be early, as the clocks of queue
--         and database differ).
-- Result: id, leaseToken, or nothing. Locks: its row, and the submits of :connection, for the statement. A row that others are claiming or
--         publishing is skipped.
UPDATE searchmill.executions
   SET lease_token = lease_token + 1, lease_owner = :owner, lease_until = clock_timestamp() + make_interval(secs => :leaseMs::float8 / 1000),
       lease_takings = lease_takings + (lease_owner IS NOT NULL)::integer,
       deaths_in_row = deaths_in_row + (lease_owner IS NOT NULL AND (deaths_in_row = 0 OR at_work_since IS NOT NULL))::integer,
       at_work_since = NULL,
       retrying_since = CASE WHEN lease_owner IS NULL THEN retrying_since ELSE coalesce(retrying_since, clock_timestamp()) END
 WHERE id = (SELECT e.id FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
              WHERE (e.id = :executionId OR (e.state = 'planned' AND e.connection = :connection))
                AND e.ended_at IS NULL AND searchmill.has_passed(e.due_at - make_interval(secs => :earlyMs::float8 / 1000))
                AND searchmill.is_free(e.lease_until, e.state)
                AND (e.id = :executionId OR s.job <> ALL ((SELECT searchmill.lock_submits(:connection))::text[]))
                AND (e.state = 'staged'
                     OR NOT EXISTS (SELECT FROM searchmill.pauses p
                                     WHERE (p.kind = 'connection' AND p.name = e.connection) OR (p.kind = 'job' AND p.name = s.job)))
              ORDER BY e.priority, s.window_end DESC, e.id
              LIMIT 1
                FOR UPDATE OF e SKIP LOCKED)
RETURNING id, lease_token AS "leaseToken";

-- name: executions/renew-lease
-- Keeps the lease for another :leaseMs. One that was given back stays so.
-- It never waits: while a publish holds the row, no process can take it, and the lease needs no renewal.
-- Params: :executionId, :leaseToken, :leaseMs. Result: isPaused (its job or connection is). No row: the lease was lost.
-- Not null: isPaused.
WITH renewed AS (
  UPDATE searchmill.executions SET lease_until = clock_timestamp() + make_interval(secs => :leaseMs::float8 / 1000)
   WHERE id = (SELECT id FROM searchmill.executions WHERE id = :executionId AND lease_token = :leaseToken AND lease_until IS NOT NULL FOR UPDATE SKIP LOCKED)
)
SELECT EXISTS (SELECT FROM searchmill.pauses p
                WHERE (p.kind = 'connection' AND p.name = e.connection) OR (p.kind = 'job' AND p.name = s.job)) AS "isPaused"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.id = :executionId AND e.lease_token = :leaseToken;

-- name: executions/mark-at-work
-- Records that the lease holder works on an answer for this execution, or publishes it: if it dies now, that counts as a death.
-- Params: :executionId, :leaseToken. No row: the lease was lost.
UPDATE searchmill.executions SET at_work_since = clock_timestamp() WHERE id = :executionId AND lease_token = :leaseToken AND lease_until IS NOT NULL;

-- name: executions/release-lease
-- Gives the lease back unchanged: the execution is due again at once.
-- Params: :executionId, :leaseToken, :waitingFor or null. Result: steps, priority. Repeating changes nothing.
-- Not null: priority.
UPDATE searchmill.executions SET lease_owner = NULL, lease_until = NULL, at_work_since = NULL, waiting_for = :waitingFor, steps = steps + 1
 WHERE id = :executionId AND lease_token = :leaseToken AND ended_at IS NULL
RETURNING steps, searchmill.urgency(priority, expires_at) AS priority;

-- name: executions/postpone
-- Schedules the next step and gives the lease back. An answered poll (:pollCalls without :errorCode) is progress.
-- Params: :executionId, :leaseToken, :delayMs until the step, :waitingFor or null, :errorCode or null, :errorMessage or null,
--         :isCounted (the error counts towards the growing wait), :pollCalls sent.
-- Result: steps, priority. No row: the lease was lost, or the execution is held and the answer that said so was lost: then it has
-- no next step.
-- Not null: priority.
UPDATE searchmill.executions
   SET progress_at = CASE WHEN :errorCode::text IS NULL AND :pollCalls > 0 THEN clock_timestamp() ELSE progress_at END,
       due_at = clock_timestamp() + make_interval(secs => :delayMs::float8 / 1000), steps = steps + 1,
       lease_owner = NULL, lease_until = NULL, waiting_for = :waitingFor,
       last_error_code = coalesce(:errorCode, last_error_code), last_error = coalesce(:errorMessage, last_error),
       last_error_at = CASE WHEN :errorCode::text IS NULL THEN last_error_at ELSE clock_timestamp() END,
       errors_in_row = CASE WHEN :isCounted THEN errors_in_row + 1 WHEN :errorCode::text IS NULL THEN 0 ELSE errors_in_row END,
       retrying_since = CASE WHEN :errorCode::text IS NOT NULL THEN coalesce(retrying_since, clock_timestamp()) WHEN :pollCalls > 0 THEN NULL ELSE retrying_since END,
       deaths_in_row = CASE WHEN :errorCode::text IS NULL AND :pollCalls > 0 THEN 0 ELSE deaths_in_row END, at_work_since = NULL,
       poll_calls = poll_calls + :pollCalls
 WHERE id = :executionId AND lease_token = :leaseToken AND ended_at IS NULL AND state <> 'held'
RETURNING steps, searchmill.urgency(priority, expires_at) AS priority;

-- name: executions/postpone-job
-- Postpones the submits of a job over a connection if the service refuses one after another, to leave the calls to other jobs. If it
-- has accepted one of them recently, each waits separately. All wait as long as the last that was refused does, at most 5 minutes;
-- when one is refused again, the most urgent that was not tried yet goes on, and finds out whether it is refused, too.
-- Params: :executionId that was refused and put off. Locks: their rows, for the statement; those that others hold are passed by.
WITH refused AS (
  SELECT s.job, e.connection, e.errors_in_row
    FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE e.id = :executionId
), of_job AS (
  SELECT e.id, e.state, e.due_at, e.submit_outcome, CASE WHEN e.state = 'planned' THEN e.errors_in_row END AS refusals,
         row_number() OVER (PARTITION BY e.state, e.errors_in_row = 0 ORDER BY e.priority, s.window_end DESC, e.id) = 1 AS is_first
    FROM refused r
    JOIN searchmill.slices s ON s.job = r.job
    JOIN searchmill.executions e ON e.slice_id = s.id AND e.connection = r.connection
   WHERE (e.state = 'planned' AND e.ended_at IS NULL) OR (e.submit_outcome = 'accepted' AND e.submitted_at > clock_timestamp() - interval '10 minutes')
), wait AS (
  SELECT least(max(due_at) FILTER (WHERE refusals > 0), clock_timestamp() + interval '5 minutes') AS until
    FROM of_job
  HAVING sum(refusals) > 1 AND count(submit_outcome) = 0
)
UPDATE searchmill.executions
   SET due_at = greatest(due_at, wait.until), steps = steps + 1
  FROM wait
 WHERE id IN (SELECT e.id
                FROM searchmill.executions e JOIN of_job USING (id) CROSS JOIN refused r
               WHERE e.state = 'planned' AND e.ended_at IS NULL AND searchmill.is_free(e.lease_until, e.state)
                 AND (refusals > 0 OR r.errors_in_row = 1 OR NOT is_first)
                 FOR UPDATE OF e SKIP LOCKED);

-- name: executions/note-submit
-- Records the outcome of a submit whose rows are not read: it was refused, failed at once, cannot be read, was not answered,
-- or the load was cancelled or its job removed meanwhile. An execution that has not ended is ended next.
-- Params: :executionId, :leaseToken, :outcome, :isSpent (the service has answered as if it had begun a query), :remoteExecutionId or null,
--         :requestId or null, :validityMs (counted from the intent).
-- Result: isLive (it has not ended meanwhile). No row: the lease was lost. Repeating changes nothing else.
-- Not null: isLive.
UPDATE searchmill.executions
   SET submit_outcome = :outcome, remote_request_id = :requestId, remote_execution_id = :remoteExecutionId,
       submitted_at = CASE WHEN :isSpent THEN clock_timestamp() END,
       expires_at = CASE WHEN :isSpent THEN submit_started_at + make_interval(secs => :validityMs::float8 / 1000) END
 WHERE id = :executionId AND lease_token = :leaseToken AND state IN ('submitting', 'cancelled', 'abandoned')
RETURNING ended_at IS NULL AS "isLive";

-- name: executions/refresh-planned
-- Gives executions that are not submitted yet the currently configured question. Consent to fewer rows belongs to a question.
-- A process that is about to submit one has read the former question, and loses its lease.
-- Params: :sliceId, :connection, :filtersDigest, :request (the submit body), :mayShrink. Repeating changes nothing.
UPDATE searchmill.executions
   SET connection = :connection, filters_digest = :filtersDigest, request = :request, may_shrink = :mayShrink OR (may_shrink AND filters_digest = :filtersDigest),
       lease_token = lease_token + 1, lease_owner = NULL, lease_until = NULL
 WHERE slice_id = :sliceId AND state = 'planned' AND ended_at IS NULL AND ((connection, filters_digest) IS DISTINCT FROM (:connection, :filtersDigest) OR (:mayShrink AND NOT may_shrink));

-- name: executions/take-renamed
-- Takes live executions of renamed jobs away from their processes: a worker knows only the old name, under which there will be
-- other rows, or none, to compare with. A submit on its way is left to its process, which alone learns the executionId.
-- Params: :names of the jobs. Locks: the executions, before their slices, as a publish does, which is waited for.
UPDATE searchmill.executions e
   SET lease_token = e.lease_token + (e.state <> 'submitting')::integer, steps = e.steps + 1,
       lease_owner = CASE WHEN e.state = 'submitting' THEN e.lease_owner END,
       lease_until = CASE WHEN e.state = 'submitting' THEN e.lease_until END
  FROM searchmill.slices s
 WHERE s.job = ANY (:names::text[]) AND s.id = e.slice_id AND e.ended_at IS NULL;

-- name: executions/claim-held
-- Takes the lease on held executions, to discard them: that of a slice, all of a job, or one.
-- Params: :sliceId, :job or :executionId; the others are null.
-- Result: id, leaseToken, sliceId, job, windowStart, windowEnd of each.
-- Locks: their rows, in the order of their numbers, until the transaction ends. Repeating takes them again.
-- Not null: windowStart, windowEnd.
UPDATE searchmill.executions e SET lease_token = e.lease_token + 1
  FROM searchmill.slices s
 WHERE s.id = e.slice_id
   AND e.id IN (SELECT h.id FROM searchmill.executions h JOIN searchmill.slices hs ON hs.id = h.slice_id
                 WHERE h.state = 'held' AND (hs.id = :sliceId OR hs.job = :job OR h.id = :executionId) ORDER BY h.id FOR UPDATE OF h)
RETURNING e.id, e.lease_token AS "leaseToken",
          s.id AS "sliceId", s.job, s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd";

-- name: executions/claim-cancelled
-- Takes a live execution away from its process, to cancel it.
-- A submit on its way keeps its token, so that its process can still write down what the service called the query.
-- Params: :executionId. Result: id, leaseToken, state. Locks: its row, which is waited for.
UPDATE searchmill.executions SET lease_token = lease_token + (state <> 'submitting')::integer
 WHERE id = :executionId AND ended_at IS NULL
RETURNING id, lease_token AS "leaseToken", state;

-- name: executions/claim-cancelled-staged
-- Takes a staged execution away from its process, to cancel it. One that is being published is skipped.
-- Params: :executionId. Result: id, leaseToken, state. Locks: its row.
UPDATE searchmill.executions SET lease_token = lease_token + 1
 WHERE id = (SELECT id FROM searchmill.executions WHERE id = :executionId AND state = 'staged' FOR UPDATE SKIP LOCKED)
RETURNING id, lease_token AS "leaseToken", state;

-- name: executions/claim-removed
-- Takes the live executions of removed jobs away from their processes, to end them. One whose submit is under way keeps its lease: the
-- process that makes it writes down what the service answers.
-- Result: id, leaseToken. Locks: their rows. A row that is being published is skipped and found published the next time.
UPDATE searchmill.executions e SET lease_token = e.lease_token + (e.state <> 'submitting')::integer
 WHERE e.id IN (SELECT x.id FROM searchmill.executions x
                  JOIN searchmill.slices s ON s.id = x.slice_id JOIN searchmill.jobs j ON j.name = s.job
                 WHERE x.ended_at IS NULL AND j.removed_at IS NOT NULL
                   FOR UPDATE OF x SKIP LOCKED)
RETURNING e.id, e.lease_token AS "leaseToken";

-- name: executions/find-due
-- Live executions that are due and free: the queue rings for them. Paused ones are left out, unless they are staged.
-- Each connection has one of those that wait for their submit, so that these never displace running ones.
-- Running ones take turns by connection, then by job, the most urgent first. So the loads of a service that
-- hangs never displace those of another.
-- Params: :maxRows. Result: id, steps, leaseToken, state, connection, job, priority. Locks: none.
-- Not null: priority.
WITH due AS (
  SELECT e.id, e.steps, e.lease_token, e.state, e.connection, s.job, searchmill.urgency(e.priority, e.expires_at) AS priority, e.due_at,
         row_number() OVER (PARTITION BY e.state = 'planned', e.connection, s.job
                                ORDER BY searchmill.urgency(e.priority, e.expires_at), e.due_at, e.id) AS turn
    FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE e.ended_at IS NULL AND searchmill.has_passed(e.due_at)
     AND searchmill.is_free(e.lease_until, e.state)
     AND (e.state = 'staged'
          OR NOT EXISTS (SELECT FROM searchmill.pauses p
                          WHERE (p.kind = 'connection' AND p.name = e.connection) OR (p.kind = 'job' AND p.name = s.job)))
), fair AS (
  SELECT *, row_number() OVER (PARTITION BY state = 'planned', connection ORDER BY turn, priority, due_at, id) AS connection_turn FROM due
)
SELECT id, steps, lease_token AS "leaseToken", state, connection, job, priority FROM fair
 WHERE state <> 'planned' OR connection_turn = 1
 ORDER BY state = 'planned' DESC, connection_turn, priority, due_at, id
 LIMIT :maxRows;

-- name: executions/find-outdated
-- Executions that wait for their submit with a question or connection other than the current one of their job.
-- Params: :jobs, their names. Result: job, sliceId, start, end of the window. Locks: none.
SELECT s.job, s.id AS "sliceId", s.window_start AS "start", s.window_end AS "end"
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
  JOIN searchmill.jobs j ON j.name = s.job
 WHERE e.ended_at IS NULL AND e.state = 'planned' AND j.name = ANY (:jobs::text[])
   AND (e.connection, e.filters_digest) IS DISTINCT FROM (j.connection, j.filters_digest);

-- name: executions/find-cancellable
-- The live executions of a job whose windows touch a span of days. Held ones are left out: they are discarded instead.
-- Params: :job, :from and :to, the first and last day, each null for no bound. Result: id, state. Locks: none.
SELECT e.id, e.state
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE s.job = :job AND e.ended_at IS NULL AND e.state <> 'held'
   AND (:from::date IS NULL OR s.window_end >= :from) AND (:to::date IS NULL OR s.window_start <= :to)
 ORDER BY e.id;

-- name: executions/find-since
-- Loads that are under way, and those planned since a time. Params: :since. Result: id, job. Locks: none.
SELECT e.id, s.job
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.ended_at IS NULL OR e.planned_at >= :since
 ORDER BY e.id;

-- name: executions/is-unanswered
-- Whether the service has left a submit of a job over a connection without an answer, and answered none of them since.
-- Params: :executionId, one of the job over the connection. Result: isUnanswered. Locks: none.
-- Not null: isUnanswered.
SELECT EXISTS (
  SELECT FROM searchmill.executions u JOIN searchmill.slices us ON us.id = u.slice_id
   WHERE us.job = s.job AND u.connection = e.connection AND u.submit_outcome = 'unanswered'
     AND u.submitted_at IS NULL AND u.submit_started_at > clock_timestamp() - interval '24 hours'
     AND NOT EXISTS (SELECT FROM searchmill.executions a JOIN searchmill.slices s2 ON s2.id = a.slice_id
                      WHERE s2.job = s.job AND a.connection = e.connection AND a.submit_started_at > u.submit_started_at
                        AND a.submit_outcome IN ('accepted', 'refused', 'unreadable'))) AS "isUnanswered"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.id = :executionId;

-- name: executions/count-submits
-- Submits of an execution's slice in the last 24 hours since it was last published: spent ones, which the service has answered, and
-- unknown ones, for which it is not known whether the service began them.
-- Params: :executionId. Result: spent, unknown. Locks: none.
-- Not null: spent, unknown.
SELECT count(*) FILTER (WHERE o.submit_outcome IN ('accepted', 'unreadable'))::integer AS spent,
       count(*) FILTER (WHERE o.submit_outcome IN ('unanswered', 'lost'))::integer AS unknown
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
  JOIN searchmill.executions o ON o.slice_id = e.slice_id AND o.submit_started_at > clock_timestamp() - interval '24 hours'
                              AND o.id > coalesce(s.published_execution_id, 0)
 WHERE e.id = :executionId;

-- name: executions/read
-- The execution as its lease holder sees it, now.
-- Params: :executionId, :leaseToken. No row: the lease was lost. Locks: none.
-- Not null: priority, mayShrink, retryingForMs, isApproved.
SELECT e.id, e.lease_token AS "leaseToken", e.state, e.planned_at AS "plannedAt", e.slice_id AS "sliceId", e.connection, e.reason, searchmill.urgency(e.priority, e.expires_at) AS priority, e.steps,
       e.request, e.page_size AS "pageSize", e.filters_digest AS "filtersDigest",
       e.max_rejected_share AS "maxRejectedShare", e.max_rejected_rows AS "maxRejectedRows", e.min_keep_share AS "minKeepShare", e.max_submits AS "maxSubmits",
       e.may_shrink AND e.filters_digest = (SELECT j.filters_digest FROM searchmill.jobs j WHERE j.name = s.job) AS "mayShrink",
       e.remote_execution_id AS "remoteExecutionId", e.next_cursor AS "nextCursor", e.pages,
       e.rows_received AS "rowsReceived", e.rows_staged AS "rowsStaged", e.rows_quarantined AS "rowsQuarantined",
       e.total_row_count::text AS "totalRowCount", e.row_schema AS "rowSchema", e.errors_in_row AS "errorsInRow", e.poll_calls AS "pollCalls",
       e.deaths_in_row AS "deathsInRow", e.cursor_anchor AS "cursorAnchor",
       coalesce(extract(epoch FROM clock_timestamp() - e.retrying_since) * 1000, 0)::float8 AS "retryingForMs",
       e.approved_at IS NOT NULL AS "isApproved", e.held_at AS "heldAt",
       e.expires_at <= clock_timestamp() + interval '5 minutes' + coalesce((
         SELECT CASE WHEN r.minutes < 7 * 24 * 60 THEN r.minutes * interval '1 minute' END
           FROM (SELECT ceil((searchmill.expected_rows(e.total_row_count, e.request) - e.rows_received) / e.page_size::float8) / c.reads_per_minute AS minutes
                   FROM searchmill.connections c WHERE c.name = e.connection) r), interval '0') AS "isExpired",
       (extract(epoch FROM e.expires_at - clock_timestamp()) * 1000)::float8 AS "expiresInMs",
       e.submitted_at + e.max_wait <= clock_timestamp() AS "isOverdue",
       s.job, s.dataset, s.account_id AS "accountId", s.window_start AS "windowStart", s.window_end AS "windowEnd"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.id = :executionId AND e.lease_token = :leaseToken AND e.ended_at IS NULL;

-- name: executions/read-live
-- Live executions with their slices, the most urgent first. Params: :job, or null for all. Locks: none.
-- Result: among others isPaused (its job or connection is); freeSince, since when it is due without a process; gaveUpAt and
-- gaveUpBecause, when and why the previous execution, within the last 24 hours, ended without rows.
-- Not null: id, job, dataset, connection, state, reason, pages, errorsInRow, leaseTakings, deathsInRow, progressAt, calls, isPaused,
--           windowStart, windowEnd, sliceId, stateSince, rowsReceived.
SELECT e.id, s.id AS "sliceId", s.job, s.dataset, e.connection, s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd", e.state,
       e.state_since AS "stateSince", e.reason, e.due_at AS "dueAt", e.lease_owner AS "leaseOwner",
       e.lease_until > clock_timestamp() AS "isLeased", e.pages, e.rows_received AS "rowsReceived",
       searchmill.expected_rows(e.total_row_count, e.request)::text AS "totalRowCount", e.errors_in_row AS "errorsInRow", e.last_error AS "lastError",
       e.last_error_code AS "lastErrorCode", e.last_error_at AS "lastErrorAt", e.retrying_since AS "retryingSince",
       e.lease_takings AS "leaseTakings", e.deaths_in_row AS "deathsInRow",
       greatest(e.state_since, e.progress_at) AS "progressAt",
       CASE WHEN searchmill.has_passed(e.due_at) AND searchmill.is_free(e.lease_until, e.state)
            THEN greatest(e.due_at, e.lease_until) END AS "freeSince", e.waiting_for AS "waitingFor", e.objections, e.expires_at AS "expiresAt",
       (e.submit_started_at IS NOT NULL)::integer + e.poll_calls + e.page_calls AS calls,
       round(extract(epoch FROM clock_timestamp() - e.submit_started_at) * 1000)::float8 AS "durationMs",
       json_build_object('waitMs', e.wait_ms, 'networkMs', e.network_ms, 'decodeMs', e.decode_ms, 'copyMs', e.copy_ms,
                         'publishMs', e.publish_ms) AS timings,
       EXISTS (SELECT FROM searchmill.pauses p
                WHERE (p.kind, p.name) IN (('job', s.job), ('connection', e.connection))) AS "isPaused",
       before.ended_at AS "gaveUpAt", before.end_reason AS "gaveUpBecause"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
  LEFT JOIN LATERAL (SELECT p.state, p.submitted_at, p.ended_at, p.end_reason FROM searchmill.executions p
                      WHERE p.slice_id = e.slice_id AND p.id < e.id ORDER BY p.id DESC LIMIT 1) before
    ON before.state IN ('failed', 'abandoned') AND before.submitted_at IS NOT NULL AND before.ended_at > clock_timestamp() - interval '24 hours'
 WHERE e.ended_at IS NULL AND (:job::text IS NULL OR s.job = :job)
 ORDER BY e.priority, s.window_end DESC, s.job, e.id;

-- name: executions/read-histories
-- Executions of a job, newest first, with all the ledger knows of them; of one week when :day is given.
-- Params: :job, :day inside the week or null, :maxRows; :pastOnly leaves out those under way, and puts what ended or was held last first.
-- Locks: none.
-- Not null: executionId, sliceId, windowStart, windowEnd, reason, state, stateSince, connection, plannedAt, filtersDigest, pages,
--           rowsReceived, rowsStaged, rowsQuarantined, bytesReceived, pollCalls, pageCalls, submitCalls, errorsInRow, leaseTakings.
SELECT e.id AS "executionId", s.id AS "sliceId", s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd",
       e.reason, e.state, e.state_since AS "stateSince", e.connection, e.planned_at AS "plannedAt", e.submit_started_at AS "submitStartedAt",
       e.submitted_at AS "submittedAt", e.submit_outcome AS "submitOutcome", e.load_started_at AS "loadStartedAt", e.staged_at AS "stagedAt", e.held_at AS "heldAt",
       e.approved_at AS "approvedAt", e.ended_at AS "endedAt", e.end_reason AS "endReason", e.due_at AS "dueAt", e.expires_at AS "expiresAt",
       e.remote_execution_id AS "remoteExecutionId", e.remote_request_id AS "remoteRequestId", e.request, e.filters_digest AS "filtersDigest",
       e.pages, e.rows_received AS "rowsReceived", e.rows_staged AS "rowsStaged", e.rows_quarantined AS "rowsQuarantined",
       e.bytes_received AS "bytesReceived", searchmill.expected_rows(e.total_row_count, e.request)::float8 AS "totalRowCount",
       e.poll_calls AS "pollCalls", e.page_calls AS "pageCalls", (e.submit_started_at IS NOT NULL)::integer AS "submitCalls",
       e.waiting_for AS "waitingFor", e.last_error AS "lastError", e.last_error_at AS "lastErrorAt", e.errors_in_row AS "errorsInRow",
       e.lease_takings AS "leaseTakings", e.objections,
       json_build_object('waitMs', e.wait_ms, 'networkMs', e.network_ms, 'decodeMs', e.decode_ms, 'copyMs', e.copy_ms,
                         'publishMs', e.publish_ms) AS timings,
       p.published_at AS "publishedAt", p.rows_inserted AS inserted, p.rows_updated AS updated, p.rows_unchanged AS unchanged,
       p.rows_deleted AS deleted, s.published_execution_id = e.id AS "isInTable"
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
  LEFT JOIN searchmill.publications p ON p.execution_id = e.id
 WHERE s.job = :job AND (:day::date IS NULL OR :day::date BETWEEN s.window_start AND s.window_end)
   AND (NOT :pastOnly::boolean OR coalesce(e.ended_at, e.held_at) IS NOT NULL)
 ORDER BY CASE WHEN :pastOnly THEN coalesce(e.ended_at, e.held_at) END DESC, e.id DESC
 LIMIT :maxRows;

-- name: executions/read-unknown-submits
-- Submits of the last 24 hours for which it is not known whether the service began them. One that was cancelled while it was under way
-- counts, too, if no process has recorded its outcome for longer than a call may take.
-- Params: :job, or null for all.
-- Result: job, submits, lost of them (their process ended), lastAt and lastReason of each job that has some. Locks: none.
-- Not null: submits, lost, lastAt, lastReason.
SELECT s.job, count(*)::integer AS submits, (count(*) FILTER (WHERE e.submit_outcome IS DISTINCT FROM 'unanswered'))::integer AS lost,
       max(e.submit_started_at) AS "lastAt",
       (array_agg(CASE WHEN e.submit_outcome IS NULL THEN 'no process has written down what came of a submit that was taken back meanwhile'
                       ELSE e.end_reason END ORDER BY e.submit_started_at DESC))[1] AS "lastReason"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.submitted_at IS NULL AND e.submit_started_at > clock_timestamp() - interval '24 hours'
   AND (e.submit_outcome IN ('unanswered', 'lost') OR (e.submit_outcome IS NULL AND e.ended_at < clock_timestamp() - interval '6 minutes'))
   AND (:job::text IS NULL OR s.job = :job)
 GROUP BY s.job
 ORDER BY s.job;

-- name: executions/count-outcomes
-- How loads of the last 24 hours ended, and how many of them the audit held.
-- Params: none. Result: job, dataset, outcome, loads of each outcome that occurred. Locks: none.
-- Not null: outcome, loads.
SELECT s.job, s.dataset, o.outcome, count(*)::integer AS loads
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
 CROSS JOIN LATERAL (VALUES (e.state, e.ended_at), ('held', e.held_at)) AS o (outcome, at)
 WHERE o.at > clock_timestamp() - interval '24 hours'
 GROUP BY s.job, s.dataset, o.outcome
 ORDER BY s.job, s.dataset, o.outcome;

-- name: executions/summarize
-- What executions planned since a time have loaded, by dataset. Params: :since.
-- Result: dataset, windows published, their rows, calls spent (submits, polls, pages), seconds from the first plan to the last end.
-- Not null: windows, rows, calls, seconds.
SELECT s.dataset,
       count(*) FILTER (WHERE e.state = 'published') AS windows,
       coalesce(sum(e.rows_staged) FILTER (WHERE e.state = 'published'), 0)::bigint AS rows,
       (count(e.submit_started_at) + sum(e.poll_calls) + sum(e.page_calls))::bigint AS calls,
       extract(epoch FROM max(e.ended_at) - min(e.planned_at))::float8 AS seconds
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.planned_at >= :since
 GROUP BY s.dataset;

-- name: executions/sweep-staging
-- Removes the staging tables of ended executions, except those that are being read.
-- Params: :executionId, or null for all; :maxTables. Result: removed, their number.
-- Locks: each table and the row of its execution, none of which is waited for. Repeating finds what is left.
-- Not null: removed.
SELECT searchmill.sweep_staging(:executionId, :maxTables) AS removed;

-- Notifications: problems and events, the targets that are told of them, and what was delivered.

-- name: notifications/add
-- Puts a message into the outbox. Params: :target, :type, :body as JSON. Repeating sends it twice: run it in the transaction that
-- records what the message is about.
INSERT INTO searchmill.notifications (target, type, body) VALUES (:target, :type, :body);

-- name: notifications/claim-watch
-- Lets one process at a time watch for problems, each time some while after the last. Params: :everyMs. Result: one row when it may.
-- Locks: the row, until the transaction ends; others skip it.
UPDATE searchmill.notification_looks SET looked_at = clock_timestamp()
 WHERE id = (SELECT id FROM searchmill.notification_looks
              WHERE looked_at <= clock_timestamp() - :everyMs * interval '1 millisecond' FOR UPDATE SKIP LOCKED)
RETURNING looked_at AS "lookedAt";

-- name: notifications/count-published
-- What was published in a span of time, by job. Params: :from, :to. Result: job, loads, inserted, updated, unchanged, deleted. Locks: none.
-- Not null: loads, inserted, updated, unchanged, deleted.
SELECT s.job, count(*) AS loads, sum(rows_inserted)::bigint AS inserted, sum(rows_updated)::bigint AS updated,
       sum(rows_unchanged)::bigint AS unchanged, sum(rows_deleted)::bigint AS deleted
  FROM searchmill.publications p JOIN searchmill.slices s ON s.id = p.slice_id
 WHERE p.published_at > :from AND p.published_at <= :to
 GROUP BY s.job
 ORDER BY s.job;

-- name: notifications/find-next
-- The oldest message that waits for a target and is due. Params: :target. Result: id as text, messageId, body, attempts, settled. Locks: none.
-- Not null: id.
SELECT id::text, message_id AS "messageId", body, attempts, settled
  FROM searchmill.notifications n
 WHERE n.target = :target AND delivered_at IS NULL AND given_up_at IS NULL
   AND (n.due_at IS NULL OR n.due_at <= clock_timestamp())
 ORDER BY n.id LIMIT 1;

-- name: notifications/forget-lacking
-- Targets have their variables again: what waits for them is due. Params: :names, :lacking the first words of what they failed with.
-- Repeating changes nothing.
UPDATE searchmill.notification_targets
   SET failures = 0, failing_since = NULL, error = NULL, due_at = clock_timestamp()
 WHERE name = ANY (:names::text[]) AND starts_with(error, :lacking);

-- name: notifications/keep-problems
-- Forgets the problems of a target that are not among these. Params: :target, :keys. Repeating changes nothing.
DELETE FROM searchmill.notified_problems WHERE target = :target AND key <> ALL (:keys::text[]);

-- name: notifications/list
-- The newest messages. Params: :limit. Result: id as text, target, type, body, createdAt, attempts, attemptedAt, answer, state. Locks: none.
-- Not null: id, state.
SELECT id::text, target, type, body, created_at AS "createdAt", attempts, attempted_at AS "attemptedAt", answer,
       CASE WHEN delivered_at IS NOT NULL THEN 'delivered' WHEN given_up_at IS NOT NULL THEN 'given up' ELSE 'waiting' END AS state
  FROM searchmill.notifications n
 ORDER BY n.id DESC LIMIT :limit;

-- name: notifications/note-delivered
-- A message was accepted. Params: :id, :target, :answer. Repeating changes nothing but times.
WITH delivered AS (
  UPDATE searchmill.notifications
     SET delivered_at = clock_timestamp(), attempted_at = clock_timestamp(), attempts = attempts + 1, answer = :answer
   WHERE id = :id
)
UPDATE searchmill.notification_targets
   SET attempted_at = clock_timestamp(), failures = 0, failing_since = NULL, error = NULL
 WHERE name = :target;

-- name: notifications/note-digest
-- A digest tells up to then. Params: :target, :at. Repeating changes nothing.
UPDATE searchmill.notification_targets SET digest_at = :at WHERE name = :target;

-- name: notifications/note-events
-- Up to where a target was told of weeks. Params: :target, :cursor. Repeating changes nothing.
UPDATE searchmill.notification_targets SET events_cursor = :cursor WHERE name = :target;

-- name: notifications/note-failure
-- A message was not accepted. Params: :id, :target, :owner, :answer, :waitMs until the next attempt, :isGivenUp (the next message follows).
-- Does nothing if another process has taken over the target.
WITH failed AS (
  UPDATE searchmill.notification_targets
     SET attempted_at = clock_timestamp(), failures = failures + 1, failing_since = coalesce(failing_since, clock_timestamp()),
         error = :answer, due_at = clock_timestamp() + :waitMs * interval '1 millisecond', lease_owner = NULL, lease_until = NULL
   WHERE name = :target AND lease_owner = :owner
  RETURNING name
)
UPDATE searchmill.notifications
   SET attempted_at = clock_timestamp(), attempts = attempts + 1, answer = :answer,
       given_up_at = CASE WHEN :isGivenUp::boolean THEN clock_timestamp() END
 WHERE id = :id AND delivered_at IS NULL AND EXISTS (SELECT FROM failed);

-- name: notifications/note-lacking
-- A target lacks a variable, so that nothing can be sent to it. Params: :target, :error, :failures from which on targets are reported.
-- Written at most once a minute, while it is the same. Repeating changes nothing but times.
UPDATE searchmill.notification_targets
   SET attempted_at = clock_timestamp(), failures = greatest(failures, :failures), failing_since = coalesce(failing_since, clock_timestamp()),
       error = :error
 WHERE name = :target
   AND (error IS DISTINCT FROM :error OR failures < :failures OR attempted_at < clock_timestamp() - interval '1 minute');

-- name: notifications/note-partly
-- A message was accepted for some recipients, and others were put off. It is tried again later, and those behind it go on.
-- Params: :id, :settled digests of recipients that are not tried again, :answer, :waitMs. Repeating changes nothing but times.
UPDATE searchmill.notifications
   SET attempted_at = clock_timestamp(), attempts = attempts + 1, answer = :answer, settled = :settled::text[],
       due_at = clock_timestamp() + :waitMs * interval '1 millisecond'
 WHERE id = :id AND delivered_at IS NULL;

-- name: notifications/prune
-- Gives up messages that were not accepted within 7 days, and removes those older than 30 days. Repeating changes nothing.
WITH forgotten AS (
  DELETE FROM searchmill.notifications WHERE created_at < clock_timestamp() - interval '30 days'
)
UPDATE searchmill.notifications SET given_up_at = clock_timestamp()
 WHERE delivered_at IS NULL AND given_up_at IS NULL AND created_at < clock_timestamp() - interval '7 days'
   AND created_at >= clock_timestamp() - interval '30 days';

-- name: notifications/read-digest-time
-- Up to when the last digest of a target told. Params: :target. Result: digestAt. Locks: none.
SELECT digest_at AS "digestAt" FROM searchmill.notification_targets WHERE name = :target;

-- name: notifications/read-events
-- Changes of weeks that were not sent to a target yet, in their order. Params: :target, :kinds, :most.
-- Result: a row a week, with the mark of the ledger; rows as published, staged and quarantined, and the objections of what is held. Locks: none.
-- Not null: ledger, cursor, kind, dataset, accountId, week, execution, changedAt, job, windowStart, windowEnd.
SELECT (SELECT search_reports.ledger_mark(id, tableoid) FROM searchmill.ledger) AS ledger, c.cursor, c.kind, s.job, c.dataset,
       c.account_id::text AS "accountId", c.week::text, s.window_start::text AS "windowStart",
       s.window_end::text AS "windowEnd", c.publication_id AS publication, c.execution_id AS execution, c.changed_at AS "changedAt",
       p.rows_inserted AS inserted, p.rows_updated AS updated, p.rows_unchanged AS unchanged, p.rows_deleted AS deleted,
       e.rows_staged AS staged, e.rows_quarantined AS quarantined, s.published_rows AS published, e.objections
  FROM searchmill.notification_targets t
  JOIN searchmill.week_changes c ON c.cursor > t.events_cursor
  JOIN searchmill.slices s ON s.id = c.slice_id
  LEFT JOIN searchmill.publications p ON p.id = c.publication_id
  LEFT JOIN searchmill.executions e ON e.id = c.execution_id
 WHERE t.name = :target AND c.kind = ANY (:kinds::text[])
 ORDER BY c.cursor LIMIT :most;

-- name: notifications/read-failing
-- Targets that failed several times in a row, and those with recipients that have put messages off for an hour while others have them
-- (isPartly). A target without an attempt in the last 3 hours is no longer configured.
-- Params: :failures. Result: target, since, failures, error, waiting (messages), isPartly. Locks: none.
-- Not null: target, since, failures, error, waiting, isPartly.
SELECT name AS target, failing_since AS since, failures, error,
       (SELECT count(*) FROM searchmill.notifications n
         WHERE n.target = t.name AND n.delivered_at IS NULL AND n.given_up_at IS NULL) AS waiting, false AS "isPartly"
  FROM searchmill.notification_targets t
 WHERE failures >= :failures AND attempted_at > clock_timestamp() - interval '3 hours'
UNION ALL
SELECT target, min(created_at), max(attempts), (array_agg(answer ORDER BY attempted_at DESC))[1], count(*), true
  FROM searchmill.notifications n
 WHERE delivered_at IS NULL AND given_up_at IS NULL AND due_at IS NOT NULL AND created_at < clock_timestamp() - interval '1 hour'
   AND attempted_at > clock_timestamp() - interval '3 hours'
 GROUP BY target
 ORDER BY target;

-- name: notifications/read-problems
-- Problems that a target knows of, or will be told of if they last. Params: :target. Locks: none.
SELECT key, kind, severity, job, connection, window_start AS "windowStart", window_end AS "windowEnd", title, since,
       seen_at AS "seenAt", told_at AS "toldAt", reminded_at AS "remindedAt", gone_at AS "goneAt"
  FROM searchmill.notified_problems
 WHERE target = :target
 ORDER BY seen_at, key;

-- name: notifications/register-targets
-- Registers targets. Targets of events get those that happen from then on.
-- Params: :names, and in the same order :haveEvents. Repeating changes nothing.
INSERT INTO searchmill.notification_targets AS t (name, events_cursor)
SELECT name, CASE WHEN has_events THEN (SELECT coalesce(max(cursor), 0) FROM searchmill.week_changes) END
  FROM unnest(:names::text[], :haveEvents::boolean[]) AS given (name, has_events)
ON CONFLICT (name) DO UPDATE SET events_cursor = excluded.events_cursor
 WHERE (t.events_cursor IS NULL) <> (excluded.events_cursor IS NULL);

-- name: notifications/release-target
-- Leaves a target to other processes. Params: :target, :owner. Repeating changes nothing.
UPDATE searchmill.notification_targets SET lease_owner = NULL, lease_until = NULL WHERE name = :target AND lease_owner = :owner;

-- name: notifications/take-target
-- Takes a target that has messages waiting, so that one process at a time sends to it; or goes on with it.
-- Params: :target, :owner, :leaseMs. Result: one row when it may send. Locks: the row of the target, for the statement.
UPDATE searchmill.notification_targets t
   SET lease_owner = :owner, lease_until = clock_timestamp() + :leaseMs * interval '1 millisecond'
 WHERE name = :target AND due_at <= clock_timestamp()
   AND (lease_until IS NULL OR lease_until < clock_timestamp() OR lease_owner = :owner)
   AND EXISTS (SELECT FROM searchmill.notifications n WHERE n.target = :target AND n.delivered_at IS NULL AND n.given_up_at IS NULL
                AND (n.due_at IS NULL OR n.due_at <= clock_timestamp()))
RETURNING failures;

-- name: notifications/write-problems
-- Writes problems of a target down. Params: :target, :problems as a JSON list of what read-problems gives. Repeating changes nothing.
INSERT INTO searchmill.notified_problems (target, key, kind, severity, job, connection, window_start, window_end, title, since,
                                          seen_at, told_at, reminded_at, gone_at)
SELECT :target, key, kind, severity, job, connection, "windowStart", "windowEnd", title, since, "seenAt", "toldAt", "remindedAt", "goneAt"
  FROM jsonb_to_recordset(:problems::jsonb) AS p (
         key text, kind text, severity text, job text, connection text, "windowStart" date, "windowEnd" date, title text, since timestamptz,
         "seenAt" timestamptz, "toldAt" timestamptz, "remindedAt" timestamptz, "goneAt" timestamptz)
ON CONFLICT (target, key) DO UPDATE
   SET severity = excluded.severity, window_start = excluded.window_start, window_end = excluded.window_end, title = excluded.title,
       since = excluded.since, told_at = excluded.told_at, reminded_at = excluded.reminded_at, gone_at = excluded.gone_at;

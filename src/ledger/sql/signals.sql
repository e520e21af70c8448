-- Signals: what rules found in weeks, and who was told.

-- name: signals/begin-account
-- From now on a target is told of signals of earlier weeks, too, that are found in an account. Params: :target, :accountId. Repeating changes nothing.
INSERT INTO searchmill.told_accounts AS a (target, account_id, begun_at) VALUES (:target, :accountId::bigint, clock_timestamp())
ON CONFLICT (target, account_id) DO UPDATE SET begun_at = excluded.begun_at WHERE a.begun_at IS NULL;

-- name: signals/begin-briefs
-- When a target last got a brief of each account; now where it is to get its first. Params: :target, :accountIds, :at.
-- Result: accountId as text, toldAt. Repeating changes nothing.
-- Not null: accountId, toldAt.
WITH begun AS (
  INSERT INTO searchmill.told_accounts AS a (target, account_id, brief_at) SELECT :target, id, :at FROM unnest(:accountIds::bigint[]) AS id
  ON CONFLICT (target, account_id) DO UPDATE SET brief_at = excluded.brief_at WHERE a.brief_at IS NULL
  RETURNING account_id, brief_at
)
SELECT account_id::text AS "accountId", brief_at AS "toldAt" FROM begun
UNION ALL
SELECT account_id::text, brief_at FROM searchmill.told_accounts
 WHERE target = :target AND account_id = ANY (:accountIds::bigint[]) AND brief_at IS NOT NULL;

-- name: signals/find-begun
-- Accounts of which a target is told what is found late. Params: :target. Result: accountId as text. Locks: none.
-- Not null: accountId.
SELECT account_id::text AS "accountId" FROM searchmill.told_accounts WHERE target = :target AND begun_at IS NOT NULL;

-- name: signals/find-news
-- Accounts with signals that were not sent to a target, of their newest week or found late in an earlier one, or with sent signals that
-- are taken back since.
-- Params: :target. Result: accountId as text, since (the oldest of them). Locks: none.
-- Not null: accountId, since.
WITH newest AS (
  SELECT account_id, max(week) AS week FROM searchmill.signal_looks GROUP BY account_id
), news AS (
  SELECT s.account_id, s.found_at AS at
    FROM newest w
    LEFT JOIN searchmill.told_accounts a ON a.target = :target AND a.account_id = w.account_id
    JOIN search_reports.signals s ON s.account_id = w.account_id AND (s.week = w.week OR s.found_at > a.begun_at)
   WHERE NOT EXISTS (SELECT FROM searchmill.told_signals t WHERE t.target = :target AND t.signal_id = s.signal_id AND t.taken_back_told_at IS NULL)
  UNION ALL
  SELECT s.account_id, s.taken_back_at
    FROM searchmill.told_signals t JOIN searchmill.signals s ON s.id = t.signal_id
   WHERE t.target = :target AND t.taken_back_told_at IS NULL AND s.taken_back_at IS NOT NULL
)
SELECT account_id::text AS "accountId", min(at) AS since FROM news GROUP BY account_id;

-- name: signals/find-stale
-- Looks of rules at weeks whose basis has changed since. Of each account the newest weeks that the rule's first dataset has.
-- Params: :rules as a JSON list of { name, place, title, datasets, weeks, digest }, :most weeks, :accountId (NULL: all), :week (NULL: all).
-- Result: accountId as text, week, rule, basis, cursor, the newest weeks and the first accounts first. Locks: none.
-- Not null: accountId, week, rule, basis, cursor.
WITH rules AS MATERIALIZED (
  SELECT r.*, ARRAY(SELECT jsonb_array_elements_text(r.datasets)) AS names
    FROM jsonb_to_recordset(:rules::jsonb) AS r (name text, place integer, datasets jsonb, weeks integer, digest text)
), weeks AS MATERIALIZED (
  SELECT w.*, row_number() OVER (PARTITION BY w.account_id, w.dataset ORDER BY w.week DESC) AS age FROM search_reports.weeks w
   WHERE :accountId::bigint IS NULL OR w.account_id = :accountId::bigint
), changes AS MATERIALIZED (
  SELECT account_id, dataset, week, max(cursor) AS cursor FROM searchmill.week_changes
   WHERE (:accountId::bigint IS NULL OR account_id = :accountId::bigint)
     AND week >= (SELECT min(w.week) - 7 * max(r.weeks) FROM weeks w CROSS JOIN rules r WHERE w.age <= :most::integer) GROUP BY account_id, dataset, week
), revised AS MATERIALIZED (
  SELECT account_id, dataset, week, string_agg(job, ' ' ORDER BY job) AS jobs FROM search_reports.revisions GROUP BY account_id, dataset, week
), known AS (
  SELECT w.account_id, w.week, r.name, r.place, coalesce(max(c.cursor), 0) AS cursor,
         md5(concat_ws('|', r.digest, (SELECT s.changed_at FROM searchmill.setting_changes s WHERE s.account_id = w.account_id),
                       string_agg(concat_ws(' ', o.dataset, o.week, o.state, o.is_published, o.reason, v.jobs, c.cursor), ',' ORDER BY o.dataset, o.week))) AS basis
    FROM weeks w
    JOIN rules r ON r.names[1] = w.dataset
    LEFT JOIN weeks o ON o.account_id = w.account_id AND o.dataset = ANY (r.names) AND o.week BETWEEN w.week - 7 * (r.weeks - 1) AND w.week
    LEFT JOIN changes c ON c.account_id = o.account_id AND c.dataset = o.dataset AND c.week = o.week
    LEFT JOIN revised v ON v.account_id = o.account_id AND v.dataset = o.dataset AND v.week = o.week
   WHERE w.age <= :most::integer AND (:week::date IS NULL OR w.week = :week::date)
   GROUP BY w.account_id, w.week, r.name, r.place, r.digest
)
SELECT k.account_id::text AS "accountId", k.week::text, k.name AS rule, k.basis, k.cursor
  FROM known k
  LEFT JOIN searchmill.signal_looks l ON l.account_id = k.account_id AND l.week = k.week AND l.rule = k.name
 WHERE l.basis IS DISTINCT FROM k.basis
 ORDER BY k.week DESC, k.account_id, k.place;

-- name: signals/forget
-- Removes looks of rules that no longer exist, and of weeks more than a year before the newest. Params: :rules, names.
-- Repeating changes nothing.
WITH old AS (
  SELECT account_id, max(week) - 371 AS week FROM searchmill.signal_looks GROUP BY account_id
), forgotten AS (
  DELETE FROM searchmill.signals s USING old o
   WHERE s.account_id = o.account_id AND (s.week < o.week OR s.rule <> ALL (:rules::text[]))
)
DELETE FROM searchmill.signal_looks l USING old o
 WHERE l.account_id = o.account_id AND (l.week < o.week OR l.rule <> ALL (:rules::text[]));

-- name: signals/has-looked
-- Whether a rule has looked at a week of any account. Params: :week (NULL: any week). Result: found. Locks: none. Not null: found.
SELECT EXISTS (SELECT FROM searchmill.signal_looks WHERE :week::date IS NULL OR week = :week::date) AS found;

-- name: signals/lock-target
-- Lets one process at a time write which signals are sent to a target. Params: :target. Result: one row. Locks: the target's row, until the transaction
-- ends; who sends to it waits.
SELECT name FROM searchmill.notification_targets WHERE name = :target FOR UPDATE;

-- name: signals/note-figures
-- Records that the figures of an account have changed. Params: :accountId.
INSERT INTO searchmill.figure_changes (account_id) VALUES (:accountId);

-- name: signals/note-told
-- Records which signals, and which removed ones, are sent to a target. Params: :target, :told, :takenBack, both numbers of signals. Repeating changes nothing but times.
WITH told AS (
  INSERT INTO searchmill.told_signals (target, signal_id) SELECT :target, id FROM unnest(:told::bigint[]) AS id
  ON CONFLICT (target, signal_id) DO UPDATE SET told_at = excluded.told_at, taken_back_told_at = NULL
)
UPDATE searchmill.told_signals SET taken_back_told_at = clock_timestamp() WHERE target = :target AND signal_id = ANY (:takenBack::bigint[]);

-- name: signals/read
-- Signals that hold, the newest week first. Params: :accountId (NULL: all), :week (NULL: the newest that rules
-- have looked at, of each account).
-- Result: accountId as text, week, rule, title, subject, text, about, place, foundAt. Locks: none.
-- Not null: accountId, week, rule, title, subject, text, place, foundAt, id.
SELECT s.account_id::text AS "accountId", s.week::text, s.rule, s.title, s.subject, s.text, s.about, s.place::integer, s.found_at AS "foundAt", s.signal_id::text AS id
  FROM search_reports.signals s
 WHERE (:accountId::bigint IS NULL OR s.account_id = :accountId::bigint)
   AND s.week = coalesce(:week::date, (SELECT max(week) FROM searchmill.signal_looks l WHERE l.account_id = s.account_id))
 ORDER BY s.account_id, s.week DESC, s.rule_place, s.place;

-- name: signals/read-account
-- What messages about an account need. Params: :accountId. Result: name (NULL where no row tells it), endedAt (when a load of it last ended, NULL
-- when none has), week (the newest that rules have looked at, else the newest that is published, else NULL). Locks: none.
SELECT search_reports.account_name(:accountId::bigint) AS name,
       (SELECT max(e.ended_at) FROM searchmill.slices s JOIN searchmill.executions e ON e.slice_id = s.id WHERE s.account_id = :accountId::bigint) AS "endedAt",
       coalesce((SELECT max(week) FROM searchmill.signal_looks WHERE account_id = :accountId::bigint),
                (SELECT max(week) FROM search_reports.weeks WHERE account_id = :accountId::bigint AND state = 'published'))::text AS week;

-- name: signals/read-silences
-- Rules that are silent about a week, and why.
-- Params: :accountId (NULL: all), :week (NULL: the newest that rules have looked at, of each account).
-- Result: accountId as text, week, rule, title, silence. Locks: none.
-- Not null: accountId, week, rule, title, silence.
SELECT r.account_id::text AS "accountId", r.week::text, r.rule, r.title, r.silence
  FROM search_reports.signal_rules r
 WHERE (:accountId::bigint IS NULL OR r.account_id = :accountId::bigint) AND r.silence IS NOT NULL
   AND r.week = coalesce(:week::date, (SELECT max(week) FROM searchmill.signal_looks l WHERE l.account_id = r.account_id))
 ORDER BY r.account_id, r.week DESC, r.place;

-- name: signals/read-taken-back
-- Signals that a target was told of, and not yet that they are taken back. Params: :target, :accountId. Result: as of signals/read. Locks: none.
-- Not null: accountId, week, place, id.
SELECT s.account_id::text AS "accountId", s.week::text, s.rule, l.title, s.subject, s.text, s.about, 0 AS place, s.found_at AS "foundAt", s.id::text
  FROM searchmill.told_signals t
  JOIN searchmill.signals s ON s.id = t.signal_id
  JOIN searchmill.signal_looks l ON l.account_id = s.account_id AND l.week = s.week AND l.rule = s.rule
 WHERE t.target = :target AND t.taken_back_told_at IS NULL AND s.account_id = :accountId::bigint AND s.taken_back_at IS NOT NULL
 ORDER BY s.week DESC, l.place, s.weight DESC;

-- name: signals/read-untold
-- Signals that a target was not told of, or was told that they are taken back: those of the newest week, and those of earlier weeks that were found
-- since it is told of the account (a week that was loaded late, or a revision). Params: :target, :accountId.
-- Result: as of signals/read, and isLate. Locks: none.
-- Not null: accountId, week, rule, title, subject, text, place, foundAt, id, isLate.
SELECT s.account_id::text AS "accountId", s.week::text, s.rule, s.title, s.subject, s.text, s.about, s.place::integer, s.found_at AS "foundAt",
       s.signal_id::text AS id, s.week < n.week AS "isLate"
  FROM (SELECT max(week) AS week FROM searchmill.signal_looks WHERE account_id = :accountId::bigint) AS n
  JOIN search_reports.signals s ON s.account_id = :accountId::bigint
  LEFT JOIN searchmill.told_accounts a ON a.target = :target AND a.account_id = s.account_id
 WHERE (s.week = n.week OR s.found_at > a.begun_at)
   AND NOT EXISTS (SELECT FROM searchmill.told_signals t WHERE t.target = :target AND t.signal_id = s.signal_id AND t.taken_back_told_at IS NULL)
 ORDER BY s.week DESC, s.rule_place, s.place;

-- name: signals/take-brief
-- A target gets the brief of an account, unless it has got one since. Params: :target, :accountId, :since, :at. Result: a row where it gets it.
-- Locks: the row, until the transaction ends.
UPDATE searchmill.told_accounts SET brief_at = :at WHERE target = :target AND account_id = :accountId::bigint AND brief_at = :since
RETURNING brief_at AS "toldAt";

-- name: signals/take-turn
-- Lets one process at a time look. Result: found, false when another does. Locks: one advisory lock, until the transaction ends. Not null: found.
SELECT pg_try_advisory_xact_lock(hashtext('searchmill signals'), 0) AS found;

-- name: signals/write-found
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
       found_at = CASE WHEN s.taken_back_at IS NULL THEN s.found_at ELSE clock_timestamp() END;

-- name: signals/write-look
-- Records a look of a rule at a week. Params: :accountId, :week, :rule, :place, :title, :datasets, :weeks, :basis, :cursor,
-- :silence.
-- Repeating changes nothing but the time.
INSERT INTO searchmill.signal_looks (account_id, week, rule, place, title, datasets, weeks, basis, cursor, silence)
VALUES (:accountId, :week, :rule, :place, :title, :datasets, :weeks, :basis, :cursor, :silence)
ON CONFLICT (account_id, week, rule) DO UPDATE
   SET place = excluded.place, title = excluded.title, datasets = excluded.datasets, weeks = excluded.weeks, basis = excluded.basis, cursor = excluded.cursor,
       silence = excluded.silence, looked_at = clock_timestamp();

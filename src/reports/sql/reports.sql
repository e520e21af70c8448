-- Stored summaries: which are stale, and what they are computed with.

-- name: reports/compare
-- Compares a summary's stored week with what is computed now. Params: :accountId, :week.
-- The computed ones name a table of the coordinator: Citus runs on a node what names none, and there is no such function.
-- Result: surplus (stored, not computed) and missing (computed, not stored) in rows, and one of them as JSON.
-- Not null: surplus, missing.
WITH stored AS (
  SELECT * FROM {stored} WHERE account_id = :accountId AND week = :week
), computed AS (
  SELECT * FROM {compute}(:accountId, :week) WHERE NOT EXISTS (SELECT 1 FROM searchmill.stale_weeks WHERE false)
), surplus AS (
  TABLE stored EXCEPT ALL TABLE computed
), missing AS (
  TABLE computed EXCEPT ALL TABLE stored
)
SELECT (SELECT count(*) FROM surplus) AS surplus, (SELECT count(*) FROM missing) AS missing,
       coalesce((SELECT to_jsonb(s) FROM surplus s LIMIT 1), (SELECT to_jsonb(m) FROM missing m LIMIT 1))::text AS example;

-- name: reports/delete-settings
-- Deletes the values of a setting of an account. Params: :accountId, :setting, and :kind, NULL for all.
DELETE FROM searchmill.account_settings
 WHERE account_id = :accountId AND setting = :setting AND (:kind::text IS NULL OR kind = :kind::text);

-- name: reports/delete-stored
-- Deletes the stored rows of a summary's week. Params: :accountId, :week.
DELETE FROM {stored} WHERE account_id = :accountId AND week = :week;

-- name: reports/find-cited-domains
-- The domains of citations attributed to You over all weeks of an account: stored ones, and of marked weeks what the table holds now.
-- Params: :accountId. Result: domains in order.
-- Not null: domains.
WITH marked AS MATERIALIZED (
  SELECT DISTINCT week FROM searchmill.stale_weeks WHERE subject = 'citations' AND account_id = :accountId
), sites AS (
  SELECT site FROM search_stored.ai_cited_pages
   WHERE account_id = :accountId AND attribution = 'you' AND week NOT IN (SELECT week FROM marked)
  UNION
  SELECT c.site
    FROM marked m
   CROSS JOIN LATERAL (SELECT left(citation_domain, 253) AS site FROM search.ai_search_citations
                        WHERE account_id = :accountId AND time_period_start BETWEEN m.week AND m.week + 6
                          AND lower(citation_attribution COLLATE "C") = 'you') AS c
)
SELECT ARRAY(SELECT DISTINCT domain FROM (SELECT search_reports.bare_domain(site) COLLATE "C" AS domain FROM sites) AS bare
              WHERE domain <> ''
              ORDER BY domain) AS domains;

-- name: reports/find-known
-- All weeks that tables or summaries hold. Params: :accountId and :dataset, NULL for all. Result: subject, account as text, week.
-- A table of the coordinator is named beside the function, which Citus would run on a node otherwise.
-- Not null: subject, accountId, week.
SELECT subject, account_id::text AS "accountId", week
  FROM (SELECT subject, account_id, week FROM search_reports.weeks_in_tables() WHERE NOT EXISTS (SELECT 1 FROM searchmill.stale_weeks WHERE false)
        UNION
        SELECT subject, account_id, week FROM search_stored.stored_weeks) AS known
 WHERE (:accountId::bigint IS NULL OR account_id = :accountId)
   AND (:dataset::text IS NULL OR subject = ANY (search_reports.subjects_of(:dataset)))
 ORDER BY account_id, week DESC, subject;

-- name: reports/find-live
-- The marked week that a reading of some datasets would compute, the newest first; citations before others, as own domains may follow from
-- them. Weeks that failed are left to the sweeps. On the nodes of a Citus cluster readers compute none.
-- Params: :accountId, NULL for all; :datasets. Result: subject, account as text, week; no row when there is none.
-- Not null: accountId.
SELECT subject, account_id::text AS "accountId", week
  FROM searchmill.stale_weeks
 WHERE (:accountId::bigint IS NULL OR account_id = :accountId::bigint)
   AND subject = ANY (ARRAY(SELECT unnest(search_reports.subjects_of(dataset)) FROM unnest(:datasets::text[]) AS dataset))
 GROUP BY subject, account_id, week
HAVING bool_and(is_live) AND max(failures) = 0 AND search_reports.reads_marked_weeks()
 ORDER BY week DESC, subject = 'citations' DESC, account_id
 LIMIT 1;

-- name: reports/find-marked
-- Marked weeks, those that readers leave out first, then the newest. Params: :accountId and :dataset, NULL for all.
-- Result: subject, account as text, week, isLive.
-- Not null: accountId, isLive.
SELECT subject, account_id::text AS "accountId", week, bool_and(is_live) AS "isLive"
  FROM searchmill.stale_weeks
 WHERE (:accountId::bigint IS NULL OR account_id = :accountId)
   AND (:dataset::text IS NULL OR subject = ANY (search_reports.subjects_of(:dataset)))
 GROUP BY subject, account_id, week
 ORDER BY 4, week DESC, subject = 'citations' DESC, account_id;

-- name: reports/find-stale
-- Weeks that wait for a refresh: those that readers compute first, then the newest; citations before others, as own domains may follow
-- from them. One that failed waits for as many minutes as it has failed, for an hour at most.
-- Params: :maxWeeks. Result: subject, account as text, week.
-- Not null: accountId.
SELECT subject, account_id::text AS "accountId", week
  FROM searchmill.stale_weeks
 GROUP BY subject, account_id, week
HAVING coalesce(max(failed_at + least(failures, 60) * interval '1 minute') < clock_timestamp(), true)
 ORDER BY bool_and(is_live) DESC, week DESC, subject = 'citations' DESC, account_id
 LIMIT :maxWeeks;

-- name: reports/find-unconfigured-accounts
-- Accounts with configured settings all of whose jobs are removed, and that no running process has a job of. One without jobs is about to
-- get them. Result: account as text. Locks: none.
-- Not null: accountId.
SELECT o.account_id::text AS "accountId"
  FROM (SELECT DISTINCT account_id FROM searchmill.account_settings WHERE kind <> 'cited') AS o
 WHERE (SELECT bool_and(j.removed_at IS NOT NULL) FROM searchmill.jobs j WHERE j.account_id = o.account_id)
   AND NOT EXISTS (SELECT FROM searchmill.jobs j JOIN searchmill.instances i ON j.name = ANY (i.jobs)
                    WHERE j.account_id = o.account_id AND i.seen_at > clock_timestamp() - interval '60 seconds');

-- name: reports/hold-settings
-- Keeps the own domains and aliases of an account as they are until the transaction ends; fails when they have changed since it began.
-- Params: :accountId. Locks: the account's row of setting_changes, shared.
SELECT account_id FROM searchmill.setting_changes WHERE account_id = :accountId FOR SHARE;

-- name: reports/insert-settings
-- Adds values to a setting of an account. Params: :accountId, :setting, and :values: a JSON array of objects with kind, value and meaning.
INSERT INTO searchmill.account_settings (account_id, setting, kind, value, meaning)
SELECT :accountId, :setting, kind, value, meaning
  FROM jsonb_to_recordset(:values::jsonb) AS v (kind text, value text, meaning text);

-- name: reports/is-marked
-- Whether a week is marked. Params: :subject, :accountId, :week.
-- Not null: found.
SELECT EXISTS (SELECT FROM searchmill.stale_weeks WHERE subject = :subject AND account_id = :accountId AND week = :week) AS found;

-- name: reports/mark-account
-- Marks all weeks of an account in some subjects as not live: as many as there are, since own domains or aliases have changed.
-- Params: :accountId, :subjects.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT subject, account_id, week, false
  FROM (SELECT subject, account_id, week FROM search_stored.stored_weeks WHERE account_id = :accountId AND subject = ANY (:subjects)
        UNION
        SELECT subject, account_id, week FROM searchmill.stale_weeks WHERE account_id = :accountId AND subject = ANY (:subjects)) AS known;

-- name: reports/mark-all
-- Marks all weeks that tables or summaries hold as not live. Params: :accountId and :dataset, NULL for all. Result: as many weeks.
-- A table of the coordinator is named beside the function, which Citus would run on a node otherwise.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT subject, account_id, week, false
  FROM (SELECT subject, account_id, week FROM search_reports.weeks_in_tables() WHERE NOT EXISTS (SELECT 1 FROM searchmill.stale_weeks WHERE false)
        UNION
        SELECT subject, account_id, week FROM search_stored.stored_weeks) AS known
 WHERE (:accountId::bigint IS NULL OR account_id = :accountId)
   AND (:dataset::text IS NULL OR subject = ANY (search_reports.subjects_of(:dataset)));

-- name: reports/mark-later-kinds
-- Marks later weeks of answers as not live that have a prompt whose kind nobody told then, and this week tells another one than they have; or that have the
-- kind of a prompt from this week, which does not tell it any more. Params: :accountId, :week.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT DISTINCT 'answers', f.account_id, f.week, false
  FROM search_stored.prompt_facts f
  LEFT JOIN (SELECT prompt, max(prompt_type) AS prompt_type FROM search_stored.prompt_facts
              WHERE account_id = :accountId AND week = :week AND told_in = :week GROUP BY prompt) AS told ON told.prompt = f.prompt
 WHERE f.account_id = :accountId AND f.week > :week
   AND (f.told_in = :week AND told.prompt IS NULL
        OR (f.told_in IS NULL OR f.told_in <= :week) AND told.prompt IS NOT NULL AND (f.told_in IS DISTINCT FROM :week OR f.prompt_type <> told.prompt_type));

-- name: reports/mark-other-weeks
-- Marks all other weeks of answers of an account as not live, since other names are ours. Params: :accountId, :week.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT 'answers', :accountId, s.week, false
  FROM search_stored.stored_weeks s
 WHERE s.account_id = :accountId AND s.subject = 'answers' AND s.week <> :week
   AND NOT EXISTS (SELECT FROM searchmill.stale_weeks m WHERE m.account_id = :accountId AND m.subject = 'answers' AND m.week = s.week AND NOT m.is_live);

-- name: reports/mark-stored
-- Marks a week that this transaction stores on a node of a Citus cluster: readers leave it out until the node is known to have it.
-- Params: :subject, :accountId, :week. Result: id of the mark, as text.
-- Not null: id.
INSERT INTO searchmill.stale_weeks (subject, account_id, week) VALUES (:subject, :accountId, :week) RETURNING id::text AS id;

-- name: reports/note-account
-- Makes sure that an account has a row of setting_changes to hold. Params: :accountId. Repeating changes nothing.
INSERT INTO searchmill.setting_changes (account_id) VALUES (:accountId) ON CONFLICT DO NOTHING;

-- name: reports/note-failure
-- Notes that a week could not be refreshed. After :maxFailures readers leave it out, since computing it may fail, too.
-- Params: :subject, :accountId, :week, :error, :maxFailures.
UPDATE searchmill.stale_weeks
   SET failures = failures + 1, failed_at = clock_timestamp(), error = :error, is_live = is_live AND failures + 1 < :maxFailures
 WHERE subject = :subject AND account_id = :accountId AND week = :week;

-- name: reports/note-settings
-- Notes that own domains or aliases of an account change in this transaction. Params: :accountId.
-- Locks: the account's row of setting_changes, until the transaction ends; waits for refreshes that hold it.
INSERT INTO searchmill.setting_changes (account_id) VALUES (:accountId)
ON CONFLICT (account_id) DO UPDATE SET changed_at = clock_timestamp();

-- name: reports/read-failures
-- Subjects of accounts with weeks that readers leave out, since their refresh fails. Result: subject, account as text, weeks, firstWeek, lastWeek, failedAt, error.
-- Not null: accountId, weeks, firstWeek, lastWeek, failedAt, error.
SELECT subject, account_id::text AS "accountId", count(DISTINCT week) AS weeks, min(week) AS "firstWeek", max(week) AS "lastWeek",
       max(failed_at) AS "failedAt", (array_agg(error ORDER BY failed_at DESC))[1] AS error
  FROM searchmill.stale_weeks
 WHERE failures > 0 AND NOT is_live
 GROUP BY subject, account_id
 ORDER BY subject, account_id;

-- name: reports/read-own-patterns
-- The patterns that own results of an account match. Params: :accountId. Result: patterns.
-- Not null: patterns.
SELECT search_reports.own_patterns(:accountId::bigint) AS patterns;

-- name: reports/read-own-names
-- Names of brands of ours (search_reports.own_names). Params: :accountId. Result: names.
-- Not null: names.
SELECT search_reports.own_names(:accountId::bigint) AS names;

-- name: reports/read-settings
-- The values of a setting of an account. Params: :accountId, :setting, and :kind, NULL for all. Result: kind, value, meaning.
SELECT kind, value, meaning FROM searchmill.account_settings
 WHERE account_id = :accountId AND setting = :setting AND (:kind::text IS NULL OR kind = :kind::text);

-- name: reports/read-unmet-spellings
-- Engines, places and languages that answers spell otherwise than brands or citations, in the newest 13 weeks that are stored.
-- Result: account as text, dataset, kind, spelling of that dataset, answersSpelling, weeks, firstWeek, lastWeek, line, which makes both one, and
-- apartSince, the end of the first week that has both spellings: it stays the same while weeks are added. Locks: none.
-- Not null: accountId, dataset, kind, spelling, answersSpelling, weeks, firstWeek, lastWeek, line, apartSince.
SELECT account_id::text AS "accountId", dataset, kind, spelling, answers_spelling AS "answersSpelling", count(*)::integer AS weeks,
       min(week) AS "firstWeek", max(week) AS "lastWeek", search_reports.alias_line(kind, answers_spelling, spelling) AS line,
       coalesce((SELECT min(s.week) FROM search_reports.ai_spellings s JOIN search_reports.ai_spellings a USING (account_id, week, kind)
                  WHERE s.account_id = u.account_id AND s.kind = u.kind AND s.dataset = u.dataset AND s.spelling = u.spelling
                    AND a.dataset = 'ai_search_response' AND a.spelling = u.answers_spelling), min(week))::timestamptz + interval '7 days' AS "apartSince"
  FROM search_reports.unmet_spellings(ARRAY(SELECT account_id FROM search_reports.accounts WHERE is_configured),
                                      ARRAY['ai_search_brands', 'ai_search_citations'], NULL) AS u
 GROUP BY account_id, dataset, kind, spelling, answers_spelling
 ORDER BY account_id, dataset, kind, spelling, answers_spelling;

-- name: reports/remove-mark
-- Removes the mark of a week that its node has. Params: :id. Others stay, as of what was published meanwhile.
DELETE FROM searchmill.stale_weeks WHERE id = :id;

-- name: reports/remove-marks
-- Removes the marks of a week that this transaction sees, before it stores the week anew. Others stay, as of what is published meanwhile.
-- Params: :subject, :accountId, :week. No row: the week has no mark, or another process refreshes it.
-- Locks: an advisory lock of the week, until the transaction ends; nobody waits for it. Of two that see the same marks, the second fails.
WITH lock AS MATERIALIZED (
  SELECT pg_try_advisory_xact_lock(hashtext('searchmill report ' || :subject::text || ' ' || :accountId::bigint), :week::date - date '2000-01-01') AS is_taken
)
DELETE FROM searchmill.stale_weeks s
 USING lock
 WHERE lock.is_taken AND s.subject = :subject AND s.account_id = :accountId AND s.week = :week;

-- name: reports/store
-- Stores a summary's week as it is computed now. Params: :accountId, :week. Result: as many rows.
INSERT INTO {stored} SELECT * FROM {compute}(:accountId, :week);

-- name: reports/take-sweep
-- Lets one process at a time refresh what others have left. Result: found, false when another does.
-- Locks: one advisory lock, until the transaction ends.
-- Not null: found.
SELECT pg_try_advisory_xact_lock(hashtext('searchmill reports sweep'), 0) AS found;

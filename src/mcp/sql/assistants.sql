-- What the MCP server reads, with the rights of readers.

-- name: assistants/knows-account
-- One row where the account is known. Params: :accountId. Result: account as text. Locks: none.
-- Not null: account.
SELECT account_id::text AS account FROM search_reports.accounts WHERE account_id = :accountId::bigint;

-- name: assistants/list-tracked
-- Names that an account tracks, by kind: of one week, or of the newest published one.
-- Params: :accountId; :kind: searches, prompts, topics, assistants, engines, countries or devices; :week, its Sunday, or null;
-- :contains, a part of the name, or null; :most.
-- Result: name, rows: how many searches or answers have it; in alphabetical order. Locks: none.
-- Not null: name, rows.
WITH ranked AS (
  SELECT coalesce(:week::date, max(week)) AS week FROM search_reports.weeks
   WHERE dataset = 'keyword_rankings' AND account_id = :accountId::bigint AND is_published
), answered AS (
  SELECT coalesce(:week::date, max(week)) AS week FROM search_reports.weeks
   WHERE dataset = 'ai_search_response' AND account_id = :accountId::bigint AND is_published
), names AS (
  SELECT CASE :kind WHEN 'searches' THEN r.query WHEN 'engines' THEN r.search_engine WHEN 'countries' THEN r.country WHEN 'devices' THEN r.device END AS name
    FROM ranked w JOIN search_reports.ranking_searches r ON r.account_id = :accountId::bigint AND r.week = w.week
   WHERE :kind IN ('searches', 'engines', 'countries', 'devices')
  UNION ALL
  SELECT CASE :kind WHEN 'prompts' THEN r.prompt WHEN 'topics' THEN r.topic WHEN 'assistants' THEN r.ai_search_engine END
    FROM answered w
    JOIN search.ai_search_response r ON r.account_id = :accountId::bigint AND r.time_period_start >= w.week AND r.time_period_start < w.week + 7
   WHERE :kind IN ('prompts', 'topics', 'assistants')
)
SELECT name, count(*) AS rows FROM names
 WHERE name IS NOT NULL AND (:contains::text IS NULL OR strpos(search_reports.folded(name), search_reports.folded(:contains::text)) > 0)
 GROUP BY name ORDER BY name COLLATE "C" LIMIT :most;

-- name: assistants/read-accounts
-- All accounts. Result: account as text, isConfigured. Locks: none.
-- Not null: account, isConfigured.
SELECT account_id::text AS account, is_configured AS "isConfigured" FROM search_reports.accounts ORDER BY account_id LIMIT 200;

-- name: assistants/read-answer-weeks
-- The weeks of answers of an account, the newest first. Params: :accountId. Result: week, isPublished, and the reason where not all is there.
-- Locks: none.
-- Not null: week, isPublished.
SELECT week::text, is_published AS "isPublished", reason
  FROM search_reports.weeks WHERE dataset = 'ai_search_response' AND account_id = :accountId::bigint ORDER BY week DESC;

-- name: assistants/read-answers
-- Answers of assistants in one week. Params: :accountId; :week, its Sunday; :assistant and :topic, or null for all; :contains,
-- a part of the prompt, or null; :most.
-- Result: week, day, assistant, locode, language, and topic, prompt and answer, of each one character more than is shown. Locks: none.
-- Not null: day, week.
SELECT (:week::date)::text AS week, r.time_period_start::text AS day, r.ai_search_engine AS assistant, r.locode, r.language, left(r.topic, 2001) AS topic,
       left(r.prompt, 2001) AS prompt, left(r.ai_response, 2001) AS answer
  FROM search.ai_search_response r
 WHERE r.account_id = :accountId::bigint AND r.time_period_start >= :week::date AND r.time_period_start < :week::date + 7
   AND (:assistant::text IS NULL OR search_reports.folded(r.ai_search_engine) = search_reports.folded(:assistant::text))
   AND (:topic::text IS NULL OR search_reports.folded(r.topic) = search_reports.folded(:topic::text))
   AND (:contains::text IS NULL OR strpos(search_reports.folded(r.prompt), search_reports.folded(:contains::text)) > 0)
 ORDER BY r.prompt, r.ai_search_engine, r.locode, r._key, r._occurrence LIMIT :most;

-- name: assistants/read-changes
-- Changes of weeks after a cursor and before another, the newest first. Params: :accountId, or null for all; :cursor; :before, or null; :most.
-- Result: cursor, kind, job, dataset, account as text, week, publication, changedAt, and the counts of the publication. Locks: none.
-- Not null: cursor, kind, account, changedAt, week.
SELECT c.cursor, c.kind, s.job, c.dataset, c.account_id::text AS account, c.week::text, c.publication_id AS publication, c.changed_at AS "changedAt",
       p.rows_inserted AS inserted, p.rows_updated AS updated, p.rows_unchanged AS unchanged, p.rows_deleted AS deleted
  FROM searchmill.week_changes c
  LEFT JOIN searchmill.slices s ON s.id = c.slice_id
  LEFT JOIN searchmill.publications p ON p.id = c.publication_id
 WHERE c.cursor > :cursor AND (:before::bigint IS NULL OR c.cursor < :before::bigint)
   AND (:accountId::bigint IS NULL OR c.account_id = :accountId::bigint)
 ORDER BY c.cursor DESC LIMIT :most;

-- name: assistants/read-coverage
-- The newest weeks of each job, with their states. Params: :job, or null for all; :weeks; :most.
-- Result: job, dataset, account as text, week, state, isExpected, publishedAt, sliceRows (of the whole window), detail, and remark: what else figures of
-- the week include. Locks: none.
-- Not null: account, isExpected, job, week, state.
SELECT c.job, j.dataset, j.account_id::text AS account, c.week::text, c.state, c.is_expected AS "isExpected", c.published_at AS "publishedAt",
       c.slice_rows AS "sliceRows", c.detail, l.remark
  FROM searchmill.coverage c JOIN searchmill.jobs j ON j.name = c.job
  LEFT JOIN (SELECT dataset, account_id, week, string_agg(remark, ', ' ORDER BY job) AS remark
               FROM search_reports.left_rows GROUP BY dataset, account_id, week) AS l
         ON l.dataset = j.dataset AND l.account_id = j.account_id AND l.week = search_reports.week_of(c.week)
 WHERE (:job::text IS NULL OR c.job = :job::text) AND (c.is_expected OR c.published_at IS NOT NULL OR c.state IN ('held', 'running'))
   AND c.week > (SELECT max(week) FROM searchmill.coverage WHERE is_expected OR published_at IS NOT NULL) - 7 * :weeks::integer
 ORDER BY c.week DESC, c.job LIMIT :most;

-- name: assistants/read-search-history
-- The places of one search over the newest weeks, each way it is tracked by itself. A place that is not known is a gap with its reason, as on the board
-- Search; without a gap, a place that is null says that we were not found as deep as the search was tracked.
-- Params: :accountId, :search (the keyword, whatever its case), :weeks, :most.
-- Result: week, gap, note, engine, country, device, locode, webProperty, place, truePlace (of our best result), url, volume, and how deep it was tracked.
-- Locks: none.
-- Not null: week.
WITH weeks AS MATERIALIZED (
  SELECT * FROM search_reports.measure_weeks('found', :accountId::bigint, :weeks::text) AS w WHERE w.week IS NOT NULL
), found AS MATERIALIZED (
  SELECT DISTINCT ON (r.week, r.search_key) r.*
    FROM search_reports.search_facts r
   WHERE r.account_id = :accountId::bigint AND r.week = ANY (ARRAY(SELECT week FROM weeks)) AND search_reports.folded(r.query) = search_reports.folded(:search::text)
   ORDER BY r.week, r.search_key, r.period_start DESC, r.period_end DESC
), searches AS (
  SELECT DISTINCT search_key, search_engine, country, device, locode, web_property_id FROM found
)
SELECT w.week::text, g.gap, w.note, s.search_engine AS engine, s.country, s.device, s.locode,
       s.web_property_id AS "webProperty", CASE WHEN g.gap IS NULL THEN r.own_standard END AS place, CASE WHEN g.gap IS NULL THEN r.own_true END AS "truePlace",
       CASE WHEN g.gap IS NULL THEN r.own_url_standard END AS url, r.volume, r.deepest_standard AS "trackedTo"
  FROM weeks w
  LEFT JOIN searches s ON true
  LEFT JOIN found r ON r.week = w.week AND r.search_key = s.search_key
 CROSS JOIN LATERAL (
       SELECT coalesce(w.gap, CASE WHEN r.week IS NULL THEN coalesce((SELECT min(search_reports.lacks_places(c.first_loaded, c.last_loaded, c.is_whole, NULL))
                                                                    FROM search_reports.search_facts c WHERE c.account_id = :accountId::bigint AND c.week = w.week),
                                                                 'not among the searches of this week')
                                   WHEN coalesce(r.own_standard, r.own_true) IS NULL THEN search_reports.lacks_us(r.shows_us) END) AS gap) AS g
 ORDER BY w.week DESC, s.search_engine, s.country, s.device, s.locode, s.web_property_id LIMIT :most;

-- name: assistants/use-reader-rights
-- For the rest of the transaction, a login that may write has only the rights of searchmill_reader, where it may take them. A login that can only
-- read keeps its own: policies may be made for it. Result: one row where rights were changed. Repeating changes nothing.
-- Not null: role.
SELECT set_config('role', 'searchmill_reader', true) AS role
  FROM pg_catalog.pg_roles
 WHERE rolname = 'searchmill_reader' AND pg_has_role(current_user, oid, 'MEMBER') AND has_table_privilege('searchmill.slices', 'UPDATE');

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
 ORDER BY k.week DESC, k.account_id, k.place

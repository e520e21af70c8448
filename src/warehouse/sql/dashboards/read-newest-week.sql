-- The newest week of some datasets of an account, and of each dataset whether that week is there.
-- Params: :accountId; :datasets; :until, the last day that the week may begin on, or null for any. Locks: none.
-- Not null: dataset, week, state, isPartial.
SELECT w.dataset, w.week::text AS week, w.state, w.reason, w.is_partial AS "isPartial"
  FROM (SELECT d.dataset, s.*, max(s.week) OVER () AS newest
          FROM unnest(:datasets::text[]) AS d (dataset)
         CROSS JOIN LATERAL search_reports.weeks_of(d.dataset, :accountId::bigint) AS s
         WHERE :until::date IS NULL OR s.week <= :until::date) AS w
 WHERE w.week = w.newest
 ORDER BY w.dataset

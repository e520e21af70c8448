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
 LIMIT 1

-- Records that the rows of a place were counted, and which slices differ from what was published.
-- Params: :dataset, :accountId, :from and :to (first and last time_period_start); :unlike, a JSON array of {slice, period, found}.
-- Locks: the rows it changes. Those that a publication holds are left for the next time.
WITH mine AS (
  SELECT p.slice_id, p.account_id, p.period_start
    FROM searchmill.published_periods p JOIN searchmill.slices s ON s.id = p.slice_id
   WHERE s.dataset = :dataset AND p.account_id = :accountId AND p.period_start BETWEEN :from AND :to
     FOR UPDATE OF p SKIP LOCKED
)
UPDATE searchmill.published_periods p
   SET checked_at = clock_timestamp(), found_rows = u.found,
       differs_since = CASE WHEN u.found IS NOT NULL THEN coalesce(p.differs_since, clock_timestamp()) END
  FROM mine m
  LEFT JOIN jsonb_to_recordset(:unlike::jsonb) AS u (slice bigint, period date, found bigint) ON u.slice = m.slice_id AND u.period = m.period_start
 WHERE p.slice_id = m.slice_id AND p.account_id = m.account_id AND p.period_start = m.period_start

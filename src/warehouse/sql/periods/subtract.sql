-- Takes rows from what the table must have of other slices, whose rows this publication or replay takes over or deletes.
-- Params: :periods, as of periods/add. Locks: the rows it changes, until the transaction ends.
UPDATE searchmill.published_periods p
   SET rows = p.rows - given.rows, digest = p.digest - given.digest
  FROM jsonb_to_recordset(:periods::jsonb) AS given (slice bigint, account bigint, period date, rows bigint, digest numeric)
 WHERE p.slice_id = given.slice AND p.account_id = given.account AND p.period_start = given.period

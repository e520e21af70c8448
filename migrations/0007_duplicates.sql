-- How many duplicates each publication had, so that the next one of the job knows whether to look for them first.
-- Guarantees: publications of before count as having had none, which costs time at most.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.publications ADD COLUMN rows_duplicated bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN searchmill.publications.rows_duplicated IS 'Rows beyond the first of their key, which the service sent more than once.';

-- What publishing wrote, so that the tables can be compared with it afterwards: rows and a digest of each period of each slice.
-- Guarantees: nothing else changes. Weeks that were published before are compared once they are published again.
-- Old processes: must be stopped, since they would publish rows without writing them down.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE TABLE searchmill.published_periods (
  slice_id     bigint      NOT NULL REFERENCES searchmill.slices ON DELETE CASCADE,
  account_id   bigint      NOT NULL,
  period_start date        NOT NULL,
  rows         bigint      NOT NULL,
  digest       numeric     NOT NULL,
  checked_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  found_rows   bigint,
  differs_since timestamptz,
  PRIMARY KEY (slice_id, account_id, period_start)
);
CREATE INDEX published_periods_checked ON searchmill.published_periods (checked_at);
COMMENT ON TABLE searchmill.published_periods IS 'Rows that the table must have of each slice, by period: written by publish and replay in the transaction that changes the table.';
COMMENT ON COLUMN searchmill.published_periods.slice_id IS 'Slice that the rows name in _slice.';
COMMENT ON COLUMN searchmill.published_periods.account_id IS 'Account of the rows; that of the slice, unless somebody approved others.';
COMMENT ON COLUMN searchmill.published_periods.period_start IS 'Their time_period_start.';
COMMENT ON COLUMN searchmill.published_periods.rows IS 'How many they are. 0 when other slices have taken them over.';
COMMENT ON COLUMN searchmill.published_periods.digest IS 'Sum of a 64-bit hash of each row, whatever their order ("searchmill verify --deep").';
COMMENT ON COLUMN searchmill.published_periods.checked_at IS 'When the table was last compared, or the rows were published.';
COMMENT ON COLUMN searchmill.published_periods.found_rows IS 'Rows found then, where they were others; NULL while all is as published.';
COMMENT ON COLUMN searchmill.published_periods.differs_since IS 'Since when that is known; NULL while all is as published.';

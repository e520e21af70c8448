-- Columns that the service sends and no release knows, and that an operator has made columns of the tables ("searchmill promote").
-- Guarantees: a row for each such column; the functions of migrations/repeatable/40_promotions.sql fill it from _extra in whatever is written.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE TABLE searchmill.promotions (
  dataset        text        NOT NULL,
  column_name    text        NOT NULL CHECK (column_name ~ '^[a-z][a-z0-9_]{0,62}$'),
  type           text        NOT NULL CHECK (type IN ('text', 'bigint', 'numeric', 'boolean', 'date', 'timestamptz')),
  promoted_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  promoted_by    text        NOT NULL,
  filled_account bigint,
  filled_week    date,
  filled_at      timestamptz,
  adopted_at     timestamptz,
  PRIMARY KEY (dataset, column_name)
);
COMMENT ON TABLE searchmill.promotions IS 'Columns of the seven tables that are filled from keys of _extra by a trigger, for all processes alike.';
COMMENT ON COLUMN searchmill.promotions.dataset IS 'Dataset.';
COMMENT ON COLUMN searchmill.promotions.column_name IS 'Key of _extra, and name of the column.';
COMMENT ON COLUMN searchmill.promotions.type IS 'Type of the column.';
COMMENT ON COLUMN searchmill.promotions.promoted_at IS 'When the column was made. What was written since is filled.';
COMMENT ON COLUMN searchmill.promotions.promoted_by IS 'Who made it.';
COMMENT ON COLUMN searchmill.promotions.filled_account IS 'Rows that were written before are filled up to this account, in the order of accounts and weeks; null for none.';
COMMENT ON COLUMN searchmill.promotions.filled_week IS 'And up to this week of it.';
COMMENT ON COLUMN searchmill.promotions.filled_at IS 'When all of them were filled; null until then.';
COMMENT ON COLUMN searchmill.promotions.adopted_at IS 'When a release came that knows the column by itself; the key then counts only where loads of older processes bring it.';

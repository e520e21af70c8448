-- What came of executions: publications, rows that did not decode, schemas that were not as expected. Who runs, what people did, and what
-- goes by itself.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE TABLE searchmill.publications (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slice_id        bigint      NOT NULL REFERENCES searchmill.slices,
  execution_id    bigint      NOT NULL UNIQUE REFERENCES searchmill.executions,
  published_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  rows_inserted   bigint      NOT NULL,
  rows_updated    bigint      NOT NULL,
  rows_unchanged  bigint      NOT NULL,
  rows_deleted    bigint      NOT NULL,
  rows_duplicated bigint      NOT NULL DEFAULT 0
);
CREATE INDEX publications_slice ON searchmill.publications (slice_id, id);
COMMENT ON TABLE searchmill.publications IS 'What each publication changed: the restatement history.';
COMMENT ON COLUMN searchmill.publications.id IS 'Identifier, in order of publication.';
COMMENT ON COLUMN searchmill.publications.slice_id IS 'Slice that was published.';
COMMENT ON COLUMN searchmill.publications.execution_id IS 'Execution it came from.';
COMMENT ON COLUMN searchmill.publications.published_at IS 'When.';
COMMENT ON COLUMN searchmill.publications.rows_inserted IS 'Rows that were new.';
COMMENT ON COLUMN searchmill.publications.rows_updated IS 'Rows whose values differed.';
COMMENT ON COLUMN searchmill.publications.rows_unchanged IS 'Rows that were the same and were not touched.';
COMMENT ON COLUMN searchmill.publications.rows_deleted IS 'Rows that had vanished from the answer.';
COMMENT ON COLUMN searchmill.publications.rows_duplicated IS 'Rows beyond the first of their key, which the service sent more than once.';

CREATE TABLE searchmill.published_periods (
  slice_id      bigint      NOT NULL REFERENCES searchmill.slices ON DELETE CASCADE,
  account_id    bigint      NOT NULL,
  period_start  date        NOT NULL,
  rows          bigint      NOT NULL,
  digest        numeric     NOT NULL,
  checked_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  found_rows    bigint,
  differs_since timestamptz,
  PRIMARY KEY (slice_id, account_id, period_start)
);
CREATE INDEX published_periods_unlike ON searchmill.published_periods (slice_id) WHERE differs_since IS NOT NULL;
COMMENT ON TABLE searchmill.published_periods IS 'Rows that the table must have of each slice, by period: written by publish and replay in the transaction that changes the table.';
COMMENT ON COLUMN searchmill.published_periods.slice_id IS 'Slice that the rows name in _slice.';
COMMENT ON COLUMN searchmill.published_periods.account_id IS 'Account of the rows; that of the slice, unless somebody approved others.';
COMMENT ON COLUMN searchmill.published_periods.period_start IS 'Their time_period_start.';
COMMENT ON COLUMN searchmill.published_periods.rows IS 'How many they are. 0 when other slices have taken them over.';
COMMENT ON COLUMN searchmill.published_periods.digest IS 'Sum of a 64-bit hash of each row, whatever their order ("searchmill verify --deep").';
COMMENT ON COLUMN searchmill.published_periods.checked_at IS 'When the table was last compared, or the rows were published.';
COMMENT ON COLUMN searchmill.published_periods.found_rows IS 'Rows found then, where they were others; NULL while all is as published.';
COMMENT ON COLUMN searchmill.published_periods.differs_since IS 'Since when that is known; NULL while all is as published.';

CREATE TABLE searchmill.week_changes (
  cursor         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind           text        NOT NULL CHECK (kind IN ('published', 'revised', 'held', 'removed')),
  dataset        text        NOT NULL,
  account_id     bigint      NOT NULL,
  week           date        NOT NULL CHECK (extract(dow FROM week) = 0),
  slice_id       bigint,
  execution_id   bigint,
  publication_id bigint,
  changed_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX week_changes_week ON searchmill.week_changes (dataset, account_id, week, cursor);
COMMENT ON TABLE searchmill.week_changes IS 'What happened to weeks, in the order in which it became visible: search_reports.changed_weeks and the events of notifications are made of it.';
COMMENT ON COLUMN searchmill.week_changes.cursor IS 'Number, given at the commit: a reader who sees one sees all lower ones.';
COMMENT ON COLUMN searchmill.week_changes.kind IS 'published (not there before), revised (rows changed), held (the audit objected), removed (by keep_weeks).';
COMMENT ON COLUMN searchmill.week_changes.dataset IS 'Dataset, and name of its table in schema search.';
COMMENT ON COLUMN searchmill.week_changes.account_id IS 'Account of the rows.';
COMMENT ON COLUMN searchmill.week_changes.slice_id IS 'Slice that was published or held; NULL when the week was removed.';
COMMENT ON COLUMN searchmill.week_changes.execution_id IS 'Execution that was published or held; NULL when the week was removed.';
COMMENT ON COLUMN searchmill.week_changes.publication_id IS 'Publication; NULL when the week was held or removed.';
COMMENT ON COLUMN searchmill.week_changes.changed_at IS 'When.';

CREATE TABLE searchmill.quarantined_rows (
  execution_id bigint      NOT NULL REFERENCES searchmill.executions,
  page         integer     NOT NULL,
  position     integer     NOT NULL,
  column_name  text,
  reason       text        NOT NULL,
  schema_names text[]      NOT NULL,
  raw          text        NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  replayed_at  timestamptz,
  PRIMARY KEY (execution_id, page, position)
);
COMMENT ON TABLE searchmill.quarantined_rows IS 'Rows that did not decode, kept raw.';
COMMENT ON COLUMN searchmill.quarantined_rows.execution_id IS 'Execution that received the row.';
COMMENT ON COLUMN searchmill.quarantined_rows.page IS 'Page, from 1.';
COMMENT ON COLUMN searchmill.quarantined_rows.position IS 'Position in the page, from 1.';
COMMENT ON COLUMN searchmill.quarantined_rows.column_name IS 'Column that did not decode; null when the row as a whole did not.';
COMMENT ON COLUMN searchmill.quarantined_rows.reason IS 'What was wrong.';
COMMENT ON COLUMN searchmill.quarantined_rows.schema_names IS 'Column names the service gave with the page, in order.';
COMMENT ON COLUMN searchmill.quarantined_rows.raw IS 'The row as JSON text.';
COMMENT ON COLUMN searchmill.quarantined_rows.created_at IS 'When it was put here.';
COMMENT ON COLUMN searchmill.quarantined_rows.replayed_at IS 'When it decoded after all and joined its slice; null while it has not.';

CREATE TABLE searchmill.drift_events (
  execution_id bigint      NOT NULL REFERENCES searchmill.executions,
  kind         text        NOT NULL CHECK (kind IN ('new_column', 'missing_column', 'changed_type', 'changed_order')),
  column_name  text        NOT NULL,
  page         integer     NOT NULL,
  detail       text        NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (execution_id, kind, column_name)
);
COMMENT ON TABLE searchmill.drift_events IS 'Where a response''s schema was other than expected.';
COMMENT ON COLUMN searchmill.drift_events.execution_id IS 'Execution in which it was first seen.';
COMMENT ON COLUMN searchmill.drift_events.kind IS 'new_column, missing_column, changed_type or changed_order.';
COMMENT ON COLUMN searchmill.drift_events.column_name IS 'Column it is about; empty for changed_order.';
COMMENT ON COLUMN searchmill.drift_events.page IS 'Page on which it was first seen.';
COMMENT ON COLUMN searchmill.drift_events.detail IS 'In words.';
COMMENT ON COLUMN searchmill.drift_events.created_at IS 'When.';

CREATE TABLE searchmill.instances (
  id                text PRIMARY KEY,
  role              text        NOT NULL,
  host              text        NOT NULL,
  pid               integer     NOT NULL,
  version           text        NOT NULL,
  started_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
  jobs              text[],
  queue_error       text,
  queue_error_since timestamptz,
  clock_ahead_s     double precision,
  failing_rounds    jsonb
);
COMMENT ON TABLE searchmill.instances IS 'Running processes.';
COMMENT ON COLUMN searchmill.instances.id IS 'Identifier, as in lease_owner.';
COMMENT ON COLUMN searchmill.instances.role IS 'all, scheduler or worker.';
COMMENT ON COLUMN searchmill.instances.host IS 'Host name.';
COMMENT ON COLUMN searchmill.instances.pid IS 'Process id.';
COMMENT ON COLUMN searchmill.instances.version IS 'Searchmill''s version.';
COMMENT ON COLUMN searchmill.instances.started_at IS 'When it started.';
COMMENT ON COLUMN searchmill.instances.seen_at IS 'Its last sign of life.';
COMMENT ON COLUMN searchmill.instances.jobs IS 'Jobs it schedules; null when it schedules none.';
COMMENT ON COLUMN searchmill.instances.queue_error IS 'Why it cannot use the queue, by its last sign of life; NULL when it can.';
COMMENT ON COLUMN searchmill.instances.queue_error_since IS 'Since when it has not been able to use the queue; NULL when it can.';
COMMENT ON COLUMN searchmill.instances.clock_ahead_s IS 'Seconds that the clock of its machine was ahead of the database''s at its last sign of life; negative: behind.';
COMMENT ON COLUMN searchmill.instances.failing_rounds IS 'What it does every so often and has failed at since its last success: what, why and since; NULL where there is nothing.';

-- What people did, and what goes by itself --------------------------------------------------------------------------

CREATE TABLE searchmill.actions (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  acted_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor        text        NOT NULL CHECK (length(actor) <= 200),
  action       text        NOT NULL CHECK (action IN ('approve', 'discard', 'cancel', 'reload', 'pause', 'resume', 'expire', 'note', 'remove_note')),
  account_id   bigint,
  job          text,
  connection   text,
  slice_id     bigint,
  execution_id bigint,
  window_start date,
  window_end   date,
  reason       text        CHECK (length(reason) <= 200)
);
CREATE INDEX actions_job ON searchmill.actions (job, id);
COMMENT ON TABLE searchmill.actions IS 'What people did: approvals, discards, cancellations, reloads, pauses; and what keep_weeks removed, by retention.';
COMMENT ON COLUMN searchmill.actions.id IS 'Identifier, in order.';
COMMENT ON COLUMN searchmill.actions.acted_at IS 'When.';
COMMENT ON COLUMN searchmill.actions.actor IS 'Who: user@host of the command line, or the name given on the pages; retention for keep_weeks.';
COMMENT ON COLUMN searchmill.actions.action IS 'approve, discard, cancel, reload, pause, resume or expire; note or remove_note of an annotation.';
COMMENT ON COLUMN searchmill.actions.account_id IS 'Account that the annotation is about; null for other actions, and for annotations of all accounts.';
COMMENT ON COLUMN searchmill.actions.job IS 'Job it was done to; null when to a connection or an annotation.';
COMMENT ON COLUMN searchmill.actions.connection IS 'Connection it was done to; null when to a job or an annotation.';
COMMENT ON COLUMN searchmill.actions.slice_id IS 'Slice it was done to; null when to a job or a connection.';
COMMENT ON COLUMN searchmill.actions.execution_id IS 'Execution it was done to; null when there was none.';
COMMENT ON COLUMN searchmill.actions.window_start IS 'First day of the window, or the day of the annotation; null when it was done to a job or a connection.';
COMMENT ON COLUMN searchmill.actions.window_end IS 'Last day of the window, included.';
COMMENT ON COLUMN searchmill.actions.reason IS 'Why, as the person wrote, or the text of the annotation; null when nothing.';

CREATE TABLE searchmill.annotations (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint,
  day        date        NOT NULL,
  text       text        NOT NULL CHECK (length(text) BETWEEN 1 AND 200),
  actor      text        NOT NULL CHECK (length(actor) <= 200),
  noted_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE searchmill.annotations IS 'What people noted of a day, for the charts of an account. search_reports.annotations has what the ledger knows beside it.';
COMMENT ON COLUMN searchmill.annotations.id IS 'Identifier, in order.';
COMMENT ON COLUMN searchmill.annotations.account_id IS 'Account it is about; null for all accounts.';
COMMENT ON COLUMN searchmill.annotations.day IS 'Day it is about; charts mark the week that holds it.';
COMMENT ON COLUMN searchmill.annotations.text IS 'What happened, as the person wrote.';
COMMENT ON COLUMN searchmill.annotations.actor IS 'Who noted it: user@host of the command line, or the name given on the pages.';
COMMENT ON COLUMN searchmill.annotations.noted_at IS 'When it was noted.';

CREATE TABLE searchmill.expiring_partitions (
  dataset  text        NOT NULL,
  month    date        NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (dataset, month)
);
COMMENT ON TABLE searchmill.expiring_partitions IS 'Partitions that keep_weeks will remove. "searchmill plan" shows them.';
COMMENT ON COLUMN searchmill.expiring_partitions.dataset IS 'Dataset, and name of its table in schema search.';
COMMENT ON COLUMN searchmill.expiring_partitions.month IS 'First day of the month of the partition.';
COMMENT ON COLUMN searchmill.expiring_partitions.noted_at IS 'Since when every job that loads into it can do without it; it is removed a day later.';

-- Pages ---------------------------------------------------------------------------------------------------------------

CREATE TABLE searchmill.ended_sessions (
  digest   bytea       PRIMARY KEY CHECK (length(digest) = 32),
  ended_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE searchmill.ended_sessions IS 'Sessions of the pages that were ended by logging out, for a day: longer than any session lasts.';
COMMENT ON COLUMN searchmill.ended_sessions.digest IS 'SHA-256 of the session''s random number: nobody makes a cookie from it.';
COMMENT ON COLUMN searchmill.ended_sessions.ended_at IS 'When somebody logged out.';

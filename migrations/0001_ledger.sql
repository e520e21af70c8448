-- The ledger: what should be loaded, what has been asked, how far each load is, and why something waits.
-- Guarantees: a slice has at most one live execution; a checkpoint (cursor) is only ever written by the holder of the
-- current lease token; call slots bound every credential's calls in any sliding 60 seconds.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

-- The migration runner has made schema searchmill for its own table.
CREATE SCHEMA searchmill_staging;
CREATE SCHEMA search;

COMMENT ON SCHEMA searchmill IS 'Searchmill''s ledger: slices, executions, publications, quarantine, call budgets.';
COMMENT ON SCHEMA searchmill_staging IS 'One table per running execution with its unpublished rows. Never query it.';
COMMENT ON SCHEMA search IS 'The warehouse: one table per dataset, published week by week.';

COMMENT ON TABLE searchmill.migrations IS 'Migrations that were applied, written by the migration runner.';
COMMENT ON COLUMN searchmill.migrations.id IS 'Number of the entry.';
COMMENT ON COLUMN searchmill.migrations.name IS 'File of the migration, without its ending.';
COMMENT ON COLUMN searchmill.migrations.run_on IS 'When it was applied.';

-- Who may ask -------------------------------------------------------------------------------------------------------

CREATE TABLE searchmill.budgets (
  id                   text PRIMARY KEY,
  paused_until         timestamptz,
  rate_limited_in_row  integer     NOT NULL DEFAULT 0,
  rate_limited_at      timestamptz,
  unauthorized_since   timestamptz,
  probe_at             timestamptz,
  probes               integer     NOT NULL DEFAULT 0,
  created_at           timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE searchmill.budgets IS 'One credential at one base URL: the unit the service limits.';
COMMENT ON COLUMN searchmill.budgets.id IS 'Digest of base URL and credential; a changed credential is a new budget.';
COMMENT ON COLUMN searchmill.budgets.paused_until IS 'No call before this time: the service answered 429.';
COMMENT ON COLUMN searchmill.budgets.rate_limited_in_row IS 'Answers 429 since the last other answer; the pause grows with it.';
COMMENT ON COLUMN searchmill.budgets.rate_limited_at IS 'When the last 429 came.';
COMMENT ON COLUMN searchmill.budgets.unauthorized_since IS 'The service has answered 401 since this time; only probes are sent.';
COMMENT ON COLUMN searchmill.budgets.probe_at IS 'While unauthorized: when the next single call may try again.';
COMMENT ON COLUMN searchmill.budgets.probes IS 'While unauthorized: probes sent so far; the time between them grows with it.';
COMMENT ON COLUMN searchmill.budgets.created_at IS 'When the budget was first used.';

CREATE TABLE searchmill.call_slots (
  budget_id   text        NOT NULL REFERENCES searchmill.budgets ON DELETE CASCADE,
  kind        text        NOT NULL CHECK (kind IN ('submit', 'read')),
  slot        integer     NOT NULL CHECK (slot >= 0),
  granted_at  timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (budget_id, kind, slot)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX call_slots_oldest ON searchmill.call_slots (budget_id, kind, granted_at);
COMMENT ON TABLE searchmill.call_slots IS 'The sliding log: as many slots as calls are allowed per minute; a slot is taken again only after a minute and a margin.';
COMMENT ON COLUMN searchmill.call_slots.budget_id IS 'Whose calls.';
COMMENT ON COLUMN searchmill.call_slots.kind IS 'submit, or read (polls and pages together).';
COMMENT ON COLUMN searchmill.call_slots.slot IS 'Number of the slot, from 0.';
COMMENT ON COLUMN searchmill.call_slots.granted_at IS 'When the slot was last taken, by the database''s clock.';

CREATE TABLE searchmill.connections (
  name               text PRIMARY KEY,
  base_url           text        NOT NULL,
  auth_kind          text        NOT NULL,
  budget_id          text        NOT NULL,
  submits_per_minute integer     NOT NULL,
  reads_per_minute   integer     NOT NULL,
  seen_at            timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE searchmill.connections IS 'Connections as last configured, without their credentials.';
COMMENT ON COLUMN searchmill.connections.name IS 'Name in the configuration.';
COMMENT ON COLUMN searchmill.connections.base_url IS 'Address of the service.';
COMMENT ON COLUMN searchmill.connections.auth_kind IS 'token or signature.';
COMMENT ON COLUMN searchmill.connections.budget_id IS 'Budget its credential spends from.';
COMMENT ON COLUMN searchmill.connections.submits_per_minute IS 'Submits allowed in any 60 seconds.';
COMMENT ON COLUMN searchmill.connections.reads_per_minute IS 'Polls and pages allowed in any 60 seconds.';
COMMENT ON COLUMN searchmill.connections.seen_at IS 'When a process last started with it.';

-- What should be there ----------------------------------------------------------------------------------------------

CREATE TABLE searchmill.jobs (
  name             text PRIMARY KEY,
  dataset          text        NOT NULL,
  connection       text        NOT NULL,
  account_id       bigint      NOT NULL,
  filters          jsonb       NOT NULL,
  filters_digest   text        NOT NULL,
  cron             text        NOT NULL,
  timezone         text        NOT NULL,
  since            date        NOT NULL,
  expected_through date,
  lookback_weeks   integer     NOT NULL,
  first_seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  planned_at       timestamptz,
  removed_at       timestamptz
);
COMMENT ON TABLE searchmill.jobs IS 'Job definitions as the scheduler last saw them.';
COMMENT ON COLUMN searchmill.jobs.name IS 'Name in the configuration.';
COMMENT ON COLUMN searchmill.jobs.dataset IS 'Dataset, and name of its table in schema search.';
COMMENT ON COLUMN searchmill.jobs.connection IS 'Connection the job asks through.';
COMMENT ON COLUMN searchmill.jobs.account_id IS 'Account the job asks for.';
COMMENT ON COLUMN searchmill.jobs.filters IS 'Filters of its submits.';
COMMENT ON COLUMN searchmill.jobs.filters_digest IS 'Changes exactly when the question changes.';
COMMENT ON COLUMN searchmill.jobs.cron IS 'When the newest week is due to be read.';
COMMENT ON COLUMN searchmill.jobs.timezone IS 'Time zone of cron.';
COMMENT ON COLUMN searchmill.jobs.since IS 'First day of the first expected week.';
COMMENT ON COLUMN searchmill.jobs.expected_through IS 'First day of the newest expected week; null when none is expected yet.';
COMMENT ON COLUMN searchmill.jobs.lookback_weeks IS 'Weeks before the newest that are read again at every tick.';
COMMENT ON COLUMN searchmill.jobs.first_seen_at IS 'When the job was first configured.';
COMMENT ON COLUMN searchmill.jobs.planned_at IS 'When the job was last planned.';
COMMENT ON COLUMN searchmill.jobs.removed_at IS 'When the job was found missing from the configuration; null while configured.';

CREATE TABLE searchmill.slices (
  id                       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job                      text        NOT NULL REFERENCES searchmill.jobs,
  dataset                  text        NOT NULL,
  account_id               bigint      NOT NULL,
  window_start             date        NOT NULL,
  window_end               date        NOT NULL,
  created_at               timestamptz NOT NULL DEFAULT clock_timestamp(),
  published_execution_id   bigint,
  published_at             timestamptz,
  published_rows           bigint,
  published_filters_digest text,
  UNIQUE (job, window_start, window_end),
  CHECK (window_end > window_start)
);
CREATE INDEX slices_account ON searchmill.slices (dataset, account_id, window_start);
COMMENT ON TABLE searchmill.slices IS 'One job over one window of whole weeks: what is loaded, audited, published and replaced as a whole.';
COMMENT ON COLUMN searchmill.slices.id IS 'Identifier; warehouse rows name it in _slice.';
COMMENT ON COLUMN searchmill.slices.job IS 'Job it belongs to.';
COMMENT ON COLUMN searchmill.slices.dataset IS 'Dataset, as of its job.';
COMMENT ON COLUMN searchmill.slices.account_id IS 'Account, as of its job.';
COMMENT ON COLUMN searchmill.slices.window_start IS 'First day of the window.';
COMMENT ON COLUMN searchmill.slices.window_end IS 'Last day of the window, included.';
COMMENT ON COLUMN searchmill.slices.created_at IS 'When it was first planned.';
COMMENT ON COLUMN searchmill.slices.published_execution_id IS 'Execution whose rows are in the table now.';
COMMENT ON COLUMN searchmill.slices.published_at IS 'When they were published; null before the first time.';
COMMENT ON COLUMN searchmill.slices.published_rows IS 'Rows the publication held.';
COMMENT ON COLUMN searchmill.slices.published_filters_digest IS 'Filters they were asked with.';

-- What has been asked -----------------------------------------------------------------------------------------------

CREATE TABLE searchmill.executions (
  id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slice_id            bigint      NOT NULL REFERENCES searchmill.slices,
  connection          text        NOT NULL,
  reason              text        NOT NULL CHECK (reason IN ('newest', 'lookback', 'catch_up', 'backfill')),
  priority            smallint    NOT NULL,
  filters_digest      text        NOT NULL,
  request             jsonb       NOT NULL,
  page_size           integer     NOT NULL,
  max_rejected_share  double precision NOT NULL,
  min_keep_share      double precision NOT NULL,
  max_wait            interval    NOT NULL,
  max_submits         integer     NOT NULL,

  state               text        NOT NULL DEFAULT 'planned' CHECK (state IN
                        ('planned', 'submitting', 'in_progress', 'loading', 'staged', 'held',
                         'published', 'failed', 'abandoned', 'discarded')),
  state_since         timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at              timestamptz DEFAULT clock_timestamp(),
  looks               integer     NOT NULL DEFAULT 0,
  lease_token         bigint      NOT NULL DEFAULT 0,
  lease_owner         text,
  lease_until         timestamptz,

  remote_execution_id text,
  remote_request_id   text,
  expires_at          timestamptz,
  next_cursor         text,
  pages               integer     NOT NULL DEFAULT 0,
  rows_received       bigint      NOT NULL DEFAULT 0,
  rows_staged         bigint      NOT NULL DEFAULT 0,
  rows_quarantined    bigint      NOT NULL DEFAULT 0,
  bytes_received      bigint      NOT NULL DEFAULT 0,
  total_row_count     bigint,

  planned_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  submit_started_at   timestamptz,
  submitted_at        timestamptz,
  load_started_at     timestamptz,
  staged_at           timestamptz,
  held_at             timestamptz,
  approved_at         timestamptz,
  ended_at            timestamptz,

  errors_in_row       integer     NOT NULL DEFAULT 0,
  last_error_code     text,
  last_error          text,
  last_error_at       timestamptz,
  waiting_for         text,
  objections          jsonb,
  end_reason          text,

  poll_calls          integer     NOT NULL DEFAULT 0,
  page_calls          integer     NOT NULL DEFAULT 0,
  wait_ms             bigint      NOT NULL DEFAULT 0,
  network_ms          bigint      NOT NULL DEFAULT 0,
  decode_ms           bigint      NOT NULL DEFAULT 0,
  copy_ms             bigint      NOT NULL DEFAULT 0,
  publish_ms          bigint      NOT NULL DEFAULT 0,

  CHECK ((ended_at IS NOT NULL) = (state IN ('published', 'failed', 'abandoned', 'discarded'))),
  CHECK (ended_at IS NOT NULL OR state = 'held' OR due_at IS NOT NULL),
  CHECK (state NOT IN ('in_progress', 'loading', 'staged', 'held') OR remote_execution_id IS NOT NULL)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX executions_live ON searchmill.executions (slice_id) WHERE ended_at IS NULL;
CREATE INDEX executions_due ON searchmill.executions (due_at) WHERE ended_at IS NULL;
CREATE INDEX executions_slice ON searchmill.executions (slice_id, id);
COMMENT ON TABLE searchmill.executions IS 'One remote query for a slice: its state, its cursor, its counts, and what happens next.';
COMMENT ON COLUMN searchmill.executions.id IS 'Searchmill''s own identifier, in logs and messages.';
COMMENT ON COLUMN searchmill.executions.slice_id IS 'Slice it loads.';
COMMENT ON COLUMN searchmill.executions.connection IS 'Connection it asks through.';
COMMENT ON COLUMN searchmill.executions.reason IS 'Why it was planned: newest week, lookback, catch_up or backfill.';
COMMENT ON COLUMN searchmill.executions.priority IS '1 newest, 2 lookback, 3 catch_up, 4 backfill; lower goes first.';
COMMENT ON COLUMN searchmill.executions.filters_digest IS 'Filters it asks with.';
COMMENT ON COLUMN searchmill.executions.request IS 'The submit body, word for word.';
COMMENT ON COLUMN searchmill.executions.page_size IS 'Rows asked for per page after the first.';
COMMENT ON COLUMN searchmill.executions.max_rejected_share IS 'Largest share of quarantined rows that is still published.';
COMMENT ON COLUMN searchmill.executions.min_keep_share IS 'Smallest share of the previously published rows a new load must have.';
COMMENT ON COLUMN searchmill.executions.max_wait IS 'How long the query may stay in progress before a new one is submitted.';
COMMENT ON COLUMN searchmill.executions.max_submits IS 'Most submits spent on the slice in 24 hours.';
COMMENT ON COLUMN searchmill.executions.state IS 'planned, submitting, in_progress, loading, staged, held; ended: published, failed, abandoned, discarded.';
COMMENT ON COLUMN searchmill.executions.state_since IS 'When the state was entered.';
COMMENT ON COLUMN searchmill.executions.due_at IS 'When somebody should look at it next; null only when held or ended.';
COMMENT ON COLUMN searchmill.executions.looks IS 'Looks scheduled so far; names the queue message.';
COMMENT ON COLUMN searchmill.executions.lease_token IS 'Fence: counts the takings of the lease; writes by an older token are refused.';
COMMENT ON COLUMN searchmill.executions.lease_owner IS 'Process that holds the lease.';
COMMENT ON COLUMN searchmill.executions.lease_until IS 'When the lease may be taken by another.';
COMMENT ON COLUMN searchmill.executions.remote_execution_id IS 'The service''s executionId.';
COMMENT ON COLUMN searchmill.executions.remote_request_id IS 'The service''s requestId of the submit, for its support.';
COMMENT ON COLUMN searchmill.executions.expires_at IS 'When the executionId stops being valid (7 days after the submit began).';
COMMENT ON COLUMN searchmill.executions.next_cursor IS 'nextPageId of the next page; null before the first page and after the last.';
COMMENT ON COLUMN searchmill.executions.pages IS 'Pages committed to staging.';
COMMENT ON COLUMN searchmill.executions.rows_received IS 'Rows in those pages.';
COMMENT ON COLUMN searchmill.executions.rows_staged IS 'Rows of those that were decoded and staged.';
COMMENT ON COLUMN searchmill.executions.rows_quarantined IS 'Rows of those that were not decoded.';
COMMENT ON COLUMN searchmill.executions.bytes_received IS 'Decompressed size of those pages.';
COMMENT ON COLUMN searchmill.executions.total_row_count IS 'Rows the service said there are, where it said so.';
COMMENT ON COLUMN searchmill.executions.planned_at IS 'When it was planned.';
COMMENT ON COLUMN searchmill.executions.submit_started_at IS 'When the intent to submit was written, just before the POST.';
COMMENT ON COLUMN searchmill.executions.submitted_at IS 'When the executionId was written down.';
COMMENT ON COLUMN searchmill.executions.load_started_at IS 'When the first page was committed.';
COMMENT ON COLUMN searchmill.executions.staged_at IS 'When the last page was committed.';
COMMENT ON COLUMN searchmill.executions.held_at IS 'When the audit objected.';
COMMENT ON COLUMN searchmill.executions.approved_at IS 'When somebody approved it in spite of the audit.';
COMMENT ON COLUMN searchmill.executions.ended_at IS 'When it was published, failed, abandoned or discarded.';
COMMENT ON COLUMN searchmill.executions.errors_in_row IS 'Failed steps since the last good one; the wait grows with it.';
COMMENT ON COLUMN searchmill.executions.last_error_code IS 'Kind of the last error.';
COMMENT ON COLUMN searchmill.executions.last_error IS 'The last error in words.';
COMMENT ON COLUMN searchmill.executions.last_error_at IS 'When it happened.';
COMMENT ON COLUMN searchmill.executions.waiting_for IS 'What it waits for when that is not an error, such as a call budget.';
COMMENT ON COLUMN searchmill.executions.objections IS 'What the audit objected to, with figures.';
COMMENT ON COLUMN searchmill.executions.end_reason IS 'Why it failed or was abandoned or discarded.';
COMMENT ON COLUMN searchmill.executions.poll_calls IS 'Poll requests sent.';
COMMENT ON COLUMN searchmill.executions.page_calls IS 'Page requests sent whose page was committed.';
COMMENT ON COLUMN searchmill.executions.wait_ms IS 'Milliseconds its calls waited for the budget.';
COMMENT ON COLUMN searchmill.executions.network_ms IS 'Milliseconds from request to parsed page.';
COMMENT ON COLUMN searchmill.executions.decode_ms IS 'Milliseconds spent decoding.';
COMMENT ON COLUMN searchmill.executions.copy_ms IS 'Milliseconds spent copying to staging, checkpoints included.';
COMMENT ON COLUMN searchmill.executions.publish_ms IS 'Milliseconds spent in audit and publish.';

-- What came of it ---------------------------------------------------------------------------------------------------

CREATE TABLE searchmill.publications (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slice_id       bigint      NOT NULL REFERENCES searchmill.slices,
  execution_id   bigint      NOT NULL UNIQUE REFERENCES searchmill.executions,
  published_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  rows_inserted  bigint      NOT NULL,
  rows_updated   bigint      NOT NULL,
  rows_unchanged bigint      NOT NULL,
  rows_deleted   bigint      NOT NULL
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
  id         text PRIMARY KEY,
  role       text        NOT NULL,
  host       text        NOT NULL,
  pid        integer     NOT NULL,
  version    text        NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE searchmill.instances IS 'Running processes.';
COMMENT ON COLUMN searchmill.instances.id IS 'Identifier, as in lease_owner.';
COMMENT ON COLUMN searchmill.instances.role IS 'all, scheduler or worker.';
COMMENT ON COLUMN searchmill.instances.host IS 'Host name.';
COMMENT ON COLUMN searchmill.instances.pid IS 'Process id.';
COMMENT ON COLUMN searchmill.instances.version IS 'Searchmill''s version.';
COMMENT ON COLUMN searchmill.instances.started_at IS 'When it started.';
COMMENT ON COLUMN searchmill.instances.seen_at IS 'Its last sign of life.';

-- Coverage ----------------------------------------------------------------------------------------------------------

-- Built so that a filter on job reaches every part of it: the coverage of one job reads that job only.
CREATE VIEW searchmill.coverage AS
WITH weeks AS (
  SELECT job, week, bool_or(is_expected) AS is_expected
    FROM (SELECT j.name AS job, w::date AS week, true AS is_expected
            FROM searchmill.jobs j,
                 generate_series(j.since::timestamp, j.expected_through::timestamp, interval '7 days') AS w
           WHERE j.removed_at IS NULL
          UNION ALL
          SELECT s.job, w::date, false
            FROM searchmill.slices s,
                 generate_series(s.window_start::timestamp, s.window_end::timestamp, interval '7 days') AS w) AS known
   GROUP BY job, week
), ranked AS (
  SELECT s.job, w::date AS week, s.id AS slice_id, s.published_at, s.published_rows,
         s.published_filters_digest, l.id AS execution_id, l.state AS execution_state, l.state_since, l.due_at,
         l.total_row_count, l.rows_received, CASE WHEN l.ended_at IS NULL
              THEN nullif(concat_ws('; ', l.waiting_for, CASE WHEN l.errors_in_row > 0 THEN l.last_error END), '')
              ELSE l.end_reason END AS detail,
         row_number() OVER (PARTITION BY s.job, w::date
                            ORDER BY (l.state = 'held') DESC, s.published_at DESC NULLS LAST, (l.ended_at IS NULL) DESC, l.id DESC) AS rank,
         max(s.published_at) OVER (PARTITION BY s.job, w::date) AS any_published_at,
         bool_or(l.state = 'held') OVER (PARTITION BY s.job, w::date) AS any_held,
         bool_or(l.ended_at IS NULL AND l.state <> 'held') OVER (PARTITION BY s.job, w::date) AS any_live,
         bool_or(l.state IN ('failed', 'discarded', 'abandoned')) OVER (PARTITION BY s.job, w::date) AS any_failed
    FROM searchmill.slices s
   CROSS JOIN generate_series(s.window_start::timestamp, s.window_end::timestamp, interval '7 days') AS w
   CROSS JOIN LATERAL (SELECT e.id, e.state, e.state_since, e.due_at, e.ended_at, e.total_row_count, e.rows_received,
                              e.waiting_for, e.errors_in_row, e.last_error, e.end_reason
                         FROM searchmill.executions e WHERE e.slice_id = s.id ORDER BY e.id DESC LIMIT 1) l
)
SELECT w.job,
       w.week,
       CASE WHEN r.any_held THEN 'held'
            WHEN r.any_published_at IS NOT NULL THEN 'published'
            WHEN r.any_live THEN 'running'
            WHEN r.any_failed THEN 'failed'
            ELSE 'missing' END AS state,
       w.is_expected,
       r.any_published_at AS published_at,
       r.published_rows AS slice_rows,
       r.slice_id,
       r.execution_id,
       r.execution_state,
       r.state_since,
       r.due_at,
       r.rows_received,
       r.total_row_count,
       r.published_filters_digest,
       r.detail
  FROM weeks w
  LEFT JOIN ranked r ON r.job = w.job AND r.week = w.week AND r.rank = 1;
COMMENT ON VIEW searchmill.coverage IS 'Job x week: published, running, held, failed or missing, and why. "searchmill status" is this view.';

-- Whose ledger this is ------------------------------------------------------------------------------------------------

CREATE TABLE searchmill.ledger (
  id         uuid        NOT NULL DEFAULT gen_random_uuid(),
  is_only    boolean     PRIMARY KEY DEFAULT true CHECK (is_only),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO searchmill.ledger DEFAULT VALUES;
COMMENT ON TABLE searchmill.ledger IS 'One row: names this ledger, so that two warehouses on one Redis never answer each other''s bells.';
COMMENT ON COLUMN searchmill.ledger.id IS 'Made once; part of the queue''s keys.';
COMMENT ON COLUMN searchmill.ledger.is_only IS 'Keeps it one row.';
COMMENT ON COLUMN searchmill.ledger.created_at IS 'When the ledger was made.';

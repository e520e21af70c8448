-- What should be loaded, and who may ask for it: budgets and their calls, connections, jobs, slices.
-- Guarantees: call slots bound every credential's calls in any sliding 60 seconds.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

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
COMMENT ON COLUMN searchmill.budgets.id IS 'Salted digest of base URL and credential; a changed credential is a new budget.';
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

-- Budgets are named by a salted digest (HMAC-SHA256), so that readers of the ledger cannot test guesses of a credential against it. The
-- salt is for the owner and for those who load.
CREATE TABLE searchmill.budget_salt (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- 32 bytes of 244 random bits, by nothing but what every server has.
  salt    bytea   NOT NULL DEFAULT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) CHECK (length(salt) = 32)
);
COMMENT ON TABLE searchmill.budget_salt IS 'What keeps the names of budgets from telling anything of credentials. One row, never changed. Readers cannot see it.';
COMMENT ON COLUMN searchmill.budget_salt.is_only IS 'True: there is one row.';
COMMENT ON COLUMN searchmill.budget_salt.salt IS 'Key of the digests in budgets.id.';
INSERT INTO searchmill.budget_salt DEFAULT VALUES;

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
  removed_at       timestamptz,
  allow_empty      boolean     NOT NULL DEFAULT false,
  enabled          boolean     NOT NULL DEFAULT true
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
COMMENT ON COLUMN searchmill.jobs.allow_empty IS 'The job says that weeks without rows are right, so that status does not tell of them.';
COMMENT ON COLUMN searchmill.jobs.enabled IS 'False: configured, but not planned.';

CREATE TABLE searchmill.pauses (
  kind      text        NOT NULL CHECK (kind IN ('job', 'connection')),
  name      text        NOT NULL,
  paused_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  reason    text        CHECK (length(reason) <= 200),
  PRIMARY KEY (kind, name)
);
COMMENT ON TABLE searchmill.pauses IS 'Jobs and connections that were paused by hand: nothing is planned, submitted, polled or read for them.';
COMMENT ON COLUMN searchmill.pauses.kind IS 'job or connection.';
COMMENT ON COLUMN searchmill.pauses.name IS 'Name in the configuration.';
COMMENT ON COLUMN searchmill.pauses.paused_at IS 'Since when.';
COMMENT ON COLUMN searchmill.pauses.reason IS 'Why it was paused, as the person wrote; null when nothing.';

CREATE TABLE searchmill.slices (
  id                       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job                      text        NOT NULL REFERENCES searchmill.jobs ON UPDATE CASCADE,
  dataset                  text        NOT NULL,
  account_id               bigint      NOT NULL,
  window_start             date        NOT NULL,
  window_end               date        NOT NULL,
  created_at               timestamptz NOT NULL DEFAULT clock_timestamp(),
  published_execution_id   bigint,
  published_at             timestamptz,
  published_rows           bigint,
  published_week_rows      bigint[],
  published_filters_digest text,
  expired_at               timestamptz,
  displaced_at             timestamptz,
  displaced_reason         text,
  UNIQUE (job, window_start, window_end),
  CHECK (window_end > window_start)
);
CREATE INDEX slices_account ON searchmill.slices (dataset, account_id, window_start);
-- Slices of several weeks are few or none: the index finds them, the statistics tell the planner how few.
CREATE INDEX slices_several_weeks ON searchmill.slices (job) WHERE window_end - window_start > 6;
CREATE STATISTICS searchmill.slices_length ON (window_end - window_start) FROM searchmill.slices;
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
COMMENT ON COLUMN searchmill.slices.published_week_rows IS 'Rows of the publication in each week of the window, the first week first; null for a window of one week (published_rows has them).';
COMMENT ON COLUMN searchmill.slices.published_filters_digest IS 'Filters they were asked with.';
COMMENT ON COLUMN searchmill.slices.expired_at IS 'When its rows were removed by keep_weeks, the last time; null when they never were.';
COMMENT ON COLUMN searchmill.slices.displaced_at IS 'When a load of another job took rows of the slice, which is not published since; null otherwise.';
COMMENT ON COLUMN searchmill.slices.displaced_reason IS 'Which job that was, and how many rows.';

-- Who may read --------------------------------------------------------------------------------------------------------

CREATE TABLE searchmill.account_logins (
  login      name   NOT NULL,
  account_id bigint NOT NULL,
  PRIMARY KEY (login, account_id)
);
COMMENT ON TABLE searchmill.account_logins IS 'Which accounts a login with the role searchmill_account sees. Written by administrators.';
COMMENT ON COLUMN searchmill.account_logins.login IS 'The login role, or one that it sets.';
COMMENT ON COLUMN searchmill.account_logins.account_id IS 'An account that it sees.';

-- Three tables give other rights than those that tables of the ledger have (0001_schemas.sql).
REVOKE ALL ON searchmill.budget_salt FROM PUBLIC;
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_reader') THEN
    REVOKE ALL ON searchmill.budget_salt FROM searchmill_reader;
  END IF;
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    REVOKE INSERT, UPDATE, DELETE ON searchmill.ledger, searchmill.budget_salt, searchmill.account_logins FROM searchmill_writer;
  END IF;
END
$$;

-- Notifications: which problems each target has been told of, and an outbox of messages.
-- Guarantees: a problem and the message about it are written in one transaction. The messages of a target are sent in the order of their
-- numbers, each at least once; they carry their message_id, so that a receiver can tell a repetition. No address and no secret of a
-- target is in here: both stay in the configuration.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE TABLE searchmill.notification_looks (
  id        boolean     PRIMARY KEY DEFAULT true CHECK (id),
  looked_at timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO searchmill.notification_looks DEFAULT VALUES;
COMMENT ON TABLE searchmill.notification_looks IS 'One row. The process that compares problems with those told holds its lock.';
COMMENT ON COLUMN searchmill.notification_looks.id IS 'Always true.';
COMMENT ON COLUMN searchmill.notification_looks.looked_at IS 'When a process last compared.';

CREATE TABLE searchmill.notification_targets (
  name          text        PRIMARY KEY,
  digest_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  events_cursor bigint,
  lease_owner   text,
  lease_until   timestamptz,
  due_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempted_at  timestamptz,
  failures      integer     NOT NULL DEFAULT 0,
  failing_since timestamptz,
  error         text
);
COMMENT ON TABLE searchmill.notification_targets IS 'Where notifications go, and how sending to each goes.';
COMMENT ON COLUMN searchmill.notification_targets.name IS 'Name in jobs.config.yaml.';
COMMENT ON COLUMN searchmill.notification_targets.digest_at IS 'Up to when the last digest told, or when the target was first seen.';
COMMENT ON COLUMN searchmill.notification_targets.events_cursor IS 'Up to which number of searchmill.week_changes it was told of weeks; NULL when it is not told of them.';
COMMENT ON COLUMN searchmill.notification_targets.lease_owner IS 'Process that sends now; NULL when none does.';
COMMENT ON COLUMN searchmill.notification_targets.lease_until IS 'Until when the others leave the target to it.';
COMMENT ON COLUMN searchmill.notification_targets.due_at IS 'Nothing is sent before: after a failure, or as the target asked.';
COMMENT ON COLUMN searchmill.notification_targets.attempted_at IS 'When something was last sent, or tried.';
COMMENT ON COLUMN searchmill.notification_targets.failures IS 'Failures in a row.';
COMMENT ON COLUMN searchmill.notification_targets.failing_since IS 'When the first of them was; NULL when the last attempt went well.';
COMMENT ON COLUMN searchmill.notification_targets.error IS 'What the last of them was.';

CREATE TABLE searchmill.notified_problems (
  target       text        NOT NULL REFERENCES searchmill.notification_targets ON DELETE CASCADE,
  key          text        NOT NULL,
  kind         text        NOT NULL,
  severity     text        NOT NULL,
  job          text,
  connection   text,
  window_start date,
  window_end   date,
  title        text        NOT NULL,
  since        timestamptz,
  seen_at      timestamptz NOT NULL,
  told_at      timestamptz,
  reminded_at  timestamptz,
  gone_at      timestamptz,
  PRIMARY KEY (target, key)
);
COMMENT ON TABLE searchmill.notified_problems IS 'Problems that lasted when they were last looked for, by target.';
COMMENT ON COLUMN searchmill.notified_problems.target IS 'Whom it is for.';
COMMENT ON COLUMN searchmill.notified_problems.key IS 'Key of the problem, the same while it lasts.';
COMMENT ON COLUMN searchmill.notified_problems.kind IS 'Kind of problem.';
COMMENT ON COLUMN searchmill.notified_problems.severity IS 'error or warning.';
COMMENT ON COLUMN searchmill.notified_problems.job IS 'Job it is about; NULL when it is about none.';
COMMENT ON COLUMN searchmill.notified_problems.connection IS 'Connection it is about; NULL when it is about none.';
COMMENT ON COLUMN searchmill.notified_problems.window_start IS 'First day it is about; NULL when it is about none.';
COMMENT ON COLUMN searchmill.notified_problems.window_end IS 'Last day it is about; NULL when it is about none.';
COMMENT ON COLUMN searchmill.notified_problems.title IS 'What it is, in words.';
COMMENT ON COLUMN searchmill.notified_problems.since IS 'When it began; NULL when nobody can tell.';
COMMENT ON COLUMN searchmill.notified_problems.seen_at IS 'When it was first seen.';
COMMENT ON COLUMN searchmill.notified_problems.told_at IS 'When the message about it was written; NULL while it has not lasted long enough.';
COMMENT ON COLUMN searchmill.notified_problems.reminded_at IS 'When the last reminder was written; NULL before.';
COMMENT ON COLUMN searchmill.notified_problems.gone_at IS 'Since when it is not seen any more; NULL while it is.';

CREATE TABLE searchmill.notifications (
  id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  message_id   uuid        NOT NULL DEFAULT gen_random_uuid(),
  target       text        NOT NULL,
  type         text        NOT NULL,
  body         jsonb       NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts     integer     NOT NULL DEFAULT 0,
  attempted_at timestamptz,
  answer       text,
  delivered_at timestamptz,
  given_up_at  timestamptz
);
CREATE INDEX notifications_waiting ON searchmill.notifications (target, id) WHERE delivered_at IS NULL AND given_up_at IS NULL;
COMMENT ON TABLE searchmill.notifications IS 'Messages to targets, kept for 30 days: the outbox.';
COMMENT ON COLUMN searchmill.notifications.id IS 'Number, in the order in which a target gets them.';
COMMENT ON COLUMN searchmill.notifications.message_id IS 'What a receiver knows it by, the same at each attempt.';
COMMENT ON COLUMN searchmill.notifications.target IS 'Whom it is for.';
COMMENT ON COLUMN searchmill.notifications.type IS 'problem.began, problem.lasts, problem.ended, digest, week.published, week.held, week.revised, signals or brief.';
COMMENT ON COLUMN searchmill.notifications.body IS 'What a webhook is sent.';
COMMENT ON COLUMN searchmill.notifications.created_at IS 'When it was written.';
COMMENT ON COLUMN searchmill.notifications.attempts IS 'How often it was sent.';
COMMENT ON COLUMN searchmill.notifications.attempted_at IS 'When it was last sent.';
COMMENT ON COLUMN searchmill.notifications.answer IS 'What came of that.';
COMMENT ON COLUMN searchmill.notifications.delivered_at IS 'When the target took it; NULL before.';
COMMENT ON COLUMN searchmill.notifications.given_up_at IS 'When it was given up: refused several times, or not taken within 7 days.';

-- Signals ---------------------------------------------------------------------------------------------------------------
-- What rules (signals/*.sql) found in the weeks of an account. A rule looks again at a week when what it looked at has changed.

CREATE TABLE searchmill.signal_looks (
  account_id bigint      NOT NULL,
  week       date        NOT NULL CHECK (extract(dow FROM week) = 0),
  rule       text        NOT NULL,
  place      integer     NOT NULL,
  title      text        NOT NULL,
  datasets   text[]      NOT NULL,
  weeks      integer     NOT NULL,
  basis      text        NOT NULL,
  cursor     bigint      NOT NULL,
  silence    text,
  looked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, week, rule)
);
COMMENT ON TABLE searchmill.signal_looks IS 'The last look of each rule at each week of an account.';
COMMENT ON COLUMN searchmill.signal_looks.rule IS 'Rule: the name of its file.';
COMMENT ON COLUMN searchmill.signal_looks.place IS 'Its place among the rules.';
COMMENT ON COLUMN searchmill.signal_looks.title IS 'What it is called.';
COMMENT ON COLUMN searchmill.signal_looks.datasets IS 'Datasets it looks at.';
COMMENT ON COLUMN searchmill.signal_looks.weeks IS 'How many weeks it looks at; week is the newest of them.';
COMMENT ON COLUMN searchmill.signal_looks.basis IS 'A digest of all that it follows from: the rule, its thresholds, and the state of the weeks it compares. Another digest means another look.';
COMMENT ON COLUMN searchmill.signal_looks.cursor IS 'The last change of these weeks that it saw, as in searchmill.week_changes.';
COMMENT ON COLUMN searchmill.signal_looks.silence IS 'Why nothing can be said of the week; NULL when something can.';
COMMENT ON COLUMN searchmill.signal_looks.looked_at IS 'When it looked.';

CREATE TABLE searchmill.signals (
  id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id    bigint      NOT NULL,
  week          date        NOT NULL,
  rule          text        NOT NULL,
  subject       text        NOT NULL,
  text          text        NOT NULL,
  weight        numeric     NOT NULL,
  about         jsonb       NOT NULL,
  found_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  taken_back_at timestamptz,
  UNIQUE (account_id, week, rule, subject)
);
COMMENT ON TABLE searchmill.signals IS 'What rules found in the weeks of an account. Query search_reports.signals: it leaves out what is taken back, and weeks that nothing can be said of.';
COMMENT ON COLUMN searchmill.signals.id IS 'Number of the signal.';
COMMENT ON COLUMN searchmill.signals.rule IS 'Rule that found it.';
COMMENT ON COLUMN searchmill.signals.subject IS 'What it is about, the same when the rule looks again.';
COMMENT ON COLUMN searchmill.signals.text IS 'What it says. Of third parties: escape it.';
COMMENT ON COLUMN searchmill.signals.weight IS 'What was found, as a multiple of the threshold of its rule.';
COMMENT ON COLUMN searchmill.signals.about IS 'What it is about, by columns: query, site, url, topic, assistant.';
COMMENT ON COLUMN searchmill.signals.found_at IS 'When it was found.';
COMMENT ON COLUMN searchmill.signals.taken_back_at IS 'When a look found it no longer, since rows were revised or a threshold changed; NULL while it holds.';

CREATE TABLE searchmill.told_signals (
  target             text        NOT NULL REFERENCES searchmill.notification_targets ON DELETE CASCADE,
  signal_id          bigint      NOT NULL REFERENCES searchmill.signals ON DELETE CASCADE,
  told_at            timestamptz NOT NULL DEFAULT clock_timestamp(),
  taken_back_told_at timestamptz,
  PRIMARY KEY (target, signal_id)
);
CREATE INDEX told_signals_of_signal ON searchmill.told_signals (signal_id);
COMMENT ON TABLE searchmill.told_signals IS 'Signals that targets were told of; they go with the signals.';
COMMENT ON COLUMN searchmill.told_signals.target IS 'Who was told.';
COMMENT ON COLUMN searchmill.told_signals.signal_id IS 'Of which signal.';
COMMENT ON COLUMN searchmill.told_signals.told_at IS 'When the message was written.';
COMMENT ON COLUMN searchmill.told_signals.taken_back_told_at IS 'When the message was written that it is taken back; NULL before.';

CREATE TABLE searchmill.told_accounts (
  target     text        NOT NULL REFERENCES searchmill.notification_targets ON DELETE CASCADE,
  account_id bigint      NOT NULL,
  begun_at   timestamptz,
  brief_at   timestamptz,
  PRIMARY KEY (target, account_id)
);
COMMENT ON TABLE searchmill.told_accounts IS 'Since when targets are told of each account, and when they last got its brief.';
COMMENT ON COLUMN searchmill.told_accounts.target IS 'Who is told.';
COMMENT ON COLUMN searchmill.told_accounts.begun_at IS 'When all that was wanted of the account was first there: signals of earlier weeks that are found later are told, too. NULL before.';
COMMENT ON COLUMN searchmill.told_accounts.brief_at IS 'When the last brief was written, or when the target was first to get one; NULL where it gets none.';

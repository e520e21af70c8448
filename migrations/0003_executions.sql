-- What has been asked, how far each load is, and why something waits.
-- Guarantees: a slice has at most one live execution; a checkpoint (cursor) is only ever written by the holder of the
-- current lease token.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

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
  max_rejected_rows   integer     NOT NULL DEFAULT 0,
  min_keep_share      double precision NOT NULL,
  max_wait            interval    NOT NULL,
  max_submits         integer     NOT NULL,
  may_shrink          boolean     NOT NULL DEFAULT false,

  state               text        NOT NULL DEFAULT 'planned' CHECK (state IN
                        ('planned', 'submitting', 'in_progress', 'loading', 'staged', 'held',
                         'published', 'failed', 'abandoned', 'discarded', 'cancelled')),
  state_since         timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at              timestamptz DEFAULT clock_timestamp(),
  steps               integer     NOT NULL DEFAULT 0,
  lease_token         bigint      NOT NULL DEFAULT 0,
  lease_owner         text,
  lease_until         timestamptz,
  lease_takings       integer     NOT NULL DEFAULT 0,
  deaths_in_row       integer     NOT NULL DEFAULT 0,
  at_work_since       timestamptz,

  remote_execution_id text,
  remote_request_id   text,
  expires_at          timestamptz,
  next_cursor         text,
  cursor_anchor       text,
  row_schema          jsonb,
  pages               integer     NOT NULL DEFAULT 0,
  last_rows_page      integer     NOT NULL DEFAULT 0,
  rows_received       bigint      NOT NULL DEFAULT 0,
  rows_staged         bigint      NOT NULL DEFAULT 0,
  rows_quarantined    bigint      NOT NULL DEFAULT 0,
  bytes_received      bigint      NOT NULL DEFAULT 0,
  total_row_count     bigint,

  planned_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  submit_started_at   timestamptz,
  submitted_at        timestamptz,
  submit_outcome      text CHECK (submit_outcome IN ('accepted', 'refused', 'unreadable', 'unanswered', 'lost')),
  load_started_at     timestamptz,
  progress_at         timestamptz,
  staged_at           timestamptz,
  held_at             timestamptz,
  approved_at         timestamptz,
  ended_at            timestamptz,

  errors_in_row       integer     NOT NULL DEFAULT 0,
  retrying_since      timestamptz,
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

  CHECK ((ended_at IS NOT NULL) = (state IN ('published', 'failed', 'abandoned', 'discarded', 'cancelled'))),
  CHECK (ended_at IS NOT NULL OR state = 'held' OR due_at IS NOT NULL),
  CHECK (state NOT IN ('in_progress', 'loading', 'staged', 'held') OR remote_execution_id IS NOT NULL)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX executions_live ON searchmill.executions (slice_id) WHERE ended_at IS NULL;
CREATE INDEX executions_due ON searchmill.executions (due_at) WHERE ended_at IS NULL;
CREATE INDEX executions_slice ON searchmill.executions (slice_id, id);
CREATE INDEX executions_held ON searchmill.executions (slice_id, id) WHERE held_at IS NOT NULL;
-- Finds the weeks that were tried again after they were published: few or none.
CREATE INDEX executions_unpublished ON searchmill.executions (slice_id, id) WHERE state <> 'published';
-- Finds submits whose outcome was never known.
CREATE INDEX executions_unknown ON searchmill.executions (submit_started_at) WHERE submitted_at IS NULL AND submit_started_at IS NOT NULL;
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
COMMENT ON COLUMN searchmill.executions.max_rejected_rows IS 'So many quarantined rows are published without, whatever their share, while they are fewer than half.';
COMMENT ON COLUMN searchmill.executions.min_keep_share IS 'Smallest share of the previously published rows a new load must have.';
COMMENT ON COLUMN searchmill.executions.max_wait IS 'How long the query may stay in progress before a new one is submitted.';
COMMENT ON COLUMN searchmill.executions.max_submits IS 'Most submits spent on the slice in 24 hours.';
COMMENT ON COLUMN searchmill.executions.may_shrink IS 'The person who planned it has approved that its weeks have fewer rows than are published (backfill --approve); a week without rows is held all the same.';
COMMENT ON COLUMN searchmill.executions.state IS 'planned, submitting, in_progress, loading, staged, held; ended: published, failed, abandoned, discarded, cancelled.';
COMMENT ON COLUMN searchmill.executions.state_since IS 'When the state was entered.';
COMMENT ON COLUMN searchmill.executions.due_at IS 'When its next step is due; null only when held or ended.';
COMMENT ON COLUMN searchmill.executions.steps IS 'Steps scheduled so far; names the queue message.';
COMMENT ON COLUMN searchmill.executions.lease_token IS 'Fence: counts the takings of the lease; writes by an older token are refused.';
COMMENT ON COLUMN searchmill.executions.lease_owner IS 'Process that holds the lease.';
COMMENT ON COLUMN searchmill.executions.lease_until IS 'When the lease may be taken by another.';
COMMENT ON COLUMN searchmill.executions.lease_takings IS 'Times its lease ran out, since its process died or hung, and was taken by another.';
COMMENT ON COLUMN searchmill.executions.deaths_in_row IS 'Those of them since its last progress (an answered poll, a page) that count against it: the first, and then those during at_work_since. More than 3 end it; more than 10 hold it when it is staged.';
COMMENT ON COLUMN searchmill.executions.at_work_since IS 'Since when its process works on an answer for it, or publishes it, and on nothing else that is under suspicion. Only kept while deaths_in_row is not 0.';
COMMENT ON COLUMN searchmill.executions.remote_execution_id IS 'The service''s executionId.';
COMMENT ON COLUMN searchmill.executions.remote_request_id IS 'The service''s requestId of the submit, for its support.';
COMMENT ON COLUMN searchmill.executions.expires_at IS 'When the executionId stops being valid (7 days after the submit began).';
COMMENT ON COLUMN searchmill.executions.next_cursor IS 'nextPageId of the next page; null before the first page and after the last.';
COMMENT ON COLUMN searchmill.executions.cursor_anchor IS 'Digest of the cursor behind the last page whose number is a power of two. A later cursor that equals it leads in a circle.';
COMMENT ON COLUMN searchmill.executions.row_schema IS 'Names and types of the columns of its rows, from the last page that had a schema; holds for pages without one. NULL before the first.';
COMMENT ON COLUMN searchmill.executions.pages IS 'Pages committed to staging.';
COMMENT ON COLUMN searchmill.executions.last_rows_page IS 'The last page that brought rows, or the last one committed with it.';
COMMENT ON COLUMN searchmill.executions.rows_received IS 'Rows in those pages.';
COMMENT ON COLUMN searchmill.executions.rows_staged IS 'Rows of those that were decoded and staged.';
COMMENT ON COLUMN searchmill.executions.rows_quarantined IS 'Rows of those that were not decoded.';
COMMENT ON COLUMN searchmill.executions.bytes_received IS 'Decompressed size of those pages.';
COMMENT ON COLUMN searchmill.executions.total_row_count IS 'Rows the service said there are, where it said so.';
COMMENT ON COLUMN searchmill.executions.planned_at IS 'When it was planned.';
COMMENT ON COLUMN searchmill.executions.submit_started_at IS 'When the intent to submit was written, just before the POST.';
COMMENT ON COLUMN searchmill.executions.submitted_at IS 'When an answer by which the submit is spent was written down: accepted or unreadable.';
COMMENT ON COLUMN searchmill.executions.submit_outcome IS 'What came of its submit: accepted, refused (4xx), unreadable (answered, and nothing can be read of it), unanswered, or lost (its process ended before the answer). NULL: not sent, on its way, or taken back meanwhile.';
COMMENT ON COLUMN searchmill.executions.load_started_at IS 'When the first page was committed.';
COMMENT ON COLUMN searchmill.executions.progress_at IS 'When pages were last committed or a poll was last answered; NULL before. A change of state is progress, too, see state_since.';
COMMENT ON COLUMN searchmill.executions.staged_at IS 'When the last page was committed.';
COMMENT ON COLUMN searchmill.executions.held_at IS 'When the audit objected.';
COMMENT ON COLUMN searchmill.executions.approved_at IS 'When somebody approved it in spite of the audit.';
COMMENT ON COLUMN searchmill.executions.ended_at IS 'When it was published, failed, abandoned or discarded.';
COMMENT ON COLUMN searchmill.executions.errors_in_row IS 'Failed steps since the last good one; the wait grows with it.';
COMMENT ON COLUMN searchmill.executions.retrying_since IS 'Since when its steps fail one after another, whatever the cause; NULL after any progress.';
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

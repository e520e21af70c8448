// Each kind of problem is brought about, is told, and ends by each step that docs/operations.md names: by the real function, or as a person types it.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { HOUR, MINUTE, SECOND } from '../../../src/core/clock.ts';
import { Secret } from '../../../src/core/secret.ts';
import { aiSearchBrands } from '../../../src/datasets/ai-search-brands.ts';
import { createCallLog } from '../../../src/ledger/call-log.ts';
import { type Execution, startSubmit } from '../../../src/ledger/executions.ts';
import { type Ailments, removeInstance, reportInstance } from '../../../src/ledger/instances.ts';
import { markRemovedJobs, recordJob } from '../../../src/ledger/jobs.ts';
import { addMessage, findNextMessage, noteDelivered, registerTargets } from '../../../src/ledger/notifications.ts';
import { pause } from '../../../src/ledger/pauses.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import { ACKNOWLEDGEABLE } from '../../../src/problems/acknowledged.ts';
import { findProblems } from '../../../src/problems/find-problems.ts';
import { PROBLEM_ENDS, type ProblemKind } from '../../../src/problems/kinds.ts';
import { findNotices } from '../../../src/problems/notices.ts';
import { RELOADING } from '../../../src/problems/processes.ts';
import { readStatus } from '../../../src/problems/read-status.ts';
import type { Problem } from '../../../src/problems/status.ts';
import { commitPages } from '../../../src/publishing/checkpoint.ts';
import { adoptSetting, aliasesOf } from '../../../src/reports/account-settings.ts';
import { verifyDue } from '../../../src/tables/verification-rounds.ts';
import { runCli } from '../../support/command-line.ts';
import { createTestPool } from '../../support/database-access.ts';
import { jobOf, LEASE, WEEK } from '../../support/ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { claim, loadWindow, planWindow, publish, stageWindow, submitWindow } from '../../support/window-steps.ts';
import { decodedPages, wireRow } from '../../support/wire-rows.ts';

let database: TestDatabase;
let pool: Pool;
let job: Job;
/** The load of the job. */
let load: Execution;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createTestPool(new Secret(database.url), 10);
  job = jobOf({ since: WEEK.start });
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

const told = async (kind: ProblemKind, afterMs = 0): Promise<Problem[]> => {
  const [status, now] = [await readStatus(pool), new Date(Date.now() + afterMs)];
  return [...findProblems(status, now), ...findNotices(status, now)].filter((problem) => problem.kind === kind);
};
const cli = async (line: string): Promise<void> => {
  const { code, err } = await runCli(line.split(' '), { env: { DATABASE_URL: database.url } });
  expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
};

const row = (query: string, of = job): unknown[] => wireRow(of, { query });
const rows = (...queries: string[]): unknown[] => queries.map((query) => row(query));
const publishRows = (of = job) => loadWindow(pool, of, [row('a', of)]);
const record = (changes: Partial<Job> = {}, through: string | undefined = undefined) => recordJob(pool, { ...job, ...changes }, through);
const setLoad = (words: string) => pool.query(`UPDATE searchmill.executions SET ${words} WHERE ended_at IS NULL`);
const run = async (words: string) => {
  load = await submitWindow(pool, job);
  await setLoad(words);
};
const plan = async (words: string) => {
  await planWindow(pool, job);
  await setLoad(words);
};
const hold = async () => {
  load = await stageWindow(pool, job, [rows('a')]);
  await setLoad(
    `state = 'held', held_at = now(), due_at = NULL, lease_until = NULL, objections = '[{"rule": "min_keep", "message": "fewer rows"}]'`,
  );
};
const fail = () => plan(`state = 'failed', ended_at = now(), due_at = NULL, end_reason = 'HTTP 500'`);
const goesOn = async () => {
  for (const page of decodedPages(job.dataset, [rows('a')])) await commitPages(pool, job.dataset, load, { ...LEASE, pages: [page] });
  await publish(pool, job, load);
};
const REPORT = { id: 'p', role: 'all', host: 'host', pid: 1, version: '1', jobs: null };
const reports = (ailments: Partial<Ailments> = {}) => reportInstance(pool, REPORT, ailments);
const ends = () => removeInstance(pool, REPORT.id);
const round = (name: string) => [
  { name, what: 'planning failed', why: 'no reason', since: new Date(Date.now() - 20 * MINUTE).toISOString() },
];
const connect = async () => {
  await record();
  await pool.query(`INSERT INTO searchmill.budgets (id) VALUES ('main')`);
  await pool.query(`INSERT INTO searchmill.connections (name, base_url, auth_kind, budget_id, submits_per_minute, reads_per_minute)
                    VALUES ('main', 'https://api.example', 'token', 'main', 5, 1000)`);
};
const log = () => createCallLog(pool, 'main');
const cancel = () => cli(`cancel ${job.name}`);
const acknowledge = (kind: ProblemKind) => () => cli(`acknowledge ${kind} ${job.name}`);
const compare = () => verifyDue(pool, new AbortController().signal, { ageMs: 0, newestAgeMs: 0 });
const spell = (dataset: string, spelling: string, week = WEEK.start) =>
  pool.query(
    `INSERT INTO search_stored.ai_spellings (account_id, week, dataset, kind, spelling, row_count, met_rows) VALUES ($1, $2, $3, 'engine', $4, 1, 0)`,
    [job.accountId, week, dataset, spelling],
  );

/** Words of the end in the documentation, and what a person or a process does. `after`: it only takes time. */
type End = Readonly<{ says: string } & ({ does: () => Promise<unknown> } | { after: number })>;

const PROBLEMS: Readonly<Record<ProblemKind, Readonly<{ begin: () => Promise<unknown>; ends: readonly End[] }>>> = {
  'no-process': { begin: () => plan(`due_at = now() - interval '5 minutes'`), ends: [{ says: 'a process runs', does: reports }] },
  'credential-refused': {
    begin: () => connect().then(() => log().reportUnauthorized()),
    ends: [{ says: 'a probe is accepted', does: () => log().reportAccepted() }],
  },
  'rate-limited': {
    begin: () => connect().then(() => log().reportRateLimited(30 * SECOND)),
    ends: [{ says: 'is over', after: 10 * MINUTE }],
  },
  'spent-elsewhere': {
    begin: () =>
      connect().then(() =>
        pool.query(`UPDATE searchmill.budgets SET elsewhere_since = now(), elsewhere_at = now(), elsewhere_times = 2, elsewhere_kind = 'submit',
                           elsewhere_used = 1, elsewhere_of = 5`),
      ),
    ends: [{ says: 'an hour without another', after: HOUR + MINUTE }],
  },
  held: {
    begin: hold,
    ends: [
      { says: '`approve`', does: () => cli(`approve ${job.name}`) },
      { says: '`discard`', does: () => cli(`discard ${job.name}`) },
    ],
  },
  failed: {
    begin: fail,
    ends: [
      { says: 'the week is published', does: publishRows },
      { says: '`acknowledge failed`', does: acknowledge('failed') },
    ],
  },
  discarded: {
    begin: () => hold().then(() => cli(`discard ${job.name}`)),
    ends: [
      { says: 'the week is published', does: publishRows },
      { says: '`acknowledge discarded`', does: acknowledge('discarded') },
    ],
  },
  'reload-failed': {
    begin: () => publishRows().then(fail),
    ends: [
      { says: 'a load succeeds', does: publishRows },
      { says: '`acknowledge reload-failed`', does: acknowledge('reload-failed') },
    ],
  },
  'rows-differ': {
    begin: async () => {
      await loadWindow(pool, job, rows('a', 'b', 'c'));
      await pool.query(`DELETE FROM search.keyword_rankings WHERE query = 'a'`);
      await compare();
    },
    ends: [
      { says: 'the week is loaded again', does: () => loadWindow(pool, job, rows('a', 'b', 'c')) },
      { says: '`acknowledge rows-differ`', does: acknowledge('rows-differ') },
    ],
  },
  'rows-left': {
    begin: async () => {
      await loadWindow(pool, job, rows('b'));
      await record({ isEnabled: false });
      await publishRows(jobOf({ accountId: job.accountId, filtersDigest: 'other' }));
    },
    ends: [
      { says: 'the job is loaded again', does: () => record() },
      { says: '`forget <job>`', does: () => cli(`forget ${job.name} --yes`) },
      { says: '`acknowledge rows-left`', does: acknowledge('rows-left') },
    ],
  },
  failing: {
    begin: () => run(`errors_in_row = 3, last_error = 'HTTP 500', last_error_code = 'service_unavailable', last_error_at = now()`),
    ends: [
      { says: 'the load goes on', does: goesOn },
      { says: '`cancel`', does: cancel },
    ],
  },
  'asked-anew': {
    begin: async () => {
      await run(`state = 'abandoned', submitted_at = now(), ended_at = now(), due_at = NULL, end_reason = 'expired'`);
      load = await submitWindow(pool, job);
    },
    ends: [
      { says: 'the new query is loaded', does: goesOn },
      { says: '`cancel`', does: cancel },
    ],
  },
  'process-died': {
    begin: () => run('deaths_in_row = 1, lease_takings = 1'),
    ends: [
      { says: 'the load goes on', does: goesOn },
      { says: '`cancel`', does: cancel },
    ],
  },
  'not-configured': {
    begin: () => run(`waiting_for = 'a process configured with connection main'`),
    ends: [
      { says: 'a process has the connection', does: goesOn },
      { says: '`cancel`', does: cancel },
    ],
  },
  'not-taken': {
    begin: async () => {
      await reports();
      await run(`due_at = now() - interval '10 minutes', lease_until = NULL, lease_owner = NULL`);
    },
    ends: [
      { says: 'a worker runs', does: () => claim(pool, load.id) },
      { says: '`cancel`', does: cancel },
    ],
  },
  'not-submitted': {
    begin: async () => {
      await connect();
      await reports();
      await plan(`due_at = now() - interval '10 minutes'`);
    },
    ends: [
      { says: 'the submit is sent', does: async () => startSubmit(pool, await claim(pool, 1)) },
      { says: '`cancel`', does: cancel },
    ],
  },
  'standing-still': {
    begin: () => run(`state_since = now() - interval '10 minutes', progress_at = NULL`),
    ends: [
      { says: 'the load goes on', does: goesOn },
      { says: '`cancel`', does: cancel },
    ],
  },
  'unknown-submits': {
    begin: () =>
      plan(
        `state = 'abandoned', submit_started_at = now(), submit_outcome = 'unanswered', ended_at = now(), due_at = NULL, end_reason = 'time-out'`,
      ),
    ends: [{ says: '`acknowledge unknown-submits`', does: acknowledge('unknown-submits') }],
  },
  'queue-error': {
    begin: async () => {
      await reports({ queueError: 'Redis does not answer' });
      await pool.query(`UPDATE searchmill.instances SET queue_error_since = now() - interval '5 minutes'`);
    },
    ends: [
      { says: 'the queue answers', does: reports },
      { says: 'the process ends', does: ends },
    ],
  },
  'clock-wrong': {
    begin: () => reports().then(() => pool.query('UPDATE searchmill.instances SET clock_ahead_s = 600')),
    ends: [
      { says: 'the clocks agree', does: reports },
      { says: 'the process ends', does: ends },
    ],
  },
  'rounds-failing': {
    begin: () => reports({ failingRounds: round('planning') }),
    ends: [
      { says: 'the round succeeds', does: reports },
      { says: 'the process ends', does: ends },
    ],
  },
  'reload-refused': {
    begin: () => reports({ failingRounds: round(RELOADING) }),
    ends: [
      { says: 'a reload succeeds', does: reports },
      { says: 'the process is restarted', does: ends },
    ],
  },
  missing: {
    begin: () => record({}, WEEK.start),
    ends: [
      { says: 'a scheduler plans them', does: () => planWindow(pool, job) },
      { says: 'a later `since`', does: () => record({ since: '2026-11-15' }) },
    ],
  },
  cancelled: {
    begin: async () => {
      await record({}, WEEK.start);
      await planWindow(pool, job);
      await cancel();
    },
    ends: [
      { says: 'plans them', does: () => planWindow(pool, job) },
      { says: '`acknowledge cancelled`', does: acknowledge('cancelled') },
    ],
  },
  'summaries-failing': {
    begin: async () => {
      await publishRows();
      await pool.query(`UPDATE searchmill.stale_weeks SET is_live = false, failures = 3, failed_at = now(), error = 'out of memory'`);
    },
    ends: [{ says: '`reports rebuild` succeeds', does: () => cli('reports rebuild') }],
  },
  'spellings-apart': {
    begin: async () => {
      await record({ dataset: aiSearchBrands });
      await spell('ai_search_response', 'chatgptsearch');
      await spell('ai_search_brands', 'chatgpt');
    },
    ends: [
      {
        says: 'a line of `aliases`',
        does: () =>
          adoptSetting(pool, String(job.accountId), aliasesOf([{ kind: 'engine', spelling: 'chatgptsearch', meaning: 'chatgpt' }])),
      },
      { says: '`acknowledge spellings-apart`', does: () => cli('acknowledge spellings-apart') },
    ],
  },
  'notifications-failing': {
    begin: async () => {
      await registerTargets(pool, [{ name: 'ops', hasEvents: false }]);
      const client = await pool.connect();
      await addMessage(client, 'ops', { type: 'test' });
      client.release();
      await pool.query(
        `UPDATE searchmill.notification_targets SET failures = 9, failing_since = now(), attempted_at = now(), error = 'HTTP 500'`,
      );
    },
    ends: [
      {
        says: 'the target accepts a message',
        does: async () => noteDelivered(pool, 'ops', (await findNextMessage(pool, 'ops'))?.id ?? '', '200'),
      },
    ],
  },
  paused: {
    begin: async () => {
      await record();
      await pause(pool, 'job', job.name);
    },
    ends: [{ says: '`resume`', does: () => cli(`resume ${job.name} --job`) }],
  },
  disabled: {
    begin: () => record({ isEnabled: false }),
    ends: [
      { says: '`enabled: true`', does: () => record() },
      { says: 'the job is removed', does: () => markRemovedJobs(pool, [], 'test') },
    ],
  },
  'other-filters': {
    begin: async () => {
      await publishRows();
      await record({ filtersDigest: 'other' });
    },
    ends: [
      { says: '`backfill --stale`', does: () => publishRows({ ...job, filtersDigest: 'other' }) },
      { says: 'the former filters', does: () => record() },
      { says: '`acknowledge other-filters`', does: acknowledge('other-filters') },
    ],
  },
  'empty-weeks': {
    begin: () => loadWindow(pool, job, []),
    ends: [
      { says: 'the weeks are loaded with rows', does: publishRows },
      { says: '`allow_empty: true`', does: () => record({ allowEmpty: true }) },
    ],
  },
  quarantine: {
    begin: async () => {
      await publishRows();
      await pool.query(
        `INSERT INTO searchmill.quarantined_rows (execution_id, page, position, reason, schema_names, raw)
         SELECT id, 1, 2, 'x', $1, $2 FROM searchmill.executions`,
        [job.dataset.columns.map(({ name }) => name), JSON.stringify(row('b'))],
      );
      await pool.query('UPDATE searchmill.executions SET rows_received = 2, rows_quarantined = 1');
    },
    ends: [
      {
        says: '`quarantine replay`',
        does: async () => cli(`quarantine replay ${(await pool.query('SELECT id FROM searchmill.executions')).rows[0].id}`),
      },
      { says: 'a load without such rows', does: publishRows },
      { says: '`acknowledge quarantine`', does: acknowledge('quarantine') },
    ],
  },
  drift: {
    begin: async () => {
      await publishRows();
      await pool.query(`INSERT INTO searchmill.drift_events (execution_id, kind, column_name, page, detail)
                        SELECT id, 'new_column', 'mood', 1, 'new column mood' FROM searchmill.executions`);
    },
    ends: [
      { says: 'the columns are expected again', does: publishRows },
      { says: '`acknowledge drift`', does: () => cli('acknowledge drift') },
    ],
  },
};

for (const [kind, { begin, ends }] of Object.entries(PROBLEMS) as [ProblemKind, (typeof PROBLEMS)[ProblemKind]][])
  for (const end of ends)
    it(`${kind} is told, and ends: ${end.says}`, async () => {
      expect(PROBLEM_ENDS[kind]).toContain(end.says);
      await begin();
      expect(await told(kind)).not.toEqual([]);
      if ('does' in end) await end.does();
      expect(await told(kind, 'after' in end ? end.after : 0)).toEqual([]);
    });

it.each(ACKNOWLEDGEABLE)('the end of %s by acknowledge is among those tried', (kind) => {
  expect(PROBLEMS[kind].ends.map(({ says }) => says)).toContain(`\`acknowledge ${kind}\``);
});

it('what is acknowledged is told again when rows, filters or spellings come to differ anew', async () => {
  await PROBLEMS['rows-differ'].begin();
  await acknowledge('rows-differ')();
  await compare();
  expect(await told('rows-differ')).toEqual([]);
  await pool.query(`DELETE FROM search.keyword_rankings WHERE query = 'b'`);
  await compare();
  expect(await told('rows-differ')).toHaveLength(1);

  await record({ filtersDigest: 'other' });
  await acknowledge('other-filters')();
  await record({ filtersDigest: 'other' });
  expect(await told('other-filters')).toEqual([]);
  await record({ filtersDigest: 'third' });
  expect(await told('other-filters')).toHaveLength(1);
});

it('spellings that were acknowledged stay so while weeks are added, and others are told', async () => {
  await PROBLEMS['spellings-apart'].begin();
  await cli('acknowledge spellings-apart');
  const later = new Date(Date.now() + 8 * 24 * HOUR).toISOString();
  const [sunday] = (await pool.query('SELECT search_reports.week_of($1::date)::text AS week', [later])).rows;
  await spell('ai_search_response', 'chatgptsearch', sunday.week);
  await spell('ai_search_brands', 'chatgpt', sunday.week);
  expect(await told('spellings-apart')).toEqual([]);
  await spell('ai_search_response', 'Google AI Mode', sunday.week);
  await spell('ai_search_brands', 'aim', sunday.week);
  expect(await told('spellings-apart')).toHaveLength(1);
});

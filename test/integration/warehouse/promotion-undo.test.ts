// searchmill promote --undo, and processes of promote that are killed: a column comes and goes while loads run, and no value is lost.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { Secret } from '../../../src/core/secret.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { readDrift } from '../../../src/ledger/coverage.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { makeColumn, PROMOTED_TYPES } from '../../../src/tables/promotions.ts';
import { verifyTables } from '../../../src/tables/verification.ts';
import { runCli } from '../../support/command-line.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { ensureBuilt, killPrograms, startProgram } from '../../support/program.ts';
import { loadWith, stageWith } from '../../support/promoted-rows.ts';
import { waitForLock } from '../../support/session.ts';
import { publish } from '../../support/window-steps.ts';

// Values that are put into _extra are other ones than those that were published.
const ledger = useLedger({ keepsInvariants: false });
/** Triggers are turned off, and locks are seen, on the server of the session, where a cluster has no rows. */
const isCluster = inject('servers').citusWorkers.length > 0;
const TABLE = 'search.keyword_rankings';
beforeAll(ensureBuilt);
afterAll(killPrograms);

async function read(text: string, values: unknown[] = []): Promise<unknown[]> {
  return (await ledger.pool.query(text, values)).rows.map((row: object) => Object.values(row)[0]);
}

const columnsNamed = (column: string): Promise<unknown[]> =>
  read(
    `SELECT attrelid::regclass::text FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
      WHERE attname = $1 AND NOT attisdropped AND c.relnamespace = 'search'::regnamespace ORDER BY 1`,
    [column],
  );
const valuesOf = (job: Job, expression: string): Promise<unknown[]> =>
  read(`SELECT ${expression} AS value FROM ${TABLE} WHERE account_id = $1 ORDER BY time_period_start, query`, [job.accountId]);
const triggers = (): Promise<unknown[]> =>
  read(`SELECT DISTINCT tgname FROM pg_trigger WHERE tgname = 'searchmill_promoted' AND tgrelid = '${TABLE}'::regclass`);

/** Runs promote, which must end well. */
async function promote(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await runCli(['promote', 'keyword_rankings', ...args, '--json'], { env: { DATABASE_URL: ledger.url } });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Record<string, unknown>;
}
async function refusal(...args: string[]): Promise<string> {
  const { code, err } = await runCli(['promote', 'keyword_rankings', ...args], { env: { DATABASE_URL: ledger.url } });
  expect(code).toBe(2);
  return err;
}

async function expectAsPublished(job: Job): Promise<void> {
  const { differences } = await verifyTables(
    ledger.pool,
    { job: job.name },
    { isDeep: true, signal: new AbortController().signal, onPlace: () => undefined },
  );
  expect(differences).toEqual([]);
}

/** Makes the trigger of promoted columns do nothing for the rows that `work` writes, as a restore of a dump or a replication does. */
async function withoutTriggers(statement: string, values: unknown[]): Promise<void> {
  const client = await ledger.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(statement, values);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

let last = 0;
function begin(): { job: Job; column: string } {
  last += 1;
  return { job: jobOf(), column: `humour_${last}` };
}

describe('a promotion that is taken back', () => {
  it('leaves everything as it was before: _extra, drift, the view, no trigger; loads go on, and it can be promoted again as another type', async () => {
    const { job, column } = begin();
    const rows = ['a', 'b'].map((query, at) => ({ query, extra: { [column]: `${at + 1}` } }));
    await loadWith(ledger.pool, job, rows);
    const before = { extra: await valuesOf(job, '_extra'), view: await read(`SELECT pg_get_viewdef('${TABLE}_arrays'::regclass)`) };
    await promote(column, '--type', 'bigint');
    expect(await columnsNamed(column)).toEqual([TABLE, `${TABLE}_arrays`]);
    expect(await triggers()).toHaveLength(1);
    expect(await promote(column, '--undo', '--dry-run')).toMatchObject({ isTrial: true, rows: 0 });
    expect(await columnsNamed(column)).toHaveLength(2);
    expect(await promote(column, '--undo')).toMatchObject({ column, rows: 0 });
    expect(await columnsNamed(column)).toEqual([]);
    expect(await triggers()).toEqual([]);
    expect({ extra: await valuesOf(job, '_extra'), view: await read(`SELECT pg_get_viewdef('${TABLE}_arrays'::regclass)`) }).toEqual(
      before,
    );
    expect(await readDrift(ledger.pool, job.name)).toHaveLength(1);
    expect(await loadWith(ledger.pool, job, rows)).toMatchObject({ updated: 0, unchanged: 2 });
    await expectAsPublished(job);
    await promote(column, '--type', 'text');
    expect(await valuesOf(job, column)).toEqual(['1', '2']);
    await promote(column, '--undo');
  });

  it('leaves other promoted columns, their trigger, and rights and comments of the view', async () => {
    const { job, column } = begin();
    const other = `${column}_other`;
    await loadWith(ledger.pool, job, [{ query: 'a', extra: { [column]: 'x', [other]: '7' } }]);
    await promote(column);
    await promote(other, '--type', 'bigint');
    const about = () =>
      read(
        `SELECT jsonb_build_array(obj_description(c.oid), (SELECT array_agg(g::text ORDER BY g::text) FROM unnest(relacl) g), reloptions,
                (SELECT array_agg(col_description(c.oid, attnum) ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attname <> $1)) AS about
           FROM pg_class c WHERE oid = '${TABLE}_arrays'::regclass`,
        [column],
      );
    const before = await about();
    await promote(column, '--undo');
    expect(await about()).toEqual(before);
    await loadWith(ledger.pool, job, [{ query: 'b', extra: { [column]: 'y', [other]: '8' } }], addDays(WEEK.start, 7));
    expect(await valuesOf(job, other)).toEqual(['7', '8'].map(Number));
    // Definitions that are applied anew keep the column.
    await ledger.pool.query('DELETE FROM searchmill.schema_digests');
    await migrate(new Secret(ledger.url));
    expect(await columnsNamed(other)).toEqual([TABLE, `${TABLE}_arrays`]);
    await promote(other, '--undo');
  });

  it.skipIf(isCluster)('gives _extra what only the column has, of each type, so that promoting again finds it', async () => {
    const values = {
      text: 'Zoë "x"',
      bigint: '9007199254740993',
      numeric: '0.10',
      boolean: 'true',
      date: '2026-02-28',
      timestamptz: '2026-11-08 05:00:00.5+00',
    };
    for (const type of PROMOTED_TYPES) {
      const { job, column } = begin();
      await loadWith(ledger.pool, job, [
        { query: 'a', extra: { [column]: values[type] } },
        { query: 'b', extra: {} },
      ]);
      await promote(column, '--type', type);
      await withoutTriggers(`UPDATE ${TABLE} SET ${column} = $2::text::${type} WHERE account_id = $1 AND query = 'b'`, [
        job.accountId,
        values[type],
      ]);
      const [first] = await valuesOf(job, `${column}::text`);
      expect(await promote(column, '--undo')).toMatchObject({ weeks: 1, rows: 1 });
      await promote(column, '--type', type);
      expect([type, ...(await valuesOf(job, `${column}::text`))]).toEqual([type, first, first]);
      await promote(column, '--undo');
    }
  });

  it('is refused, and nothing changes, where views of people have the column, where it is none, and where there is no name', async () => {
    const { job, column } = begin();
    await loadWith(ledger.pool, job, [{ query: 'a', extra: { [column]: 'x' } }]);
    expect(await refusal(column, '--undo')).toContain('is no promoted column');
    expect(await refusal()).toContain('name the column of keyword_rankings, too');
    await promote(column);
    for (const [view, from] of [
      ['theirs', TABLE],
      ['theirs_of_arrays', `${TABLE}_arrays`],
    ]) {
      await ledger.pool.query(`CREATE VIEW public.${view} AS SELECT account_id, ${column} FROM ${from}`);
      expect(await refusal(column, '--undo')).toMatch(new RegExp(`is used: .*${view} depends on`));
      expect(await columnsNamed(column)).toHaveLength(2);
      expect(await triggers()).toHaveLength(1);
      await ledger.pool.query(`DROP VIEW public.${view}`);
    }
    await promote(column, '--undo');
  });

  it('goes beside loads: what is staged and published meanwhile has its values in _extra', async () => {
    const { job, column } = begin();
    const weeks = [0, 7, 14, 21].map((days) => addDays(WEEK.start, days));
    const rowsOf = (value: string) => ['a', 'b', 'c'].map((query) => ({ query, extra: { [column]: value } }));
    for (const start of weeks) await loadWith(ledger.pool, job, rowsOf('old'), start);
    await promote(column);
    const staged = [];
    for (const start of weeks) staged.push(await stageWith(ledger.pool, job, rowsOf('new'), start));
    // None of them may fail, not even by a deadlock.
    await Promise.all([promote(column, '--undo'), ...staged.map((execution) => publish(ledger.pool, job, execution))]);
    expect(new Set(await valuesOf(job, `_extra ->> '${column}'`))).toEqual(new Set(['new']));
    expect(await columnsNamed(column)).toEqual([]);
    await expectAsPublished(job);
  });
});

describe.skipIf(isCluster)('a process that is killed', () => {
  const weeks = [0, 7, 14].map((days) => addDays(WEEK.start, days));

  /** Runs promote in a process, kills it while it waits for a row of the second week, and lets go of the row. */
  async function killInSecondWeek(job: Job, ...args: string[]): Promise<void> {
    const holder = await ledger.pool.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT FROM ${TABLE} WHERE account_id = $1 AND time_period_start = $2 FOR UPDATE`, [job.accountId, weeks[1]]);
    const program = startProgram(['promote', 'keyword_rankings', ...args], { DATABASE_URL: ledger.url });
    const pid = await waitForLock(ledger.pool, 'UPDATE search."keyword_rankings"');
    program.send('SIGKILL');
    expect(await program.ended).toEqual({ code: null, signal: 'SIGKILL' });
    // The server notices within 5 s; here at once.
    await ledger.pool.query('SELECT pg_terminate_backend($1, 10000)', [pid]);
    await holder.query('ROLLBACK');
    holder.release();
  }

  it('while it fills has filled whole weeks, and the next one goes on from there, beside a load of the same weeks', async () => {
    const { job, column } = begin();
    for (const start of weeks) await loadWith(ledger.pool, job, [{ query: 'a', extra: { [column]: 'old' } }], start);
    await makeColumn(
      new Secret(ledger.url),
      { dataset: datasetNamed('keyword_rankings'), column, type: 'text' },
      { promotedBy: 'test', tell: () => undefined },
    );
    await killInSecondWeek(job, column);
    expect(await valuesOf(job, column)).toEqual(['old', null, null]);
    const staged = [];
    for (const start of weeks) staged.push(await stageWith(ledger.pool, job, [{ query: 'a', extra: { [column]: 'new' } }], start));
    const [done] = await Promise.all([promote(column), ...staged.map((execution) => publish(ledger.pool, job, execution))]);
    expect(done).toMatchObject({ of: 2 });
    expect(await valuesOf(job, column)).toEqual(['new', 'new', 'new']);
    await expectAsPublished(job);
    await promote(column, '--undo');
  });

  it('while it gives values back has lost none, and the next one goes on and ends', async () => {
    const { job, column } = begin();
    for (const start of weeks) await loadWith(ledger.pool, job, [{ query: 'a', extra: {} }], start);
    await promote(column, '--force');
    await withoutTriggers(`UPDATE ${TABLE} SET ${column} = query || time_period_start WHERE account_id = $1`, [job.accountId]);
    await killInSecondWeek(job, column, '--undo');
    expect(await valuesOf(job, column)).toEqual(weeks.map((start) => `a${start}`));
    expect(await promote(column, '--undo')).toMatchObject({ weeks: 2, rows: 2 });
    expect(await valuesOf(job, `_extra ->> '${column}'`)).toEqual(weeks.map((start) => `a${start}`));
    expect(await columnsNamed(column)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import type { SchemaEntry } from '../../../src/warehouse/decode.ts';
import { approveHeld } from '../../../src/warehouse/endings.ts';
import { drive, pipelineOn } from '../../support/drive.ts';
import { jobOf, planWindow, publishedRows, schemaOf, useLedger, wireRow } from '../../support/ledger.ts';
import { scriptService } from '../../support/scripted-service.ts';

const ledger = useLedger();

type Answer = Readonly<{ rows: readonly unknown[]; schema?: readonly SchemaEntry[]; total?: bigint }>;

/** Loads one answer of a job through the pipeline until it is published or held. */
async function load(job: Job, { rows, schema = schemaOf(job.dataset), total }: Answer): Promise<void> {
  const { pool } = ledger;
  const service = scriptService(schema, [rows], 0);
  const { poll } = service;
  service.poll = async (...args) => {
    const answer = await poll(...args);
    return answer.state === 'completed' && total !== undefined ? { ...answer, page: { ...answer.page, totalRowCount: total } } : answer;
  };
  await planWindow(pool, job);
  await drive(pool, pipelineOn(pool, service), job.name);
}

async function latest(job: Job): Promise<{ id: number; slice_id: number; state: string; rules: string[] | null }> {
  const { rows } = await ledger.pool.query<{ id: number; slice_id: number; state: string; rules: string[] | null }>(
    `SELECT e.id, e.slice_id, e.state, (SELECT array_agg(o->>'rule') FROM jsonb_array_elements(e.objections) o) AS rules
       FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1 ORDER BY e.id DESC LIMIT 1`,
    [job.name],
  );
  if (!rows[0]) throw new Error(`${job.name} has no execution`);
  return rows[0];
}

const newJob = (changes: Partial<Job> = {}): Job => {
  const job = jobOf(changes);
  return { ...job, connection: job.name };
};
const row = (job: Job, query: string, values: Record<string, unknown> = {}, start?: string): unknown[] =>
  wireRow(job, { query, ...values }, start);
const queries = async (job: Job): Promise<unknown[]> => (await publishedRows(ledger.pool, job, ['query'])).map(({ query }) => query);

describe('an answer the audit objects to', () => {
  const good = (job: Job): Answer => ({ rows: ['a', 'b', 'c', 'd'].map((query) => row(job, query)) });

  it.each<[string, (job: Job) => Answer, string[]]>([
    ['is empty', () => ({ rows: [] }), ['shrink']],
    ['has collapsed', (job) => ({ rows: [row(job, 'a')] }), ['shrink']],
    ['lacks a row that was announced', (job) => ({ ...good(job), total: 5n }), ['total']],
    ['has a row more than announced', (job) => ({ ...good(job), total: 3n }), ['total']],
    ['has rows of another week', (job) => ({ rows: [...good(job).rows, row(job, 'x', {}, '2026-11-15')] }), ['window']],
    [
      'has a period that ends after the window',
      (job) => ({ rows: [...good(job).rows, row(job, 'x', { time_period_end: '2026-11-15' })] }),
      ['window'],
    ],
    [
      'has a period that ends before it starts',
      (job) => ({ rows: [...good(job).rows, row(job, 'x', { time_period_end: '2026-11-07' })] }),
      ['window'],
    ],
    ['has rows of another account', (job) => ({ rows: [...good(job).rows, row(job, 'x', { account_id: '1' })] }), ['account']],
    ['has rows that do not decode', (job) => ({ rows: [...good(job).rows, row(job, 'x', { rank_true: 'first' })] }), ['quarantine']],
  ])('because it %s is held, and the rows that are published stay', async (_, answer, rules) => {
    const job = newJob();
    await load(job, good(job));
    await load(job, answer(job));
    expect(await latest(job)).toMatchObject({ state: 'held', rules });
    expect(await queries(job)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('because a column that identifies rows is missing is held even where nothing was published', async () => {
    const job = newJob();
    const at = schemaOf(job.dataset).findIndex(({ name }) => name === 'query');
    await load(job, { rows: [row(job, 'a').toSpliced(at, 1)], schema: schemaOf(job.dataset).toSpliced(at, 1) });
    expect(await latest(job)).toMatchObject({ state: 'held', rules: ['identity'] });
    expect(await queries(job)).toEqual([]);
  });

  it('is published as it is once somebody has approved it', async () => {
    const { pool } = ledger;
    const job = newJob();
    await load(job, good(job));
    await load(job, { rows: [] });
    expect(await approveHeld(pool, (await latest(job)).slice_id)).toBe(true);
    await drive(pool, pipelineOn(pool, scriptService([], [])), job.name);
    expect((await latest(job)).state).toBe('published');
    expect(await queries(job)).toEqual([]);
  });
});

describe('an answer the audit lets pass', () => {
  it('may be small when another question was asked', async () => {
    const job = newJob();
    await load(job, { rows: ['a', 'b', 'c', 'd'].map((query) => row(job, query)) });
    await load({ ...job, filtersDigest: 'other' }, { rows: [row(job, 'a')] });
    expect((await latest(job)).state).toBe('published');
    expect(await queries(job)).toEqual(['a']);
  });

  it('may have as many rows in quarantine as the job allows, which are kept', async () => {
    const { pool } = ledger;
    const job = newJob({ maxRejectedShare: 0.25 });
    await load(job, { rows: [row(job, 'a'), row(job, 'b'), row(job, 'c'), row(job, 'd', { cpc: 'dear' })] });
    const { state, id } = await latest(job);
    expect(state).toBe('published');
    const { rows } = await pool.query('SELECT column_name, reason FROM searchmill.quarantined_rows WHERE execution_id = $1', [id]);
    expect(rows).toEqual([{ column_name: 'cpc', reason: '"dear" is not a float' }]);
  });

  it('may have a column more, which is kept in _extra and noted as drift', async () => {
    const { pool } = ledger;
    const job = newJob();
    await load(job, { rows: [[...row(job, 'a'), 'merry']], schema: [...schemaOf(job.dataset), { name: 'mood', type: 'string' }] });
    expect(await publishedRows(pool, job, ['query', '_extra'])).toEqual([{ query: 'a', _extra: { mood: 'merry' } }]);
    const { rows } = await pool.query('SELECT kind, column_name FROM searchmill.drift_events WHERE execution_id = $1', [
      (await latest(job)).id,
    ]);
    expect(rows).toEqual([{ kind: 'new_column', column_name: 'mood' }]);
  });
});

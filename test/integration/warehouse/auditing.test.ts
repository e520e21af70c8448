import { describe, expect, it } from 'vitest';
import type { SchemaEntry } from '../../../src/codec/decode.ts';
import type { Job } from '../../../src/config/settings.ts';
import { addDays, type Window, weeksOfWindow, windowOfWeeks } from '../../../src/core/weeks.ts';
import { aiSearchBrands } from '../../../src/datasets/ai-search-brands.ts';
import { approveHeld } from '../../../src/ledger/endings.ts';
import { claimExecution, findDue } from '../../../src/ledger/executions.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import type { Objection } from '../../../src/pipeline/audit.ts';
import { boundPublished } from '../../../src/publishing/publish.ts';
import { listQuarantine, replayQuarantine } from '../../../src/publishing/quarantine.ts';
import { drive, pipelineOn } from '../../support/drive.ts';
import { jobOf, LEASE, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { loseAnswer } from '../../support/lost-answer.ts';
import { scriptService } from '../../support/scripted-service.ts';
import { planLoads } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();

type Answer = Readonly<{ rows: readonly unknown[]; schema?: readonly SchemaEntry[]; total?: bigint }>;

/** Loads one answer of a job through the pipeline until it is published or held; `mayShrink` as backfill --approve plans it. */
async function load(
  job: Job,
  { rows, schema = schemaOf(job.dataset), total }: Answer,
  window: Window = WEEK,
  mayShrink = false,
): Promise<void> {
  const { pool } = ledger;
  const service = scriptService(schema, [rows], 0);
  const { poll } = service;
  service.poll = async (...args) => {
    const answer = await poll(...args);
    return answer.state === 'completed' && total !== undefined ? { ...answer, page: { ...answer.page, totalRowCount: total } } : answer;
  };
  await planLoads(pool, job, [{ window, reason: 'backfill', mayShrink }]);
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

describe('an answer that the audit objects to', () => {
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
    [
      'has a period that begins in the middle of a week',
      (job) => ({ rows: [...good(job).rows, row(job, 'x', { time_period_start: '2026-11-09', time_period_end: '2026-11-14' })] }),
      ['period'],
    ],
    [
      'has a period that is shorter than a week',
      (job) => ({ rows: [...good(job).rows, row(job, 'x', { time_period_end: '2026-11-08' })] }),
      ['period'],
    ],
    ['has a period without an end', (job) => ({ rows: [...good(job).rows, row(job, 'x', { time_period_end: null })] }), ['period']],
    ['has rows of another account', (job) => ({ rows: [...good(job).rows, row(job, 'x', { account_id: '1' })] }), ['account']],
    ['has rows that do not decode', (job) => ({ rows: [...good(job).rows, row(job, 'x', { rank_true: 'first' })] }), ['quarantine']],
  ])('because it %s is held, and the published rows stay', async (_, answer, rules) => {
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
    expect(await approveHeld(pool, (await latest(job)).slice_id)).toHaveLength(1);
    await drive(pool, pipelineOn(pool, scriptService([], [])), job.name);
    expect((await latest(job)).state).toBe('published');
    expect(await queries(job)).toEqual([]);
  });
});

describe('an answer that was held while the confirmation of the database was lost', () => {
  it('waits for a person, and no process takes it again', async () => {
    const { pool } = ledger;
    const job = newJob();
    const { pool: deaf, isLost } = loseAnswer(pool, "state = 'held', state_since");
    await planLoads(pool, job, [{ window: WEEK, reason: 'newest' }]);
    await drive(pool, pipelineOn(deaf, scriptService(schemaOf(job.dataset), [[row(job, 'x', { account_id: '1' })]], 0)), job.name);
    expect(isLost()).toBe(true);
    const { id, state } = await latest(job);
    expect(state).toBe('held');
    expect((await findDue(pool, 500)).filter((due) => due.id === id)).toEqual([]);
    expect(await claimExecution(pool, id, LEASE)).toBeUndefined();
  });
});

describe('the periods of rows', () => {
  const fourWeeks = windowOfWeeks('2026-10-18', 4);
  const weekly = (job: Job): unknown[][] => weeksOfWindow(fourWeeks).map((start) => row(job, 'a', {}, start));
  const daily = (job: Job): unknown[][] =>
    [0, 1, 27].map((days) => addDays(fourWeeks.start, days)).map((day) => row(job, 'a', { time_period_end: day }, day));
  const whole = (job: Job): unknown[][] => [row(job, 'a', { time_period_end: fourWeeks.end }, fourWeeks.start)];

  it.each<[string, string | undefined, (job: Job) => unknown[][], string[] | null]>([
    ['one row for each of four weeks, of WEEKLY data', 'WEEKLY', weekly, null],
    ['one row for each of four weeks, where no frequency was asked for', undefined, weekly, null],
    ['one row for four weeks, of WEEKLY data', 'WEEKLY', whole, ['period']],
    ['one row for four weeks, where no frequency was asked for', undefined, whole, ['period']],
    ['days, of WEEKLY data', 'WEEKLY', daily, ['period']],
    ['days, of DAILY data', 'DAILY', daily, null],
    ['weeks, of DAILY data', 'DAILY', weekly, ['period']],
    ['one row for four weeks, of a frequency nobody knows', 'MONTHLY', whole, null],
  ])('%s', async (_, frequency, rows, rules) => {
    const job = newJob({ filters: frequency === undefined ? {} : { collection_frequency: frequency } });
    await load(job, { rows: rows(job) }, fourWeeks);
    expect(await latest(job)).toMatchObject({ state: rules ? 'held' : 'published', rules });
  });

  it('that are not weeks are reported with their number and an example', async () => {
    const job = newJob();
    await load(job, { rows: [...weekly(job), ...whole(job)] }, fourWeeks);
    const { rows } = await ledger.pool.query('SELECT objections FROM searchmill.executions WHERE id = $1', [(await latest(job)).id]);
    const message = 'the period of 1 of 5 rows is not one week of 2026-10-18..2026-11-14, such as 2026-10-18..2026-11-14';
    expect(rows).toEqual([{ objections: [{ rule: 'period', message }] }]);
  });
});

describe('an answer that the audit lets pass', () => {
  it('may lack a row of 257 that did not decode, which is kept', async () => {
    const job = newJob({ maxRejectedShare: 0.001, maxRejectedRows: 5 });
    const many = Array.from({ length: 256 }, (_, i) => row(job, `query ${i}`));
    await load(job, { rows: [...many, row(job, 'x', { rank_true: 'first' })] });
    expect((await latest(job)).state).toBe('published');
    expect(await queries(job)).toHaveLength(256);
    expect(await listQuarantine(ledger.pool, job.name)).toMatchObject([{ rows: 1, rowsReceived: 257 }]);
  });

  it('may answer another question, as long as it is not much smaller', async () => {
    const job = newJob();
    await load(job, { rows: ['a', 'b', 'c', 'd'].map((query) => row(job, query)) });
    await load({ ...job, filtersDigest: 'other' }, { rows: [row(job, 'a'), row(job, 'b')] });
    expect((await latest(job)).state).toBe('published');
    expect(await queries(job)).toEqual(['a', 'b']);
  });

  it('may be empty where nothing is published', async () => {
    const job = newJob();
    await load(job, { rows: [] });
    expect((await latest(job)).state).toBe('published');
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

describe('rows that an answer would take away', () => {
  const asked = (job: Job, engine: string): Job => ({ ...job, filters: { ai_search_engines: [engine] }, filtersDigest: engine });
  const answers = (job: Job, values: Record<string, Record<string, unknown>>): unknown[] =>
    Object.entries(values).map(([prompt, columns]) => wireRow(job, { prompt, ...columns }));

  async function shrinkObjection(job: Job): Promise<Objection | undefined> {
    const { rows } = await ledger.pool.query<{ objections: Objection[] | null }>(
      'SELECT objections FROM searchmill.executions WHERE id = $1',
      [(await latest(job)).id],
    );
    return rows[0]?.objections?.find(({ rule }) => rule === 'shrink');
  }

  it('are held whatever the filters were, with the filters then and now, and the values that would have fewer rows', async () => {
    const job = asked(newJob({ dataset: aiSearchBrands, minKeepShare: 0 }), 'chatgpt');
    const us = { locode: 'US', ai_search_engine: 'chatgpt', brand_or_product_name: 'Acme' };
    await load(job, { rows: answers(job, { a: us, b: us, c: { ...us, locode: 'DE', brand_or_product_name: 'Acme \u001b[31mShoes' } }) });
    await load(asked(job, 'ChatGPT'), { rows: [] });
    expect(await latest(job)).toMatchObject({ state: 'held', rules: ['shrink'] });
    expect(await shrinkObjection(job)).toEqual({
      rule: 'shrink',
      message:
        '0 rows would replace 3; min_keep is 0. The filters have changed: ai_search_engines was [chatgpt], is [ChatGPT]. ' +
        'Rows that would vanish: locations US 2 -> 0, DE 1 -> 0; engines chatgpt 3 -> 0; brands Acme 2 -> 0, Acme [31mShoes 1 -> 0',
      weeks: [{ week: '2026-11-08', index: 0, before: 3, after: 0 }],
      filters: { before: { ai_search_engines: ['chatgpt'] }, now: { ai_search_engines: ['ChatGPT'] } },
      vanishing: [
        {
          what: 'locations',
          column: 'locode',
          more: 0,
          values: [
            { value: 'US', before: 2, after: 0 },
            { value: 'DE', before: 1, after: 0 },
          ],
        },
        { what: 'engines', column: 'ai_search_engine', more: 0, values: [{ value: 'chatgpt', before: 3, after: 0 }] },
        {
          what: 'brands',
          column: 'brand_or_product_name',
          more: 0,
          values: expect.arrayContaining([{ value: 'Acme', before: 2, after: 0 }]),
        },
      ],
    });
    expect(await publishedRows(ledger.pool, job, ['prompt'])).toHaveLength(3);
  });

  it('are reported by value also when the filters are the same, the greatest loss first, and no more than five', async () => {
    const job = newJob();
    const device = (name: string, rows: number): unknown[] =>
      Array.from({ length: rows }, (_, i) => row(job, `${name} ${i}`, { device: name, search_engine_country_code: 'US' }));
    const devices = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
    await load(job, { rows: [...devices.flatMap((name, i) => device(name, i + 1)), ...device('KEPT', 3)] });
    await load(job, { rows: device('KEPT', 4) });
    expect(await shrinkObjection(job)).toMatchObject({
      message:
        '4 rows would replace 31; min_keep is 0.5. ' +
        'Rows that would vanish: countries US 31 -> 4; devices G 7 -> 0, F 6 -> 0, E 5 -> 0, D 4 -> 0, C 3 -> 0 and 2 more',
    });
    expect(await shrinkObjection(job)).not.toHaveProperty('filters');
  });

  it('are taken away where fewer rows were approved with the plan, but not all of them', async () => {
    const job = newJob();
    await load(job, { rows: ['a', 'b', 'c', 'd'].map((query) => row(job, query)) });
    await load(job, { rows: [row(job, 'a')] }, WEEK, true);
    expect((await latest(job)).state).toBe('published');
    expect(await queries(job)).toEqual(['a']);
    await load(job, { rows: [] }, WEEK, true);
    expect(await latest(job)).toMatchObject({ state: 'held', rules: ['shrink'] });
    expect(await queries(job)).toEqual(['a']);
  });

  it('stay when the filters were changed again after fewer rows were approved with the plan', async () => {
    const { pool } = ledger;
    const job = newJob();
    await load(job, { rows: ['a', 'b', 'c', 'd'].map((query) => row(job, query)) });
    const narrowed = { ...job, filtersDigest: 'narrowed' };
    await planLoads(pool, narrowed, [{ window: WEEK, reason: 'backfill', mayShrink: true }]);
    await recordJob(pool, job, undefined);
    await drive(pool, pipelineOn(pool, scriptService(schemaOf(job.dataset), [[row(job, 'a')]], 0)), job.name);
    expect(await latest(job)).toMatchObject({ state: 'held', rules: ['shrink'] });
    expect(await queries(job)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are held for what else the audit objects to, whatever was approved with the plan', async () => {
    const job = newJob();
    await load(job, { rows: ['a', 'b', 'c', 'd'].map((query) => row(job, query)) });
    await load(job, { rows: [row(job, 'a')], total: 4n }, WEEK, true);
    expect(await latest(job)).toMatchObject({ state: 'held', rules: ['total'] });
  });

  describe('in a window of several weeks', () => {
    const window = windowOfWeeks('2026-10-25', 3);
    const [first, second, third] = ['2026-10-25', '2026-11-01', '2026-11-08'] as const;
    const week = (job: Job, start: string, rows: number): unknown[] =>
      Array.from({ length: rows }, (_, i) => row(job, `${start} ${i}`, {}, start));

    it('are held when one week would vanish, although there are more rows in all', async () => {
      const job = newJob();
      await load(job, { rows: [...week(job, first, 4), ...week(job, second, 4), ...week(job, third, 4)] }, window);
      await load(job, { rows: [...week(job, first, 20), ...week(job, third, 4)] }, window);
      expect(await latest(job)).toMatchObject({ state: 'held', rules: ['shrink'] });
      expect(await shrinkObjection(job)).toMatchObject({
        message: 'too few rows in 1 of 3 weeks: 0 would replace 4 in the week of 2026-11-01; min_keep is 0.5',
        weeks: [{ week: second, before: 4, after: 0 }],
      });
    });

    it('are held when the weeks were published one by one, and the other way round', async () => {
      const job = newJob();
      for (const start of [first, second, third]) await load(job, { rows: week(job, start, 4) }, windowOfWeeks(start, 1));
      await load(job, { rows: [...week(job, first, 4), ...week(job, second, 4)] }, window);
      expect(await shrinkObjection(job)).toMatchObject({ weeks: [{ week: third, before: 4, after: 0 }] });
      await approveHeld(ledger.pool, (await latest(job)).slice_id);
      await drive(ledger.pool, pipelineOn(ledger.pool, scriptService([], [])), job.name);
      // The slice of three weeks has published these; that of one week asks for one of them.
      await load(job, { rows: [] }, windowOfWeeks(second, 1));
      expect(await shrinkObjection(job)).toMatchObject({ weeks: [{ week: second, before: 4, after: 0 }] });
      expect(await queries(job)).toHaveLength(8);
    });

    it('are counted without a look into the table: the ledger knows the rows of each week, also after a replay', async () => {
      const { pool } = ledger;
      const job = newJob({ maxRejectedShare: 1 });
      const bound = (of: Window): Promise<number[]> => boundPublished(pool, { job: job.name, windowStart: of.start, windowEnd: of.end });
      await load(job, { rows: [...week(job, first, 100), ...week(job, second, 1), row(job, 'x', { cpc: 'dear' }, second)] }, window);
      expect(await bound(window)).toEqual([100, 1, 0]);
      expect(await bound(windowOfWeeks(second, 1))).toEqual([1]);
      const { id } = await latest(job);
      await pool.query(`UPDATE searchmill.quarantined_rows SET raw = replace(raw, 'dear', '1') WHERE execution_id = $1`, [id]);
      expect(await replayQuarantine(pool, id)).toMatchObject({ replayed: 1 });
      expect(await bound(window)).toEqual([100, 2, 0]);
      // Published before the rows of each week were written down: any week may have had all of them.
      await pool.query('UPDATE searchmill.slices SET published_week_rows = NULL WHERE job = $1', [job.name]);
      expect(await bound(window)).toEqual([102, 102, 102]);
    });
  });
});

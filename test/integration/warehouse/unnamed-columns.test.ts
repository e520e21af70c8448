// Answers that leave out what others say: the schema, rows, a count that fits. What the service has said before holds.
import { describe, expect, it } from 'vitest';
import type { SchemaEntry } from '../../../src/codec/decode.ts';
import type { Job } from '../../../src/config/settings.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { readLiveExecutions } from '../../../src/ledger/coverage.ts';
import type { Page } from '../../../src/service/answers.ts';
import { drive, findLive, makeDue, pipelineOn, stepOnce } from '../../support/drive.ts';
import { jobOf, publishedRows, useLedger } from '../../support/ledger.ts';
import { type ScriptedService, scriptService } from '../../support/scripted-service.ts';
import { planWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();

const newJob = (changes: Partial<Job> = {}): Job => {
  const job = jobOf(changes);
  return { ...job, connection: job.name };
};

type Given = Readonly<{ rows: readonly unknown[]; schema?: readonly SchemaEntry[]; total?: bigint | null }>;

/** A service whose pages are as given, without a schema where none is. */
function serve(pages: readonly Given[]): ScriptedService {
  const service = scriptService(
    [],
    pages.map(({ rows }) => rows),
    0,
  );
  service.alterPage = (page, number): Page => {
    const { schema = [], total } = pages[number - 1] ?? {};
    return { ...page, schema, ...(total === undefined ? {} : { totalRowCount: total }) };
  };
  return service;
}

/** Loads them until the slice is published, held or failed. */
async function load(job: Job, pages: readonly Given[]): Promise<ScriptedService> {
  const service = serve(pages);
  await planWindow(ledger.pool, job);
  await drive(ledger.pool, pipelineOn(ledger.pool, service), job.name);
  return service;
}

type Entry = { state: string; rules: string[] | null; row_schema: SchemaEntry[] | null; drift: string[] | null; end_reason: string | null };

/** The executions of a job, oldest first. */
async function entries(job: Job): Promise<Entry[]> {
  const { rows } = await ledger.pool.query<Entry>(
    `SELECT e.state, (SELECT array_agg(o->>'rule') FROM jsonb_array_elements(e.objections) o) AS rules, e.row_schema, e.end_reason,
            (SELECT array_agg(d.page || ' ' || d.kind || ' ' || d.column_name ORDER BY d.kind COLLATE "C", d.column_name COLLATE "C")
               FROM searchmill.drift_events d WHERE d.execution_id = e.id) AS drift
       FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1 ORDER BY e.id`,
    [job.name],
  );
  return rows;
}

const queries = async (job: Job): Promise<unknown[]> => (await publishedRows(ledger.pool, job, ['query'])).map(({ query }) => query);
const row = (job: Job, query: string): unknown[] => wireRow(job, { query, title: `title of ${query}` });
const storedSchema = (job: Job): SchemaEntry[] => schemaOf(job.dataset);

describe('an answer without rows', () => {
  it('and without a schema is an ordinary empty week, and no drift', async () => {
    const job = newJob();
    await load(job, [{ rows: [] }]);
    expect(await entries(job)).toEqual([{ state: 'published', rules: null, row_schema: null, drift: null, end_reason: null }]);
  });

  it('and without a schema does not erase a week that has rows', async () => {
    const job = newJob();
    await load(job, [{ rows: [row(job, 'a')], schema: schemaOf(job.dataset) }]);
    await load(job, [{ rows: [] }]);
    expect((await entries(job)).at(-1)).toMatchObject({ state: 'held', rules: ['shrink'], drift: null });
    expect(await queries(job)).toEqual(['a']);
  });

  it('whose schema lacks columns is still drift, and is held if those identify rows', async () => {
    const job = newJob();
    const schema = schemaOf(job.dataset).filter(({ name }) => name !== 'query' && name !== 'title');
    await load(job, [{ rows: [], schema }]);
    expect(await entries(job)).toMatchObject([
      { state: 'held', rules: ['identity'], drift: ['1 missing_column query', '1 missing_column title'], row_schema: schema },
    ]);
  });
});

describe('the schema of a page', () => {
  it('holds for the pages that follow without one, and is in the ledger', async () => {
    const job = newJob();
    const schema = [...schemaOf(job.dataset).toReversed(), { name: 'mood', type: 'string' }];
    const sent = (query: string): unknown[] => [...row(job, query).toReversed(), 'merry'];
    const service = await load(job, [{ rows: [sent('a'), sent('b')], schema }, { rows: [sent('c')] }, { rows: [] }, { rows: [sent('d')] }]);
    expect(await entries(job)).toMatchObject([
      { state: 'published', row_schema: schema, drift: ['1 changed_order ', '1 new_column mood'] },
    ]);
    expect(await publishedRows(ledger.pool, job, ['query', 'title', '_extra'])).toEqual(
      ['a', 'b', 'c', 'd'].map((query) => ({ query, title: `title of ${query}`, _extra: { mood: 'merry' } })),
    );
    expect(service.calls.filter((call) => call === 'submit')).toHaveLength(1);
  });

  it('holds until a page brings another schema, which may be a page without rows', async () => {
    const job = newJob();
    const usual = schemaOf(job.dataset);
    await load(job, [
      { rows: [row(job, 'a')], schema: usual },
      { rows: [row(job, 'b')] },
      { rows: [], schema: usual.toReversed() },
      { rows: [row(job, 'c').toReversed()] },
    ]);
    expect(await entries(job)).toMatchObject([{ state: 'published', row_schema: usual.toReversed(), drift: ['3 changed_order '] }]);
    expect(await queries(job)).toEqual(['a', 'b', 'c']);
  });

  it('is that of an empty first page, too', async () => {
    const job = newJob();
    await load(job, [{ rows: [], schema: storedSchema(job) }, { rows: [row(job, 'a')] }]);
    expect(await entries(job)).toMatchObject([{ state: 'published', drift: null }]);
    expect(await queries(job)).toEqual(['a']);
  });

  it('is read by name where it has no types, which is no drift', async () => {
    const job = newJob();
    const schema = schemaOf(job.dataset).map(({ name }, at) => (at % 2 === 0 ? { name } : { name, type: null }));
    await load(job, [{ rows: [row(job, 'a')], schema }, { rows: [row(job, 'b')] }]);
    expect(await entries(job)).toMatchObject([{ state: 'published', drift: null }]);
    expect(await queries(job)).toEqual(['a', 'b']);
  });

  it('is known to the process that goes on after another, with names that Postgres cannot store', async () => {
    const { pool } = ledger;
    const job = newJob();
    const odd = [{ name: 'a\0b', type: '\ud800' }, { name: 'x'.repeat(5_000), type: 'y'.repeat(5_000) }, { name: 'a\0b' }];
    const sent = (query: string): unknown[] => [...row(job, query), '1', '2', '3'];
    const service = serve([{ rows: [sent('a')], schema: [...schemaOf(job.dataset), ...odd] }, { rows: [sent('b')] }]);
    await planWindow(pool, job);
    // The first process ends between the two pages.
    const first = new AbortController();
    service.beforeCall = (call) => {
      if (!call.startsWith('page') || first.signal.aborted) return;
      first.abort();
      throw new Error('gone');
    };
    for (let live = await findLive(pool, job.name); live && !first.signal.aborted; live = await findLive(pool, job.name)) {
      await makeDue(pool, job.name);
      await stepOnce(pipelineOn(pool, service), live);
    }
    expect(await entries(job)).toMatchObject([{ state: 'loading' }]);
    await drive(pool, pipelineOn(pool, service), job.name);
    const columns = ['a\ufffdb', 'a\ufffdb#34', 'x'.repeat(200)];
    expect(await entries(job)).toMatchObject([{ state: 'published', drift: columns.map((name) => `1 new_column ${name}`) }]);
    const published = await publishedRows(pool, job, ['query', '_extra']);
    const extra = Object.fromEntries(columns.map((name) => [name, expect.any(String) as string]));
    expect(published.map(({ _extra }) => _extra)).toEqual([extra, extra]);
    expect(published.map(({ query }) => query)).toEqual(['a', 'b']);
    expect(JSON.stringify((await entries(job))[0]?.row_schema).length).toBeLessThan(5_000);
  });

  it('must come with or before the first rows: without names for their values the load fails, after up to max_submits submits', async () => {
    const job = newJob({ maxSubmits: 2 });
    const service = await load(job, [{ rows: [] }, { rows: [row(job, 'a')] }]);
    expect((await entries(job)).map(({ state }) => state)).toEqual(['abandoned', 'failed']);
    expect((await entries(job)).at(-1)?.end_reason).toMatch(
      /page 2 of keyword_rankings has 1 rows, but neither it nor an earlier page has a schema/,
    );
    expect(service.calls.filter((call) => call === 'submit')).toHaveLength(2);
    expect(await queries(job)).toEqual([]);
  });
});

describe('a total above the limit that was asked for', () => {
  const limited = (): Job => newJob({ dataset: datasetNamed('ai_search_response'), filters: { limit: 3 } });
  const prompt = (job: Job, name: string): unknown[] => wireRow(job, { prompt: name });
  const pagesOf = (job: Job, total: bigint): Given[] => [
    { rows: ['a', 'b'].map((name) => prompt(job, name)), schema: schemaOf(job.dataset), total },
    { rows: [prompt(job, 'c')], total },
  ];

  it('does no harm: only the rows up to the limit are expected', async () => {
    for (const total of [3n, 4n, 5_000_000_000n]) {
      const job = limited();
      await load(job, pagesOf(job, total));
      expect(await entries(job)).toMatchObject([{ state: 'published', rules: null }]);
      expect((await publishedRows(ledger.pool, job, ['prompt'])).length).toBe(3);
    }
  });

  it('is no excuse for fewer rows than the limit', async () => {
    const job = limited();
    await load(job, [{ rows: [prompt(job, 'a')], schema: schemaOf(job.dataset), total: 5n }]);
    expect(await entries(job)).toMatchObject([{ state: 'held', rules: ['total'] }]);
  });

  it('does not expire a load whose rest can be read in time, and status counts up to the limit', async () => {
    const { pool } = ledger;
    const job = limited();
    const service = serve(pagesOf(job, 5_000_000_000n));
    await pool.query(
      `INSERT INTO searchmill.connections (name, base_url, auth_kind, budget_id, submits_per_minute, reads_per_minute)
       VALUES ($1, 'http://127.0.0.1', 'token', 'none', 5, 1000)`,
      [job.connection],
    );
    await planWindow(pool, job);
    let pagesAsked = 0;
    service.beforeCall = (call) => {
      if (call.startsWith('page') && ++pagesAsked === 1) throw new Error('gone');
    };
    for (let live = await findLive(pool, job.name); live && pagesAsked === 0; live = await findLive(pool, job.name)) {
      await makeDue(pool, job.name);
      await stepOnce(pipelineOn(pool, service), live);
    }
    expect(await readLiveExecutions(pool, job.name)).toMatchObject([{ state: 'loading', rowsReceived: 2, totalRowCount: '3' }]);
    await drive(pool, pipelineOn(pool, service), job.name);
    expect((await entries(job)).map(({ state }) => state)).toEqual(['published']);
  });
});

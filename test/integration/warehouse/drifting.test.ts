// Schemas other than expected: rows are followed by name, nothing is lost, and each difference is told once.
import { describe, expect, it } from 'vitest';
import type { SchemaEntry } from '../../../src/codec/decode.ts';
import type { Job } from '../../../src/config/settings.ts';
import { readCoverage, readDrift } from '../../../src/ledger/coverage.ts';
import { drive, pipelineOn } from '../../support/drive.ts';
import { jobOf, publishedRows, useLedger } from '../../support/ledger.ts';
import { recordLog } from '../../support/recorded-log.ts';
import { scriptService } from '../../support/scripted-service.ts';
import { planWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const newJob = (): Job => {
  const job = jobOf();
  return { ...job, connection: job.name };
};

type Told = { page: number; kind: string; column: string };

/** Loads pages, each with a schema of its own; returns the drift that was logged. */
async function load(job: Job, pages: readonly { rows: readonly unknown[]; schema: readonly SchemaEntry[] }[]): Promise<Told[]> {
  const service = scriptService(
    [],
    pages.map(({ rows }) => rows),
    0,
  );
  const { poll, paginate } = service;
  service.poll = async (...args) => {
    const answer = await poll(...args);
    return answer.state === 'completed' ? { ...answer, page: { ...answer.page, schema: pages[0]?.schema ?? [] } } : answer;
  };
  service.paginate = async (dataset, wanted, call) => {
    const schema = pages[Number(wanted.nextPageId.split('/')[1]) - 1]?.schema ?? [];
    return { ...(await paginate(dataset, wanted, call)), schema };
  };
  const { log, lines } = recordLog('warn');
  await planWindow(ledger.pool, job);
  await drive(ledger.pool, pipelineOn(ledger.pool, service, { log }), job.name);
  return lines
    .flatMap((line) => (JSON.parse(line) as { drift?: Told[] }).drift ?? [])
    .map(({ page, kind, column }) => ({ page, kind, column }));
}

const state = async (job: Job): Promise<unknown> => (await readCoverage(ledger.pool, job.name))[0]?.state;
const reorder = <T>(list: readonly T[]): T[] => list.toReversed();

describe('a column that is new', () => {
  it('is kept in _extra, told when it first comes and not again, and shown by status as long as it is there', async () => {
    const job = newJob();
    const schema = [...schemaOf(job.dataset), { name: 'mood', type: 'string' }];
    const pages = [{ rows: [[...wireRow(job, { query: 'a' }), 'merry']], schema }];
    expect(await load(job, pages)).toEqual([{ page: 1, kind: 'new_column', column: 'mood' }]);
    expect(await load(job, pages)).toEqual([]);
    expect(await publishedRows(ledger.pool, job, ['query', '_extra'])).toEqual([{ query: 'a', _extra: { mood: 'merry' } }]);
    expect(await readDrift(ledger.pool, job.name)).toMatchObject([{ kind: 'new_column', column: 'mood', jobs: [job.name], loads: 1 }]);
    await load(job, [{ rows: [wireRow(job, { query: 'a' })], schema: schemaOf(job.dataset) }]);
    expect(await readDrift(ledger.pool, job.name)).toEqual([]);
    expect(await publishedRows(ledger.pool, job, ['_extra'])).toEqual([{ _extra: null }]);
  });
});

describe('columns in another order', () => {
  it('are followed, even when it changes between two pages of one answer', async () => {
    const job = newJob();
    const [usual, turned] = [schemaOf(job.dataset), reorder(schemaOf(job.dataset))];
    const row = (query: string): unknown[] => wireRow(job, { query, title: `title of ${query}`, rank_true: '3' });
    const told = await load(job, [
      { rows: [row('a')], schema: usual },
      { rows: [reorder(row('b'))], schema: turned },
      { rows: [row('c')], schema: usual },
    ]);
    expect(told).toEqual([{ page: 2, kind: 'changed_order', column: '' }]);
    expect(await publishedRows(ledger.pool, job, ['query', 'title', 'rank_true', 'account_id'])).toEqual(
      ['a', 'b', 'c'].map((query) => ({ query, title: `title of ${query}`, rank_true: 3, account_id: job.accountId })),
    );
  });
});

describe('a column that is missing', () => {
  it('is NULL from the page on that lacks it, and told', async () => {
    const job = newJob();
    const at = schemaOf(job.dataset).findIndex(({ name }) => name === 'title');
    const told = await load(job, [
      { rows: [wireRow(job, { query: 'a', title: 'x' })], schema: schemaOf(job.dataset) },
      { rows: [wireRow(job, { query: 'b' }).toSpliced(at, 1)], schema: schemaOf(job.dataset).toSpliced(at, 1) },
    ]);
    expect(told).toEqual([{ page: 2, kind: 'missing_column', column: 'title' }]);
    expect(await publishedRows(ledger.pool, job, ['query', 'title'])).toEqual([
      { query: 'a', title: 'x' },
      { query: 'b', title: null },
    ]);
  });

  it('holds the week when it identifies rows, even if only one page lacks it', async () => {
    const job = newJob();
    const at = schemaOf(job.dataset).findIndex(({ name }) => name === 'device');
    const told = await load(job, [
      { rows: [wireRow(job, { query: 'a' })], schema: schemaOf(job.dataset) },
      { rows: [wireRow(job, { query: 'b' }).toSpliced(at, 1)], schema: schemaOf(job.dataset).toSpliced(at, 1) },
    ]);
    expect(told).toEqual([{ page: 2, kind: 'missing_column', column: 'device' }]);
    expect(await state(job)).toBe('held');
    expect(await publishedRows(ledger.pool, job, ['query'])).toEqual([]);
  });
});

describe('a type that the service renames', () => {
  it('is reported, and the values are decoded as usual', async () => {
    const job = newJob();
    const schema = schemaOf(job.dataset).map((entry) => (entry.name === 'rank_true' ? { ...entry, type: 'bigint' } : entry));
    expect(await load(job, [{ rows: [wireRow(job, { query: 'a', rank_true: '3' })], schema }])).toEqual([
      { page: 1, kind: 'changed_type', column: 'rank_true' },
    ]);
    expect(await publishedRows(ledger.pool, job, ['rank_true'])).toEqual([{ rank_true: 3 }]);
    expect(await readDrift(ledger.pool, job.name)).toMatchObject([
      { detail: 'the service calls rank_true bigint, expected integer; it is decoded as integer' },
    ]);
  });
});

describe('a count of rows that is no number', () => {
  it('is reported as it was sent, and the rows are published', async () => {
    const job = newJob();
    const service = scriptService(schemaOf(job.dataset), [[wireRow(job, { query: 'a' })], [wireRow(job, { query: 'b' })]], 0);
    service.alterPage = (page) => ({ ...page, totalRowCount: null, unreadableRowCount: '3,000' });
    await planWindow(ledger.pool, job);
    await drive(ledger.pool, pipelineOn(ledger.pool, service), job.name);
    expect(await state(job)).toBe('published');
    expect(await readDrift(ledger.pool, job.name)).toMatchObject([
      { kind: 'changed_type', column: 'totalRowCount', detail: expect.stringContaining('"3,000"') as string, loads: 1 },
    ]);
  });
});

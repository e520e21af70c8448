// Every figure of the board Data health, computed a second time from what the sandbox served and counted, and from what was done here.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { createPanelPool } from '../../../src/dashboards/run-panels.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { identityColumns } from '../../../src/datasets/dataset.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { asksOf, type PanelRow, percentOf } from '../../support/panels.ts';
import { readServed, type ServedRow, weekOf } from '../../support/served-objects.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const BEFORE = addDays(NEWEST, -7);
const ACTOR = { name: 'test' };
const JOBS = jobsSince(
  BEFORE,
  {
    brands: 'ai_search_brands',
    citations: 'ai_search_citations',
    off: 'ai_search_sentiments, enabled: false',
    rankings: 'keyword_rankings',
  },
  'max_rejected: 0.5',
);
const REJECTED_ROWS = 2;
const VALUES: Values = { weeks: '4' };

let stack: TestStack;
let instance: Instance;
let panels: Pool;
/** Rows of rankings that were published before and after they were restated. */
let restated: readonly [before: readonly ServedRow[], after: readonly ServedRow[]];
let served: ReadonlyMap<string, readonly ServedRow[]>;

async function reload(job: string, week: string): Promise<void> {
  await instance.reload(job, week, ACTOR);
  await stack.settle();
}

beforeAll(async () => {
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny' } });
  instance = await stack.start();
  await stack.settle();
  const before = (await readServed(stack)).get('keyword_rankings') ?? [];

  stack.sandbox.restate({ operation: 'keyword_rankings', share: 0.3, vanish: 0.1, appear: 0.1 });
  await reload('rankings', NEWEST);
  restated = [before, (await readServed(stack)).get('keyword_rankings') ?? []];

  stack.sandbox.setFaults({
    rules: [
      { fault: { kind: 'shrink', keep: 0.1 }, on: { operation: 'ai_search_brands' } },
      { fault: { kind: 'drift', change: 'new_column', column: 'mood' }, on: { operation: 'ai_search_citations' } },
      { fault: { kind: 'bad_value', value: 'not_a_boolean', rows: REJECTED_ROWS }, on: { operation: 'ai_search_citations' } },
    ],
  });
  await reload('brands', NEWEST);
  await reload('citations', BEFORE);
  served = await readServed(stack);
  panels = createPanelPool(new Secret(stack.databaseUrl));
});
afterAll(async () => {
  await panels?.end();
  await stack?.close();
});

const ask = asksOf(() => panels, 'data-health');
const pick = (rows: readonly PanelRow[], ...names: string[]): unknown[][] => rows.map((row) => names.map((name) => row[name]));

const sum = (rows: readonly PanelRow[], name: string): number => rows.reduce((total, row) => total + Number(row[name]), 0);
const countOf = (dataset: string, week: string): number =>
  (served.get(dataset) ?? []).filter((row) => weekOf(row.time_period_start) === week).length;
const DATASETS = { brands: 'ai_search_brands', citations: 'ai_search_citations', rankings: 'keyword_rankings' } as const;
const LOADED = Object.entries(DATASETS).flatMap(([job, dataset]) => [BEFORE, NEWEST].map((week) => ({ job, dataset, week })));

/** What changed between two states of a table: rows of one identity are the same row. */
function changesBetween([before, after]: readonly [readonly ServedRow[], readonly ServedRow[]]): Readonly<{
  inserted: number;
  updated: number;
  deleted: number;
}> {
  const identity = identityColumns(datasetNamed('keyword_rankings')).map(({ name }) => name);
  const counts = (rows: readonly ServedRow[], keyOf: (row: ServedRow) => string): Map<string, number> => {
    const found = new Map<string, number>();
    for (const row of rows) found.set(keyOf(row), (found.get(keyOf(row)) ?? 0) + 1);
    return found;
  };
  const inCommon = (keyOf: (row: ServedRow) => string): number => {
    const known = counts(before, keyOf);
    return [...counts(after, keyOf)].reduce((total, [key, rows]) => total + Math.min(rows, known.get(key) ?? 0), 0);
  };
  const same = inCommon((row) => JSON.stringify(identity.map((name) => row[name])));
  return { inserted: after.length - same, deleted: before.length - same, updated: same - inCommon((row) => JSON.stringify(row)) };
}

it('coverage calendar: a letter for each expected week, that of held where the answer shrank', async () => {
  const rows = await ask('coverage', VALUES);
  expect(pick(rows, 'job', 'week', 'state')).toEqual(
    LOADED.map(({ job, week }) => [job, week, job === 'brands' && week === NEWEST ? 'held' : 'published']),
  );
  expect(pick(await ask('coverage', { weeks: '1' }), 'week')).toEqual([[NEWEST], [NEWEST], [NEWEST]]);
});

it('rows per week: those that are published', async () => {
  expect(pick(await ask('rows', VALUES), 'job', 'week', 'rows', 'reason')).toEqual(
    LOADED.map(({ job, dataset, week }) => [job, week, String(countOf(dataset, week)), null]),
  );
});

it('freshness: the newest published week, and how many are behind it', async () => {
  expect(pick(await ask('freshness', VALUES), 'job', 'newest_week', 'newest_expected_week', 'weeks_behind', 'standing')).toEqual([
    ['brands', NEWEST, NEWEST, '0', 'scheduled'],
    ['citations', NEWEST, NEWEST, '0', 'scheduled'],
    ['off', null, null, '0', 'switched off'],
    ['rankings', NEWEST, NEWEST, '0', 'scheduled'],
  ]);
});

it('what the service revised: rows that differ from what was published before', async () => {
  const rows = await ask('revised', VALUES);
  const changes = changesBetween(restated);
  expect(changes.updated).toBeGreaterThan(0);
  // A new column changes every row of citations, and two of them cannot be read any more.
  expect([sum(rows, 'inserted'), sum(rows, 'updated'), sum(rows, 'deleted'), sum(rows, 'publications')]).toEqual([
    changes.inserted,
    changes.updated + countOf('ai_search_citations', BEFORE),
    changes.deleted + REJECTED_ROWS,
    2,
  ]);
});

it('rows in quarantine: those of the load that is published', async () => {
  const booleans = datasetNamed('ai_search_citations').columns.filter(({ pg }) => pg === 'boolean');
  expect(pick(await ask('quarantine', VALUES), 'job', 'in_column', 'rows', 'first_day')).toEqual([
    ['citations', booleans.at(-1)?.name, String(REJECTED_ROWS), BEFORE],
  ]);
});

it('schema drift: the column that was added', async () => {
  expect(pick(await ask('drift', VALUES), 'dataset', 'kind', 'of_column', 'loads')).toEqual([
    ['ai_search_citations', 'new column', 'mood', '1'],
  ]);
});

it('calls as a share of the limit: those of the last minute', async () => {
  await stack.read(`UPDATE searchmill.call_slots SET granted_at = now() WHERE granted_at > now() - interval '1 hour'`);
  const counted = Object.values(stack.sandbox.report().calls);
  const submits = counted.reduce((total, { submit }) => total + submit, 0);
  const reads = counted.reduce((total, { poll, page }) => total + poll + page, 0);
  const [main] = [...stack.config.connections.values()];
  const allowed = main?.callsPerMinute ?? { submit: 0, read: 0 };
  expect(pick(await ask('allowed-calls', VALUES), 'connection', 'kind', 'last_minute', 'allowed_per_minute', 'percent_used')).toEqual([
    ['main', 'submit', String(submits), String(allowed.submit), percentOf(submits, allowed.submit)],
    ['main', 'read', String(reads), String(allowed.read), percentOf(reads, allowed.read)],
  ]);
});

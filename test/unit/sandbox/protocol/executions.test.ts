import { expect, test } from 'vitest';
import { Executions } from '../../../../sandbox/protocol/executions.ts';
import type { Plan } from '../../../../sandbox/queries/plan.ts';
import type { Query } from '../../../../sandbox/queries/query.ts';
import { EXECUTION_VALIDITY_MS } from '../../../../src/core/limits.ts';
import { datasetNamed } from '../../../../src/datasets/index.ts';

const QUERY: Query = {
  dataset: datasetNamed('keyword_rankings'),
  accountId: 12345,
  window: { start: '2026-11-08', end: '2026-11-14' },
  filters: {},
  newestWeek: '2026-11-08',
  revisions: [],
};
const CREDENTIAL = { name: 'token 1' };

const planWith = (unitCount: number, countOf: (unit: number) => number): Plan => ({ unitCount, countOf, rowsOf: () => [] });

async function untilTrue(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

test('a small answer is counted at once', () => {
  const executions = new Executions(() => planWith(200, () => 2), 10);
  expect(executions.create(QUERY, CREDENTIAL, 0, 0).totalRows).toBe(400);
});

test('a large answer is counted in the background', async () => {
  const executions = new Executions(() => planWith(40_000_000, (unit) => unit % 2), 10);
  const execution = executions.create(QUERY, CREDENTIAL, 0, 0);
  expect(execution.totalRows).toBeUndefined();
  await untilTrue(() => execution.totalRows !== undefined);
  expect(execution.totalRows).toBe(20_000_000);
});

test('a count that fails leaves its error on the execution', async () => {
  const broken = planWith(100_000_000, (unit) => {
    if (unit === 40_000_000) throw new Error('no such unit');
    return 1;
  });
  const execution = new Executions(() => broken, 10).create(QUERY, CREDENTIAL, 0, 0);
  await untilTrue(() => execution.failure !== undefined);
  expect(execution.failure).toEqual(new Error('no such unit'));
  expect(execution.totalRows).toBeUndefined();
});

test('closing ends all counting', async () => {
  let last = 0;
  const endless = planWith(Number.MAX_SAFE_INTEGER, (unit) => {
    last = unit;
    return 1;
  });
  const executions = new Executions(() => endless, 10);
  const execution = executions.create(QUERY, CREDENTIAL, 0, 0);
  await untilTrue(() => last > 0);
  executions.close();
  await new Promise(setImmediate);
  const reached = last;
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(last).toBe(reached);
  expect(execution.totalRows).toBeUndefined();
});

test('expired executions are forgotten when another is made', () => {
  const executions = new Executions(() => planWith(1, () => 1), 10);
  const early = executions.create(QUERY, CREDENTIAL, 0, 0);
  const later = executions.create(QUERY, CREDENTIAL, 1000, 0);
  executions.create(QUERY, CREDENTIAL, EXECUTION_VALIDITY_MS, 0);
  expect(executions.find(early.id)).toBeUndefined();
  expect(executions.find(later.id)).toBe(later);
  expect(executions.size).toBe(2);
});

test('plans that were not needed for long are made again, and no others', () => {
  let made = 0;
  const executions = new Executions(() => {
    made++;
    return planWith(1, () => 1);
  }, 1000);
  const first = executions.create(QUERY, CREDENTIAL, 0, 0);
  for (let count = 0; count < 31; count++) executions.create(QUERY, CREDENTIAL, 0, 0);
  expect(made).toBe(32);
  executions.planOf(first);
  expect(made).toBe(32);
  for (let count = 0; count < 32; count++) executions.create(QUERY, CREDENTIAL, 0, 0);
  executions.planOf(first);
  expect(made).toBe(65);
});

// Which periods a submit may ask about: documented publicly, and not in the service specification (docs/service-choices.md).
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../sandbox/server.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { call, question, type Reply, readAll, startTinySandbox } from './sandbox-calls.ts';

const OPERATION = 'keyword_rankings';

function ask(sandbox: Sandbox, start: string, end: string, filters: Readonly<Record<string, unknown>> = {}): Promise<Reply> {
  return call(sandbox, OPERATION, { account_id: 12345, start_date: start, end_date: end, ...filters });
}

async function startWith(options: Parameters<typeof startTinySandbox>[0]): Promise<Sandbox> {
  const sandbox = await startTinySandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

describe('unless told otherwise', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startTinySandbox({ limits: { submit: 1000 } });
  });
  afterAll(() => sandbox.close());

  test.each(DATASETS)(
    '$name refuses WEEKLY periods that do not begin on a Sunday and end on a Saturday, naming the fields',
    async ({ name, period }) => {
      for (const filters of [{}, { collection_frequency: 'WEEKLY' }]) {
        const mondays = { ...question(name, filters), [period.start]: '2026-11-02', [period.end]: '2026-11-08' };
        const reply = await call(sandbox, name, mondays);
        expect(reply.status).toBe(400);
        expect(reply.body).toEqual({
          error: 'INVALID_PARAMETERS',
          message:
            `${period.start} 2026-11-02 must be a Sunday for WEEKLY data; ` + `${period.end} 2026-11-08 must be a Saturday for WEEKLY data`,
        });
      }
      expect((await call(sandbox, name, question(name))).status).toBe(202);
    },
  );

  test('a period with a wrong day at one end alone is refused', async () => {
    expect((await ask(sandbox, '2026-11-01', '2026-11-08')).body.message).toBe('end_date 2026-11-08 must be a Saturday for WEEKLY data');
    expect((await ask(sandbox, '2026-10-31', '2026-11-07')).body.message).toBe('start_date 2026-10-31 must be a Sunday for WEEKLY data');
  });

  test('13 weeks are accepted, and 14 are longer than 92 days', async () => {
    expect((await ask(sandbox, '2026-08-16', '2026-11-14')).status).toBe(202);
    const reply = await ask(sandbox, '2026-08-09', '2026-11-14');
    expect(reply.status).toBe(400);
    expect(reply.body.message).toBe('start_date 2026-08-09 to end_date 2026-11-14 are 98 days; a period has at most 92');
  });

  test('DAILY periods may begin and end on any day, and have at most 92 days, too', async () => {
    const daily = { collection_frequency: 'DAILY' };
    expect((await ask(sandbox, '2026-11-03', '2026-11-05', daily)).status).toBe(202);
    expect((await ask(sandbox, '2026-08-01', '2026-10-31', daily)).status).toBe(202);
    expect((await ask(sandbox, '2026-08-01', '2026-11-01', daily)).body.message).toContain('are 93 days');
  });
});

test('a sandbox whose weeks begin on Monday demands Mondays and Sundays', async () => {
  const mondays = await startWith({ weekStartsOn: 'monday' });
  expect((await ask(mondays, '2026-11-02', '2026-11-08')).status).toBe(202);
  expect((await ask(mondays, '2026-11-01', '2026-11-07')).body.message).toMatch(/must be a Monday .* must be a Sunday/);
});

test('told to accept any period, the sandbox answers a week from Monday with no rows, and a year with 52 weeks', async () => {
  const lenient = await startWith({ periods: 'any', sizes: { keywords: 1, resultsPerKeyword: 1 } });
  expect(await readAll(lenient, OPERATION, { account_id: 12345, start_date: '2026-11-02', end_date: '2026-11-08' })).toEqual([]);
  const rows = await readAll(lenient, OPERATION, { account_id: 12345, start_date: '2025-11-16', end_date: '2026-11-14' });
  expect(new Set(rows.map((row) => row[6])).size).toBe(52);
});

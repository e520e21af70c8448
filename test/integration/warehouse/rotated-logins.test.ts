// Logins that are replaced while loads run: the next one goes on with what the last has begun, and nothing belongs to either.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { commitPages } from '../../../src/publishing/checkpoint.ts';
import { asLogin } from '../../support/database-access.ts';
import { jobOf, LEASE, publishedRows } from '../../support/ledger.ts';
import { expectServedAsLoaded } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, describeOnEachQueue, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { publish, submitWindow } from '../../support/window-steps.ts';
import { decodedPages, wireRow } from '../../support/wire-rows.ts';

const JOBS = `
connections: { main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: hard } }
defaults: { account_id: 12345, since: 2026-08-30, schedule: { cron: "0 6 * * 1", timezone: UTC } }
jobs:
  - { name: keyword_rankings, dataset: keyword_rankings }
`;
const suffix = randomBytes(4).toString('hex');

describeOnEachQueue('a login that is replaced in the middle of loads', (queue) => {
  let stack: TestStack;
  beforeAll(async () => {
    const clock = createSimulatedClock('2026-09-14T07:00:00Z');
    stack = await createTestStack({ queue, jobs: JOBS, clock, sandbox: { size: 'small', duplicates: 0.05 } });
  });
  afterAll(() => stack.close());

  it('owns nothing and can be dropped, and the next login continues where it stopped', async () => {
    const logins = ['first', 'second'].map((name) => `rotated_${name}_${queue.kind}_${suffix}`);
    const startAs = async (login = '') => {
      await stack.pool.query(`CREATE ROLE ${login} LOGIN PASSWORD 'test' IN ROLE searchmill_writer`);
      return stack.start({ databaseUrl: new Secret(asLogin(stack.databaseUrl, login)) });
    };
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'unavailable' }, on: { call: 'page' } }] });
    const first = await startAs(logins[0]);
    const begun = await until('the first page of both loads', async () => {
      const loading = await stack.read("SELECT id FROM searchmill.executions WHERE state = 'loading' AND pages = 1 ORDER BY id");
      return loading.length === 2 && loading;
    });
    await first.stop();
    stack.sandbox.setFaults({ rules: [] });
    await stack.pool.query(`DROP ROLE ${logins[0]}`);

    const second = await startAs(logins[1]);
    await stack.settle();
    await second.stop();
    expect(await stack.read("SELECT id FROM searchmill.executions WHERE state = 'published' ORDER BY id")).toEqual(begun);
    expect(await expectServedAsLoaded(stack)).toHaveLength(2);
    await stack.pool.query(`DROP ROLE ${logins[1]}`);
  });
});

describe('staging', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS });
  });
  afterAll(() => stack.close());

  /** A load whose first page one login commits, and whose second and publication another. */
  async function loadByTwo(names: readonly string[]): Promise<string[]> {
    const pools = names.map((name): Pool => createPool(new Secret(asLogin(stack.databaseUrl, name)), { applicationName: 'test', max: 2 }));
    const [one, other] = pools;
    if (!one || !other) throw new Error('two logins are wanted');
    try {
      const job = jobOf();
      const execution = await submitWindow(one, job, windowOfWeeks('2026-09-06', 1));
      const week = '2026-09-06';
      const pages = decodedPages(job.dataset, [
        [wireRow(job, { query: 'a' }, week)],
        [wireRow(job, { query: 'a' }, week), wireRow(job, { query: 'b' }, week)],
      ]);
      for (const [at, page] of pages.entries())
        await commitPages(at === 0 ? one : other, job.dataset, execution, { ...LEASE, pages: [page] });
      // Duplicates are numbered, which asks for statistics: only an owner may make them.
      await publish(other, job, execution);
      return (await publishedRows(other, job, ['query', '_occurrence'])).map(({ query, _occurrence }) => `${query} ${_occurrence}`);
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
    }
  }

  it('belongs to the owner of the schema where the logins are members of that role only', async () => {
    const owner = `own_group_${suffix}`;
    const logins = [`own_first_${suffix}`, `own_second_${suffix}`];
    await stack.pool.query(`CREATE ROLE ${owner} IN ROLE searchmill_writer;
                            ALTER SCHEMA searchmill_staging OWNER TO ${owner};
                            CREATE ROLE ${logins[0]} LOGIN PASSWORD 'test' IN ROLE ${owner};
                            CREATE ROLE ${logins[1]} LOGIN PASSWORD 'test' IN ROLE ${owner}`);
    try {
      expect(await loadByTwo(logins)).toEqual(['a 1', 'a 2', 'b 1']);
    } finally {
      await stack.pool.query(
        `ALTER SCHEMA searchmill_staging OWNER TO CURRENT_USER; DROP OWNED BY ${owner}; DROP ROLE ${logins}, ${owner}`,
      );
    }
  });
});

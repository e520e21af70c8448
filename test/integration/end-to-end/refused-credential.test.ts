// A 401 in the middle of a load: the execution waits and its staging is kept; it continues where it stopped when the credential
// is right again, and a process that is started with another one asks at once.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, describeOnOneQueue, SANDBOX_CONNECTION, STACK_KEY, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const JOBS = `
${SANDBOX_CONNECTION}
  other: { base_url: "\${SANDBOX_URL}", auth: { api_key: ${STACK_KEY.apiKey}, shared_secret: ${STACK_KEY.sharedSecret} }, limits: hard }
jobs:
  - { name: rankings, dataset: keyword_rankings, connection: main, account_id: 12345, since: 2026-09-06, page_size: 50 }
`;

type Load = { state: string; pages: number; staged: number; waiting: string | null; unauthorized: boolean; remote: string };

describeOnOneQueue('a credential that is refused in the middle of a load', (queue) => {
  let stack: TestStack;
  const loads = (): Promise<Load[]> =>
    stack.read<Load>(`
      SELECT e.state, e.pages, e.rows_staged AS staged, e.waiting_for AS waiting, e.remote_execution_id AS remote,
             EXISTS (SELECT FROM searchmill.budgets WHERE unauthorized_since IS NOT NULL) AS unauthorized
        FROM searchmill.executions e ORDER BY e.id`);
  /** Lets the times come that a minute would bring. */
  const aMinuteLater = async (): Promise<void> => {
    await stack.pool.query('UPDATE searchmill.budgets SET probe_at = clock_timestamp() WHERE probe_at IS NOT NULL');
    await stack.pool.query('UPDATE searchmill.executions SET due_at = clock_timestamp() WHERE due_at > clock_timestamp()');
  };
  async function refuseInTheMiddle(): Promise<Load | undefined> {
    await until('the first pages', async () => ((await loads())[0]?.pages ?? 0) >= 3);
    stack.sandbox.revoke();
    await until('the refusal', async () => {
      const [load] = await loads();
      return load?.unauthorized && load.waiting?.includes('a valid credential');
    });
    return (await loads())[0];
  }

  beforeEach(async () => {
    stack = await createTestStack({ queue, jobs: JOBS, clock: createSimulatedClock('2026-09-14T07:00:00Z'), sandbox: { pageMs: 30 } });
  });
  afterEach(() => stack.close());

  it('goes on at its page, with the same query, when the service takes it again', async () => {
    await stack.start();
    const waiting = await refuseInTheMiddle();
    expect(waiting).toMatchObject({ state: 'loading', waiting: 'a valid credential of connection main' });
    expect(await stack.read('SELECT count(*) AS rows FROM searchmill_staging.execution_1')).toEqual([{ rows: waiting?.staged }]);
    stack.sandbox.restore();
    await aMinuteLater();
    await stack.settle();
    expect(await loads()).toMatchObject([{ state: 'published', remote: waiting?.remote, unauthorized: false }]);
    expect(stack.sandbox.report().submits).toHaveLength(1);
    await expectExactlyServed(stack);
  });

  it('is submitted again at once when a restart brings another credential, which does not know the query of the first', async () => {
    const first = await stack.start();
    await refuseInTheMiddle();
    await first.stop();
    stack.sandbox.restore();
    const main = stack.config.connections.get('other');
    if (!main) throw new Error('no other connection');
    const connections = new Map(stack.config.connections).set('main', { ...main, name: 'main' });
    await stack.start({ config: { ...stack.config, connections } });
    // The execution's next step is due within a minute; the refused budget is not waited for.
    await stack.pool.query('UPDATE searchmill.executions SET due_at = clock_timestamp() WHERE due_at > clock_timestamp()');
    await until('the old query to be given up', async () => (await loads()).length === 2);
    await stack.pool.query('UPDATE searchmill.executions SET due_at = clock_timestamp() WHERE due_at > clock_timestamp()');
    await stack.settle();
    expect((await loads()).map(({ state }) => state)).toEqual(['abandoned', 'published']);
    expect(stack.sandbox.report().submits).toHaveLength(2);
    await expectExactlyServed(stack);
  });
});

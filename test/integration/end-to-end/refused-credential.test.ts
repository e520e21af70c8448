// A 401 in the middle of a load: the execution waits and its staging is kept; it goes on where it stopped when the credential
// is right again, and a process that is started with another one asks at once.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMill, describeOnEachQueue, MILL_KEY, type Mill } from '../../support/mill.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { until } from '../../support/wait.ts';

const JOBS = `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: mill-token }, limits: hard }
  other: { base_url: "\${SANDBOX_URL}", auth: { api_key: ${MILL_KEY.apiKey}, shared_secret: ${MILL_KEY.sharedSecret} }, limits: hard }
jobs:
  - { name: rankings, dataset: keyword_rankings, connection: main, account_id: 12345, since: 2026-09-06, page_size: 50 }
`;

type Load = { state: string; pages: number; staged: number; waiting: string | null; unauthorized: boolean; remote: string };

describeOnEachQueue('a credential that is refused in the middle of a load', (queue) => {
  let mill: Mill;
  const loads = (): Promise<Load[]> =>
    mill.read<Load>(`
      SELECT e.state, e.pages, e.rows_staged AS staged, e.waiting_for AS waiting, e.remote_execution_id AS remote,
             EXISTS (SELECT FROM searchmill.budgets WHERE unauthorized_since IS NOT NULL) AS unauthorized
        FROM searchmill.executions e ORDER BY e.id`);
  /** Lets the times come that a minute would bring. */
  const aMinuteLater = async (): Promise<void> => {
    await mill.pool.query('UPDATE searchmill.budgets SET probe_at = clock_timestamp() WHERE probe_at IS NOT NULL');
    await mill.pool.query('UPDATE searchmill.executions SET due_at = clock_timestamp() WHERE due_at > clock_timestamp()');
  };
  async function refuseInTheMiddle(): Promise<Load | undefined> {
    await until('the first pages', async () => ((await loads())[0]?.pages ?? 0) >= 3);
    mill.sandbox.revoke();
    await until('the refusal', async () => {
      const [load] = await loads();
      return load?.unauthorized && load.waiting?.includes('a valid credential');
    });
    return (await loads())[0];
  }

  beforeEach(async () => {
    mill = await createMill({ queue, jobs: JOBS, clock: createSimulatedClock('2026-09-14T07:00:00Z'), sandbox: { pageMs: 30 } });
  });
  afterEach(() => mill.close());

  it('goes on at its page, with the same query, when the service takes it again', async () => {
    await mill.start();
    const waiting = await refuseInTheMiddle();
    expect(waiting).toMatchObject({ state: 'loading', waiting: 'a valid credential of connection main' });
    expect(await mill.read('SELECT count(*) AS rows FROM searchmill_staging.execution_1')).toEqual([{ rows: waiting?.staged }]);
    mill.sandbox.restore();
    await aMinuteLater();
    await mill.settle();
    expect(await loads()).toMatchObject([{ state: 'published', remote: waiting?.remote, unauthorized: false }]);
    expect(mill.sandbox.report().submits).toHaveLength(1);
    await expectExactlyServed(mill);
  });

  it('is asked for at once with another credential after a restart; the service knows the query of the first no more', async () => {
    const first = await mill.start();
    await refuseInTheMiddle();
    await first.stop();
    mill.sandbox.restore();
    const main = mill.config.connections.get('other');
    if (!main) throw new Error('no other connection');
    const connections = new Map(mill.config.connections).set('main', { ...main, name: 'main' });
    await mill.start({ config: { ...mill.config, connections } });
    // The execution's next look is due within a minute; the refused budget is not waited for.
    await mill.pool.query('UPDATE searchmill.executions SET due_at = clock_timestamp() WHERE due_at > clock_timestamp()');
    await until('the old query to be given up', async () => (await loads()).length === 2);
    await mill.pool.query('UPDATE searchmill.executions SET due_at = clock_timestamp() WHERE due_at > clock_timestamp()');
    await mill.settle();
    expect((await loads()).map(({ state }) => state)).toEqual(['abandoned', 'published']);
    expect(mill.sandbox.report().submits).toHaveLength(2);
    await expectExactlyServed(mill);
  });
});

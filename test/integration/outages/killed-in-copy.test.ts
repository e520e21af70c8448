// Postgres dies in the middle of a large COPY: by the loss of the very backend, which makes the server restart all, and by a stop at once.
// The page is loaded again, nothing is doubled, and no submit is spent.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { onEachStagingTable } from '../../support/staging-trigger.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { startTlsPostgres, type TlsPostgres } from '../../support/tls-postgres.ts';
import { until } from '../../support/wait.ts';

const JOBS = `
connections: { main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: hard } }
jobs: [{ name: rankings, dataset: keyword_rankings, account_id: 12345, since: 2026-09-06, page_size: 1000, connection: main, schedule: { cron: "0 6 * * 1" } }]
`;

/** Each row of a COPY takes as long as public.pace says, so that it is surely met in its middle. */
const SLOW_COPY = `
  CREATE TABLE public.pace (seconds float8);
  INSERT INTO public.pace VALUES (0.02);
  CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_sleep(seconds) FROM public.pace WHERE seconds > 0;
    RETURN NEW;
  END $$;
  ${onEachStagingTable('FOR EACH ROW EXECUTE FUNCTION public.wait()')}`;

let server: TlsPostgres;
let stack: TestStack;
beforeAll(async () => {
  server = await startTlsPostgres();
  stack = await createTestStack({
    queue: { kind: 'postgres', redisUrl: undefined },
    jobs: JOBS,
    clock: createSimulatedClock('2026-09-14T07:00:00Z'),
    openDatabase: async () => {
      await migrate(new Secret(server.url));
      return { url: server.url, drop: async () => undefined };
    },
  });
  await stack.pool.query(SLOW_COPY);
});
afterAll(async () => {
  await stack.close();
  await server.stop();
});

/** The backend of a COPY into staging that is in its middle. */
async function copying(): Promise<number> {
  const found = await until('the middle of a COPY', async () => {
    const rows = await stack
      .read<{ pid: number }>(`SELECT pid FROM pg_stat_progress_copy WHERE command = 'COPY FROM' AND tuples_processed > 20`)
      .catch(() => []);
    return rows[0];
  });
  return found.pid;
}

it('loses nothing, doubles nothing and spends no submit', async () => {
  const instance = await stack.start({ leaseMs: 6_000 });
  process.kill(await copying(), 'SIGKILL');
  await until('the server to have restarted', () => ask());
  await copying();
  await server.crash();
  await copying();
  await stack.pool.query('UPDATE public.pace SET seconds = 0');
  await stack.settle();
  await instance.stop();
  expect(await expectExactlyServed(stack)).toHaveLength(1);
  expect(await stack.read('SELECT state FROM searchmill.executions')).toEqual([{ state: 'published' }]);
  expect(stack.sandbox.report().submits).toHaveLength(1);
});

async function ask(): Promise<boolean> {
  await using pool = createPool(new Secret(server.url), { applicationName: 'test', max: 1 });
  return pool.query('SELECT 1').then(
    () => true,
    () => false,
  );
}

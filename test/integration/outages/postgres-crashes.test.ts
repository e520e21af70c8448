// A Postgres that dies in the middle of a COPY: one of its processes is killed, which ends all sessions and makes it recover; or the
// whole server is ended without a word and started again. Each load goes on at its committed page.
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { migrate } from '../../../src/warehouse/migrate.ts';
import {
  type InstalledPostgres,
  initCluster,
  makeServerFolder,
  removeServerFolder,
  startCluster,
} from '../../support/installed-postgres.ts';
import { placePrograms } from '../../support/replicas.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const JOBS = `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: hard }
defaults: { account_id: 12345, since: 2026-09-06, page_size: 1000, max_submits: 1, schedule: { cron: "0 6 * * 1" } }
jobs:
  - { name: rankings, dataset: keyword_rankings }
`;
/** Short: the work goes on when the lease has ended. */
const LEASE_MS = 6_000;

// While public.slow has a row, every row of a COPY takes a while.
const SLOW_COPIES = `
  CREATE TABLE public.slow (a integer);
  CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM public.slow) THEN PERFORM pg_catalog.pg_sleep(0.05); END IF;
    RETURN NEW;
  END $$;
  CREATE FUNCTION public.slow_staging() RETURNS event_trigger LANGUAGE plpgsql AS $$
  DECLARE made record;
  BEGIN
    FOR made IN SELECT object_identity FROM pg_event_trigger_ddl_commands() WHERE schema_name = 'searchmill_staging' AND object_type = 'table' LOOP
      EXECUTE format('CREATE TRIGGER wait BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION public.wait()', made.object_identity);
    END LOOP;
  END $$;
  CREATE EVENT TRIGGER slow_staging ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.slow_staging()`;

let folder: string;
let programs: string;
let server: InstalledPostgres;
let stack: TestStack;

beforeAll(async () => {
  folder = await makeServerFolder();
  programs = placePrograms(folder);
  await initCluster(programs, `${folder}/cluster`, ['max_connections = 100']);
  server = await startCluster(programs, `${folder}/cluster`);
});
afterEach(() => stack.close());
afterAll(async () => {
  await server.stop();
  await removeServerFolder(folder);
});

const DEATHS: readonly (readonly [string, (pid: number) => Promise<void>])[] = [
  [
    'is killed',
    async (pid) => {
      process.kill(pid, 'SIGKILL');
    },
  ],
  [
    'ends with the whole server',
    async () => {
      await server.stop();
      server = await startCluster(programs, server.folder, { port: Number(new URL(server.url).port) });
    },
  ],
];

it.each(DEATHS)('a session in the middle of a COPY %s, and nothing is lost or doubled', async (title, die) => {
  const url = new URL(`/${title.replaceAll(' ', '_')}`, server.url).href;
  stack = await createTestStack({
    queue: { kind: 'postgres', redisUrl: undefined },
    jobs: JOBS,
    clock: createSimulatedClock('2026-09-14T07:00:00Z'),
    openDatabase: async () => {
      await withServer((client) => client.query(`CREATE DATABASE ${new URL(url).pathname.slice(1)}`));
      await migrate(new Secret(url));
      return { url, drop: async () => undefined };
    },
  });
  await stack.pool.query(SLOW_COPIES);
  await stack.start({ leaseMs: LEASE_MS });
  await until('a committed page', async () => (await stack.read('SELECT FROM searchmill.executions WHERE pages > 0')).length > 0);
  await stack.pool.query('INSERT INTO public.slow VALUES (1)');
  const pid = await until('the middle of a COPY', async () => {
    const copying = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'COPY searchmill_staging.%' AND wait_event = 'PgSleep'";
    return (await stack.read<{ pid: number }>(copying))[0]?.pid;
  });
  await die(pid);
  await until('the server to be back', () =>
    stack.pool.query('TRUNCATE public.slow').then(
      () => true,
      () => false,
    ),
  );
  await stack.settle();
  expect(await expectExactlyServed(stack)).toHaveLength(1);
  expect(stack.sandbox.report().submits).toHaveLength(1);
});

async function withServer(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await work(client);
  await client.end();
}

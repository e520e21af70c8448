// What a Postgres does on a bad day, in the middle of loads: for a while it refuses. Nothing is marked failed that was only
// late, nothing is spent on it, and everything goes on by itself.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { asLogin } from '../../support/database-access.ts';
import { recordLog } from '../../support/recorded-log.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { onEachStagingTable } from '../../support/staging-trigger.ts';
import { createTestStack, describeOnEachQueue, sandboxJobs, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const JOBS = sandboxJobs('account_id: 12345, since: 2026-09-06, page_size: 100, max_submits: 1, schedule: { cron: "0 6 * * 1" }', {
  rankings: 'keyword_rankings',
  answers: 'ai_search_response',
});

/** Short: where not even a next step could be written down, the work goes on when its lease has ended. */
const LEASE_MS = 6_000;

type Outage = Readonly<{
  title: string;
  /** What the log says about it. */
  saying: RegExp;
  /** The queue has no part in it, or the same. */
  isTheSameOnBoth?: boolean;
  begin(stage: Stage): Promise<unknown>;
  end(stage: Stage): Promise<unknown>;
}>;
/** `administrator` is connected to another database of the server and may do anything. */
type Stage = Readonly<{ administrator: Pool; stack: TestStack; database: string; role: string }>;

const cutAll = ({ administrator, role }: Stage): Promise<unknown> =>
  administrator.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role]);

const limitConnections =
  (most: number, isCut: boolean): ((stage: Stage) => Promise<void>) =>
  async (stage) => {
    await stage.administrator.query(`ALTER ROLE ${stage.role} CONNECTION LIMIT ${most}`);
    if (isCut) await cutAll(stage);
  };

/** Raised by triggers wherever Searchmill writes, while public.disruption names a SQLSTATE. */
const raising = (title: string, code: string, saying: RegExp): Outage => ({
  title,
  isTheSameOnBoth: true,
  saying,
  begin: ({ stack }) => stack.pool.query('UPDATE public.disruption SET code = $1', [code]),
  end: ({ stack }) => stack.pool.query('UPDATE public.disruption SET code = NULL'),
});

const OUTAGES: readonly Outage[] = [
  {
    // The connections of that time stay read-only, as those to a server that was demoted do.
    title: 'is read-only, as while failing over',
    saying: /the server is read-only/,
    async begin(stage) {
      await stage.administrator.query(`ALTER DATABASE ${stage.database} SET default_transaction_read_only = on`);
      await cutAll(stage);
    },
    end: ({ administrator, database }) => administrator.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`),
  },
  {
    title: 'has no connection left',
    saying: /too many connections/,
    begin: limitConnections(0, true),
    end: limitConnections(-1, false),
  },
  {
    title: 'has a single connection left',
    isTheSameOnBoth: true,
    saying: /too many connections/,
    begin: limitConnections(1, true),
    end: limitConnections(-1, false),
  },
  raising('has a full disk', '53100', /the disk is full/),
  raising('cannot serialize', '40001', /serialization failure/),
  raising('sees deadlocks everywhere', '40P01', /deadlock/),
];

const TRIGGERS = `
  CREATE TABLE public.disruption (code text);
  INSERT INTO public.disruption VALUES (NULL);
  GRANT SELECT ON public.disruption TO public;
  CREATE FUNCTION public.strike() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE now_code text := (SELECT code FROM public.disruption);
  BEGIN
    IF now_code IS NOT NULL THEN RAISE 'struck' USING ERRCODE = now_code; END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER strike BEFORE INSERT OR UPDATE ON searchmill.executions FOR EACH STATEMENT EXECUTE FUNCTION public.strike();
  CREATE TRIGGER strike BEFORE INSERT OR UPDATE ON searchmill.call_slots FOR EACH STATEMENT EXECUTE FUNCTION public.strike();
  ${onEachStagingTable('FOR EACH STATEMENT EXECUTE FUNCTION public.strike()')}`;

describeOnEachQueue('a Postgres that', (queue) => {
  let stack: TestStack;
  let stage: Stage;
  let asRole: Secret;

  beforeEach(async () => {
    const clock = createSimulatedClock('2026-09-14T07:00:00Z');
    stack = await createTestStack({ queue, jobs: JOBS, clock, sandbox: { pageMs: 60, queryMs: 500 } });
    const elsewhere = new URL(stack.databaseUrl);
    const database = elsewhere.pathname.slice(1);
    elsewhere.pathname = '/postgres';
    // Least privileges, as in production; and owners of the server are above its limits.
    const role = `mill_${randomBytes(4).toString('hex')}`;
    asRole = new Secret(asLogin(stack.databaseUrl, role, 'stack'));
    stage = {
      administrator: createPool(new Secret(elsewhere.href), { applicationName: 'test administrator', max: 1 }),
      stack,
      database,
      role,
    };
    await stage.administrator.query(`CREATE ROLE ${role} LOGIN PASSWORD 'stack' IN ROLE searchmill_writer`);
    await stack.pool.query(TRIGGERS);
  });
  afterEach(async () => {
    await stack.close();
    await stage.administrator.query(`DROP ROLE ${stage.role}`);
    await stage.administrator.end();
  });

  it.each(OUTAGES.filter(({ isTheSameOnBoth }) => queue.kind === 'postgres' || !isTheSameOnBoth))(
    '$title is waited for, and costs nothing',
    async ({ saying, begin, end }) => {
      const { log, lines } = recordLog();
      const instance = await stack.start({ databaseUrl: asRole, log, leaseMs: LEASE_MS });
      await until('loads', async () => {
        const [found] = await stack.read<{ submitted: number; pages: number }>(
          'SELECT count(submitted_at)::integer AS submitted, max(pages) AS pages FROM searchmill.executions',
        );
        return found?.submitted === 2 && found.pages >= 2;
      });
      await begin(stage);
      const before = lines.length;
      await until('it to be felt', () => lines.slice(before).filter((line) => saying.test(line)).length >= 3);
      expect(await stack.read('SELECT id FROM searchmill.executions WHERE errors_in_row > 0 OR end_reason IS NOT NULL')).toEqual([]);
      await end(stage);
      await stack.settle();
      const slices = await expectExactlyServed(stack);
      expect(slices).toHaveLength(2);
      expect(stack.sandbox.report().submits).toHaveLength(2);
      expect(await stack.read(`SELECT state, count(*) FROM searchmill.executions GROUP BY 1`)).toEqual([{ state: 'published', count: 2 }]);
      await instance.pingQueue();
      await instance.stop();
    },
  );
});

// A fail-over to a streaming replica in the middle of loads. The address moves, and the old primary is left alive: what goes on there
// is lost, so no connection may stay. TEST_POSTGRES_VERSION names another major version than the one of npm's package.
import { afterEach, expect, it } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { migrate } from '../../src/postgres/schema/migrate.ts';
import type { InstalledPostgres } from '../support/installed-postgres.ts';
import { type Replicas, startReplicas } from '../support/replicas.ts';
import { expectExactlyServed } from '../support/served-rows.ts';
import { createSimulatedClock } from '../support/simulated-clock.ts';
import { createTestStack, describeOnEachQueue, sandboxJobs, type TestStack } from '../support/test-stack.ts';
import { until } from '../support/wait.ts';

const JOBS = sandboxJobs('account_id: 12345, page_size: 200, lookback_weeks: 0, max_submits: 10, schedule: { cron: "0 6 * * 1" }', {
  rankings: 'keyword_rankings, since: 2026-01-04',
  citations: 'ai_search_citations, since: 2026-05-03',
});
const DATABASE = 'warehouse';
const SLICES = 36 + 19;
const READ_ONLY_MS = 10_000;
/** Slow enough that loads do not end meanwhile: sessions of the old primary go on there until it is left. */
const PAGE_MS = 150;
const PATIENCE_MS = 600_000;

let replicas: Replicas;
let stack: TestStack;
afterEach(async () => {
  await stack.close();
  await replicas.close();
});

const urlAt = (url: string, port: number): string => {
  const address = new URL(`/${DATABASE}`, url);
  address.port = String(port);
  return address.href;
};
const ask = async <T extends Record<string, unknown>>(server: InstalledPostgres, sql: string): Promise<T> =>
  (await replicas.read<T>(server, sql, DATABASE))[0] as T;
const countRows = async (server: InstalledPostgres): Promise<number> =>
  (await ask<{ rows: number }>(server, 'SELECT coalesce(sum(rows_received), 0)::integer AS rows FROM searchmill.executions')).rows;
const countPublished = async (server: InstalledPostgres): Promise<number> =>
  (await ask<{ slices: number }>(server, 'SELECT count(published_at)::integer AS slices FROM searchmill.slices')).slices;
const portOf = ({ url }: InstalledPostgres): number => Number(new URL(url).port);

describeOnEachQueue('a fail-over in the middle of loads', (queue) => {
  async function openStack(): Promise<void> {
    stack = await createTestStack({
      queue,
      jobs: JOBS,
      clock: createSimulatedClock('2026-09-14T07:00:00Z'),
      sandbox: { pageMs: PAGE_MS, queryMs: 100 },
      openDatabase: async () => {
        await replicas.read(replicas.primary, `CREATE DATABASE ${DATABASE}`);
        await migrate(new Secret(urlAt(replicas.primary.url, portOf(replicas.primary))));
        return { url: urlAt(replicas.primary.url, replicas.address.port), drop: async () => undefined };
      },
    });
    await stack.start();
    await until('a third of the rows', async () => (await countRows(replicas.primary)) > 70_000);
  }

  /** Resolves when the new primary has taken rows; returns after how many seconds. */
  async function moveAddress(readOnlyMs: number): Promise<number> {
    const from = performance.now();
    replicas.address.leadTo(portOf(replicas.standby));
    if (readOnlyMs > 0) await new Promise((done) => setTimeout(done, readOnlyMs));
    await replicas.read(replicas.standby, 'SELECT pg_promote()');
    const before = await countRows(replicas.standby);
    await until('rows on the new primary', async () => (await countRows(replicas.standby)) > before);
    return (performance.now() - from) / 1_000;
  }

  // Sessions whose commits wait there for the standby outlive their clients: Postgres does not look after those meanwhile.
  const expectNobodyLeft = (): Promise<unknown> =>
    until('all to leave the old primary', () => replicas.address.countTo(portOf(replicas.primary)) === 0);

  /** All weeks, and all on the new primary. */
  async function expectAllLoaded(): Promise<void> {
    await until('all weeks', async () => (await countPublished(replicas.standby)) === SLICES, PATIENCE_MS);
    await stack.settle();
    const slices = await expectExactlyServed(stack);
    expect(slices).toHaveLength(SLICES);
    expect(slices.reduce((sum, { rows }) => sum + rows, 0)).toBeGreaterThan(190_000);
  }

  it.each([0, READ_ONLY_MS])('to a synchronous replica that is read-only for %i ms loses and doubles no row', async (readOnlyMs) => {
    replicas = await startReplicas({ isSynchronous: true });
    await openStack();
    const pausedSeconds = await moveAddress(readOnlyMs);
    const from = performance.now();
    await expectNobodyLeft();
    console.log(`rows again after ${pausedSeconds.toFixed(1)} s, nobody left ${((performance.now() - from) / 1_000).toFixed(1)} s later`);
    await expectAllLoaded();
    // Each is explained by an execution. One that was sent while its answer could not be written down may be sent again, and says so.
    const sent = await stack.read<{ state: string; why: string | null }>(
      'SELECT state, end_reason AS why FROM searchmill.executions WHERE submit_started_at IS NOT NULL',
    );
    expect(stack.sandbox.report().submits.length, JSON.stringify(sent.filter(({ state }) => state !== 'published'))).toBe(sent.length);
  });

  it('to an asynchronous one that lacks the last commits loads again what was lost', async () => {
    replicas = await startReplicas({ isSynchronous: false });
    await openStack();
    // The standby no longer follows, while the old primary goes on publishing.
    await replicas.read(replicas.standby, "ALTER SYSTEM SET primary_conninfo = ''");
    await replicas.read(replicas.standby, 'SELECT pg_reload_conf()');
    await until(
      'it to follow no more',
      async () => (await replicas.read(replicas.standby, 'SELECT FROM pg_stat_wal_receiver')).length === 0,
    );
    const replicated = await countPublished(replicas.standby);
    await until('weeks that will be lost', async () => (await countPublished(replicas.primary)) > replicated + 3);
    const pausedSeconds = await moveAddress(0);
    const from = performance.now();
    await expectNobodyLeft();
    console.log(`rows again after ${pausedSeconds.toFixed(1)} s, nobody left ${((performance.now() - from) / 1_000).toFixed(1)} s later`);
    await expectAllLoaded();
  });
});

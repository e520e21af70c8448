// What load balancers, container engines and Prometheus see of a running instance.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { StoreError } from '../../../src/core/errors.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { createMetrics, type Metrics } from '../../../src/ops/metrics.ts';
import { OPS_CONNECTIONS, type OpsOptions, type OpsServer, startOpsServer } from '../../../src/ops/server.ts';
import { asStoreError } from '../../../src/postgres/store-errors.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { openProxy, type TcpProxy } from '../../chaos/tcp-proxy.ts';
import { whileClosed } from '../../support/database-access.ts';
import { createTestStack, describeOnEachQueue, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const JOBS = jobsSince(addDays(NEWEST, -7), {
  rankings: 'keyword_rankings, page_size: 300',
  answers: 'ai_search_response',
});

/** What SIGTERM promises. */
const STOPS_WITHIN_MS = 10_000;

type Readiness = { status: string; checks: Record<string, string> };

let stack: TestStack;
let metrics: Metrics;
let instance: Instance;
let ops: OpsServer;

/** Its answers hold for no time, so that tests see what there is. */
async function startWatched(options: Parameters<TestStack['start']>[0] = {}, own: Partial<OpsOptions> = { holdMs: 0 }): Promise<void> {
  metrics = createMetrics('1.2.3');
  instance = await stack.start({ ...options, observer: metrics.pipelineObserver, callObserver: metrics.callObserver });
  ops = await serve(own);
}

function serve(own: Partial<OpsOptions>): ReturnType<typeof startOpsServer> {
  return startOpsServer({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: new Secret(stack.databaseUrl),
    instance,
    metrics,
    log: silentLogger,
    ...own,
  });
}

async function stopWatched(): Promise<void> {
  await ops.close();
  await stack.close();
}

async function readiness(): Promise<Readiness & { code: number }> {
  const response = await fetch(`${ops.url}/readyz`);
  return { code: response.status, ...((await response.json()) as Readiness) };
}

describeOnEachQueue('health', (queue) => {
  beforeAll(async () => {
    stack = await createTestStack({ queue, jobs: JOBS, sandbox: { size: 'tiny' } });
    await startWatched();
    await stack.settle();
  });
  afterAll(stopWatched);

  it('is alive and ready, check by check', async () => {
    const alive = await fetch(`${ops.url}/healthz`);
    expect(alive.status).toBe(200);
    expect(await alive.json()).toEqual({ status: 'alive' });
    expect(await readiness()).toEqual({
      code: 200,
      status: 'ready',
      checks: { database: 'ok', migrations: 'ok', queue: 'ok', reconciler: 'ok', scheduler: 'ok' },
    });
  });

  it('is served under loopback names only, as long as there is no password', async () => {
    const statusAs = (host: string, path: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        request(`${ops.url}${path}`, { headers: { host } }, (answer) => answer.resume().once('end', () => resolve(answer.statusCode)))
          .on('error', reject)
          .end();
      });
    for (const path of ['/readyz', '/metrics', '/%6detrics']) {
      expect([path, await statusAs('localhost:9464', path), await statusAs('evil.example', path)]).toEqual([path, 200, 403]);
    }
  });

  it('is not ready while a migration of this release is missing', async () => {
    const [last] = await stack.read<{ name: string }>(
      'DELETE FROM searchmill.migrations WHERE name = (SELECT max(name) FROM searchmill.migrations) RETURNING name',
    );
    expect(await readiness()).toMatchObject({
      code: 503,
      status: 'not ready',
      checks: { database: 'ok', migrations: `missing: ${last?.name}` },
    });
    await stack.pool.query('INSERT INTO searchmill.migrations (name, run_on) VALUES ($1, now())', [last?.name]);
    expect(await readiness()).toMatchObject({ code: 200 });
  });

  it('is alive but not ready while the database is away, and ready again when it is back', async () => {
    await whileClosed(stack.databaseUrl, async (open) => {
      const away = await readiness();
      expect(away).toMatchObject({ code: 503, status: 'not ready' });
      expect(away.checks.database).toMatch(/not currently accepting connections|terminating connection/);
      expect((await fetch(`${ops.url}/healthz`)).status).toBe(200);
      const scrape = await fetch(`${ops.url}/metrics`);
      expect(scrape.status).toBe(503);
      const failure = await scrape.text();
      expect(failure).not.toContain('://');
      // A server with trust authentication has no password.
      const { password } = new URL(stack.databaseUrl);
      if (password !== '') expect(failure).not.toContain(password);
      await open();
      await until('readiness', async () => (await readiness()).code === 200);
    });
  });
});

describe.skipIf(inject('servers').redis.url === undefined)('health of the queue on Redis', () => {
  let proxy: TcpProxy;
  afterAll(async () => {
    proxy.release();
    await stopWatched();
    await proxy.close();
  });

  it('is not ready while Redis is away or swallows everything; loads go on when it is back', async () => {
    const redis = new URL(inject('servers').redis.url ?? '');
    proxy = await openProxy(Number(redis.port || 6379));
    redis.host = `127.0.0.1:${proxy.port}`;
    // Away from the start: an instance comes up without its Redis.
    proxy.refuse();
    stack = await createTestStack({ queue: { kind: 'redis', redisUrl: new Secret(redis.href) }, jobs: JOBS, sandbox: { size: 'tiny' } });
    await startWatched();
    expect(await readiness()).toMatchObject({
      code: 503,
      checks: { database: 'ok', queue: expect.stringContaining('Redis does not answer') },
    });
    expect(stack.sandbox.report().submits).toEqual([]);
    proxy.release();
    await stack.settle();
    expect(await readiness()).toMatchObject({ code: 200, checks: { queue: 'ok' } });
    expect(stack.sandbox.report().submits).toHaveLength(4);
    proxy.swallow();
    expect(await readiness()).toMatchObject({ code: 503, checks: { queue: 'has not answered within 3 s' } });
    proxy.release();
    await until('readiness', async () => (await readiness()).code === 200);
  });

  it('does not hold up a stop while Redis is away', async () => {
    proxy.refuse();
    const toldAt = performance.now();
    await instance.stop();
    expect(performance.now() - toldAt).toBeLessThan(STOPS_WITHIN_MS);
  });

  it('does not hold up a stop while the connections to Redis are being made again', async () => {
    proxy.release();
    const other = await stack.start();
    // Otherwise BullMQ would have no connection to wait for.
    await until('workers that wait for bells and ticks', async () => (await countWaiting()) >= 3);
    proxy.refuse();
    proxy.release();
    await other.stop();
    expect(other.health().isStopping).toBe(true);
  });

  async function countWaiting(): Promise<number> {
    const redis = new Redis(inject('servers').redis.url ?? '', { lazyConnect: true });
    try {
      return String(await redis.client('LIST')).split('cmd=bzpopmin').length - 1;
    } finally {
      redis.disconnect();
    }
  }
});

/** Samples of an exposition, by name and labels as they are written. */
function parseExposition(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

describe('metrics', () => {
  let samples: Map<string, number>;
  const scrape = async (): Promise<void> => {
    const response = await fetch(`${ops.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    samples = parseExposition(await response.text());
  };

  beforeAll(async () => {
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS });
    stack.sandbox.setFaults({
      rules: [{ fault: { kind: 'too_many', retry_after: 1 }, on: { operation: 'keyword_rankings', call: 'page' }, when: { nth: 2 } }],
    });
    await startWatched();
    await stack.settle();
    await scrape();
  });
  afterAll(stopWatched);

  it('come as OpenMetrics to who asks for it', async () => {
    const response = await fetch(`${ops.url}/metrics`, { headers: { accept: 'application/openmetrics-text;version=1.0.0,*/*;q=0.1' } });
    expect(response.headers.get('content-type')).toMatch(/^application\/openmetrics-text/);
    const text = await response.text();
    expect(text).toMatch(/\n# EOF\n$/);
    expect(text).toContain('searchmill_coverage_weeks{job="rankings",state="published"} 2');
  });

  it('show coverage by job and state, and how fresh it is', async () => {
    for (const job of ['rankings', 'answers']) {
      expect(samples.get(`searchmill_coverage_weeks{job="${job}",state="published"}`)).toBe(2);
      for (const state of ['running', 'held', 'failed', 'missing'])
        expect(samples.get(`searchmill_coverage_weeks{job="${job}",state="${state}"}`)).toBe(0);
      expect(samples.get(`searchmill_newest_published_week_timestamp_seconds{job="${job}"}`)).toBe(Date.parse(NEWEST) / 1000);
      const [latest] = await stack.read<{ at: Date }>('SELECT max(published_at) AS at FROM searchmill.slices WHERE job = $1', [job]);
      expect(samples.get(`searchmill_last_published_timestamp_seconds{job="${job}"}`)).toBe((latest?.at.getTime() ?? 0) / 1000);
    }
  });

  it('count calls by kind and outcome as the service saw them, 429s included', () => {
    const { calls, answers } = stack.sandbox.report();
    const all = Object.values(calls);
    const reads = all.reduce((sum, { poll, page }) => sum + poll + page, 0);
    const submits = all.reduce((sum, { submit }) => sum + submit, 0);
    const callsOf = (kind: string, outcome: string) =>
      samples.get(`searchmill_calls_total{connection="main",kind="${kind}",outcome="${outcome}"}`);
    expect(answers['429']).toBe(1);
    expect(callsOf('read', 'rate_limited')).toBe(1);
    expect(callsOf('read', 'ok')).toBe(reads - 1);
    expect(callsOf('submit', 'ok')).toBe(submits);
    expect(samples.get('searchmill_call_duration_seconds_count{connection="main",kind="read"}')).toBe(reads);
    expect(samples.get('searchmill_calls_last_minute{connection="main",kind="submit"}')).toBe(submits);
  });

  it('count pages, rows and what publishing did with them, as the ledger has it', async () => {
    for (const [job, dataset] of [
      ['rankings', 'keyword_rankings'],
      ['answers', 'ai_search_response'],
    ]) {
      const [loaded] = await stack.read<{ pages: number; rows: number; loads: number }>(
        `SELECT sum(pages)::integer AS pages, sum(rows_received)::integer AS rows, count(*)::integer AS loads
           FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1 AND e.state = 'published'`,
        [job],
      );
      const labels = `{job="${job}",dataset="${dataset}"}`;
      expect(samples.get(`searchmill_pages_total${labels}`)).toBe(loaded?.pages);
      expect(samples.get(`searchmill_rows_total${labels}`)).toBe(loaded?.rows);
      expect(samples.get(`searchmill_publications_total${labels}`)).toBe(loaded?.loads);
      expect(samples.get(`searchmill_published_rows_total{job="${job}",dataset="${dataset}",change="inserted"}`)).toBe(loaded?.rows);
      expect(samples.get(`searchmill_published_rows_total{job="${job}",dataset="${dataset}",change="updated"}`)).toBe(0);
    }
  });

  it('time each stage', () => {
    for (const stage of ['submit', 'poll', 'load', 'publish']) {
      expect(
        samples.get(`searchmill_stage_duration_seconds_count{stage="${stage}",dataset="keyword_rankings"}`),
        stage,
      ).toBeGreaterThanOrEqual(2);
      expect(samples.get(`searchmill_stage_duration_seconds_sum{stage="${stage}",dataset="keyword_rankings"}`), stage).toBeGreaterThan(0);
    }
  });

  it('count how loads of the last day ended, rows in quarantine and differences of the schema, as the ledger has them', async () => {
    const loads = (outcome: string) =>
      samples.get(`searchmill_loads_last_day{job="answers",dataset="ai_search_response",outcome="${outcome}"}`);
    const all = () => ['published', 'held', 'failed', 'abandoned', 'discarded', 'cancelled'].map(loads);
    expect(all()).toEqual([2, 0, 0, 0, 0, 0]);
    expect(samples.get('searchmill_rows_in_quarantine{job="answers"}')).toBe(0);
    const [first, second] = await stack.read<{ id: number }>(
      `SELECT e.id FROM searchmill.executions e JOIN searchmill.slices s ON s.published_execution_id = e.id WHERE s.job = 'answers'`,
    );
    await stack.pool.query(`UPDATE searchmill.executions SET held_at = now() WHERE id = $1`, [first?.id]);
    await stack.pool.query(`UPDATE searchmill.executions SET ended_at = now() - interval '25 hours' WHERE id = $1`, [second?.id]);
    await stack.pool.query(
      `INSERT INTO searchmill.quarantined_rows (execution_id, page, position, reason, schema_names, raw)
       VALUES ($1, 1, 1, 'x', '{}', '{}'), ($1, 1, 2, 'x', '{}', '{}')`,
      [first?.id],
    );
    await stack.pool.query(
      `INSERT INTO searchmill.drift_events (execution_id, kind, column_name, page, detail) VALUES ($1, 'new_column', 'mood', 1, 'x')`,
      [first?.id],
    );
    await scrape();
    expect(all()).toEqual([1, 1, 0, 0, 0, 0]);
    expect(samples.get('searchmill_rows_in_quarantine{job="answers"}')).toBe(2);
    expect(samples.get('searchmill_schema_differences{job="answers",kind="new_column"}')).toBe(1);
    await stack.pool.query(`
      DELETE FROM searchmill.quarantined_rows; DELETE FROM searchmill.drift_events;
      UPDATE searchmill.executions SET held_at = NULL, ended_at = coalesce(published_at, now()) FROM searchmill.slices s WHERE s.id = slice_id`);
  });

  it('tell when a credential is refused', async () => {
    expect(samples.get('searchmill_connection_unauthorized{connection="main"}')).toBe(0);
    await stack.pool.query('UPDATE searchmill.budgets SET unauthorized_since = now()');
    await scrape();
    expect(samples.get('searchmill_connection_unauthorized{connection="main"}')).toBe(1);
    expect(samples.get('searchmill_problems{kind="credential-refused",job="",severity="error"}')).toBe(1);
  });

  it('show pauses, loads that fail or that no process takes, lost processes and submits of unknown outcome', async () => {
    const metric = (name: string): number | undefined => samples.get(`searchmill_${name}{job="rankings"}`);
    await scrape();
    const names = ['job_paused', 'load_retrying_seconds', 'load_overdue_seconds', 'lease_takings', 'unknown_submits_last_day'];
    expect(names.map(metric)).toEqual([0, 0, 0, 0, 0]);
    metrics.pipelineObserver.onStoreError?.(asStoreError(Object.assign(new Error('full'), { code: '53100' })) as StoreError);
    metrics.onLogLineLost();
    await instance.stop();
    const [load] = await stack.read<{ id: number }>(`
      INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share,
          min_keep_share, max_wait, max_submits, state, due_at, submit_started_at, remote_execution_id, retrying_since, lease_takings)
      SELECT slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share, min_keep_share, max_wait,
             max_submits, 'in_progress', now() - interval '5 minutes', now(), 'x', now() - interval '7 minutes', 3
        FROM searchmill.executions JOIN searchmill.slices s ON s.id = slice_id WHERE s.job = 'rankings' LIMIT 1
      RETURNING id`);
    await scrape();
    expect(Math.floor(metric('load_retrying_seconds') ?? 0)).toBeGreaterThanOrEqual(420);
    expect(Math.floor(metric('load_overdue_seconds') ?? 0)).toBeGreaterThanOrEqual(300);
    expect([metric('lease_takings'), metric('unknown_submits_last_day')]).toEqual([3, 0]);
    expect(samples.get('searchmill_store_errors_total{code="53100",retryable="true"}')).toBe(1);
    expect(samples.get('searchmill_log_lines_lost_total')).toBe(1);

    await stack.pool.query(
      `UPDATE searchmill.executions SET state = 'abandoned', submit_outcome = 'unanswered', ended_at = now(), due_at = NULL, end_reason = 'x' WHERE id = $1`,
      [load?.id],
    );
    await stack.pool.query(`INSERT INTO searchmill.pauses (kind, name) VALUES ('job', 'rankings')`);
    await scrape();
    expect(names.map(metric)).toEqual([1, 0, 0, 0, 1]);
    await stack.pool.query('DELETE FROM searchmill.executions WHERE id = $1', [load?.id]);
  });

  it('count loads that wait for their submit while their connection submits none, and not while it submits others', async () => {
    const overdue = async (): Promise<number> => {
      await scrape();
      return Math.floor((samples.get('searchmill_load_overdue_seconds{job="rankings"}') ?? 0) / 60);
    };
    const submitted = (ago: string): Promise<unknown> =>
      stack.pool.query(`UPDATE searchmill.call_slots SET granted_at = now() - $1::interval WHERE kind = 'submit'`, [ago]);
    await stack.pool.query(`DELETE FROM searchmill.pauses; UPDATE searchmill.budgets SET unauthorized_since = NULL, paused_until = NULL`);
    const [load] = await stack.read<{ id: number }>(`
      INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share,
          min_keep_share, max_wait, max_submits, state, due_at)
      SELECT slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share, min_keep_share, max_wait,
             max_submits, 'planned', now() - interval '20 minutes'
        FROM searchmill.executions JOIN searchmill.slices s ON s.id = slice_id WHERE s.job = 'rankings' LIMIT 1
      RETURNING id`);
    await submitted('1 second');
    expect(await overdue()).toBe(0);
    await submitted('15 minutes');
    expect(await overdue()).toBe(15);
    await submitted('2 hours');
    expect(await overdue()).toBe(20);
    await stack.pool.query('UPDATE searchmill.budgets SET unauthorized_since = now()');
    expect(await overdue()).toBe(0);
    await stack.pool.query('DELETE FROM searchmill.executions WHERE id = $1', [load?.id]);
  });

  it('label with names of the configuration only, never with data', () => {
    const labels = new Set([...samples.keys()].flatMap((key) => [...key.matchAll(/(\w+)="([^"]*)"/g)].map((match) => match[1])));
    expect(new Set([...labels].filter((label) => !NODE_LABELS.has(label ?? '')))).toEqual(
      new Set([
        'change',
        'code',
        'connection',
        'dataset',
        'job',
        'kind',
        'le',
        'node',
        'outcome',
        'retryable',
        'severity',
        'stage',
        'state',
      ]),
    );
  });
});

describe('a server of health and metrics under many requests', () => {
  beforeAll(async () => {
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny' } });
    // However slow the machine is, an answer holds for all scrapes.
    await startWatched({}, { holdMs: 3_600_000 });
  });
  afterAll(stopWatched);

  it('asks the ledger once for thirty scrapes, over connections of its own', async () => {
    const scrapes = await Promise.all(Array.from({ length: 30 }, () => fetch(`${ops.url}/metrics`)));
    expect(scrapes.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(new Set(await Promise.all(scrapes.map((one) => one.text()))).size).toBe(1);
    const own = await stack.read(
      `SELECT 1 FROM pg_stat_activity WHERE application_name = 'searchmill ops' AND datname = current_database()`,
    );
    expect(own.length).toBeLessThanOrEqual(OPS_CONNECTIONS.beside);
    await stack.settle();
  });

  it('closes connections without a request, or with one that comes too slowly', async () => {
    await using impatient = await serve({ patienceMs: 300 });
    const { port } = new URL(impatient.url);
    const closed = ['', 'GET /metrics HTTP/1.1\r\nHost: x\r\nX-Slow: '].map(async (beginning) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined).resume();
      socket.write(beginning);
      await once(socket, 'close');
    });
    expect((await fetch(`${impatient.url}/healthz`)).status).toBe(200);
    await Promise.all(closed);
  });
});

/** Labels of prom-client's own metrics about Node. */
const NODE_LABELS = new Set(['type', 'space', 'version', 'major', 'minor', 'patch', 'gc', 'quantile']);

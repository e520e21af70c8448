// Runs everything that can go well and badly with credentials nobody could mistake, at the most talkative log level, and
// then looks for them in all that was written: output of every process, the whole database, what went to Redis, metrics.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { runCli } from '../../support/command-line.ts';
import { ensureBuilt, killPrograms, runProgram, startProgram } from '../../support/program.ts';
import { listenToRedis, type RedisTraffic } from '../../support/redis-traffic.ts';
import { createTestStack, describeOnEachQueue, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const mark = (kind: string): string => `${kind}-${randomBytes(9).toString('hex')}`;
const SECRETS = {
  token: mark('token'),
  apiKey: mark('key'),
  sharedSecret: mark('shared'),
  password: mark('password'),
  wrongToken: mark('wrong'),
  gatewayKey: mark('gateway'),
} as const;

const JOBS = `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: "\${TOKEN:-${SECRETS.token}}" }, headers: { X-Gateway-Key: "\${GATEWAY_KEY:-${SECRETS.gatewayKey}}" }, limits: hard }
  old: { base_url: "\${SANDBOX_URL}", auth: { api_key: ${SECRETS.apiKey}, shared_secret: ${SECRETS.sharedSecret} }, headers: { x-gateway-key: ${SECRETS.gatewayKey} }, limits: hard }
defaults: { account_id: 12345, since: ${NEWEST}, connection: main, schedule: { cron: "0 0 * * 0", timezone: UTC }, max_submits: 2 }
jobs:
  - { name: rankings, dataset: keyword_rankings, page_size: 300 }
  - { name: rankings-old, dataset: highest_ranking_url_per_keyword, connection: old }
  - { name: brands, dataset: ai_search_brands }
  - { name: answers, dataset: ai_search_response, connection: old }
`;

describeOnEachQueue('no credential is shown anywhere', (queue) => {
  let stack: TestStack;
  let env: Record<string, string>;
  let role: string;
  /** All output, by the place where it was written. */
  const written = new Map<string, string>();
  const keep = (where: string, text: string): void => void written.set(where, (written.get(where) ?? '') + text);
  /** For verbs that log: in a process, since logs go past whatever a test could listen to. */
  const run = async (name: string, args: readonly string[], own: Record<string, string> = {}): Promise<number | null> => {
    const { code, stdout, stderr } = await runProgram(args, { ...env, ...own });
    keep(name, stdout + stderr);
    return code;
  };
  const ask = async (name: string, args: readonly string[], own: Record<string, string> = {}): Promise<number> => {
    const { code, out, err } = await runCli(args, { env: { ...env, ...own } });
    keep(name, out + err);
    return code;
  };
  let traffic: RedisTraffic | undefined;

  beforeAll(async () => {
    await ensureBuilt();
    stack = await createTestStack({
      queue,
      jobs: JOBS,
      sandbox: {
        credentials: [{ token: SECRETS.token }, { apiKey: SECRETS.apiKey, sharedSecret: SECRETS.sharedSecret }],
        gatewayHeader: { name: 'X-Gateway-Key', value: SECRETS.gatewayKey },
        pageMs: 5,
      },
      hasAmpleBudget: false,
    });
    // A role of the test's own, since the password must be one that can be found.
    role = `searchmill_test_${randomBytes(6).toString('hex')}`;
    await stack.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD '${SECRETS.password}' IN ROLE CURRENT_USER`);
    const databaseUrl = new URL(stack.databaseUrl);
    databaseUrl.username = role;
    databaseUrl.password = SECRETS.password;
    env = { ...stack.env, DATABASE_URL: databaseUrl.href, LOG_LEVEL: 'trace' };
    if (queue.kind === 'redis') traffic = await listenToRedis(queue.redisUrl.reveal());
  });
  afterAll(async () => {
    traffic?.stop();
    await killPrograms();
    const server = new URL(stack.databaseUrl);
    server.pathname = '/postgres';
    await stack.close();
    const administrator = createPool(new Secret(server.href), { applicationName: 'test administrator', max: 1 });
    await administrator.query(`DROP ROLE ${role}`);
    await administrator.end();
  });

  it('while all goes well, and while everything that can go wrong does', async () => {
    expect(await ask('check', ['check'])).toBe(0);

    // The weather: 429s, errors, resets, garbage, a query that fails, rows that do not decode.
    stack.sandbox.setFaults({
      rules: [
        { fault: { kind: 'too_many', retry_after: 1 }, on: { call: 'page' }, when: { nth: 2 } },
        { fault: { kind: 'error' }, on: { call: 'page' }, when: { nth: 4 } },
        { fault: { kind: 'reset_in_body' }, on: { call: 'page' }, when: { nth: 6 } },
        { fault: { kind: 'not_json', body: 'html' }, on: { operation: 'ai_search_response', call: 'poll' }, when: { nth: 1 } },
        { fault: { kind: 'failed' }, on: { operation: 'ai_search_brands', call: 'poll' }, when: { nth: 1 } },
        { fault: { kind: 'bad_value', value: 'not_a_number', rows: 1 }, on: { operation: 'keyword_rankings', call: 'submit' } },
      ],
    });
    const service = startProgram(['start'], env);
    await service.says(/dashboards, health and metrics/);
    const opsUrl = /"url":"(http:[^"]+)"/.exec(service.stdout)?.[1] ?? '';
    const publishedSlices = (): Promise<unknown[]> => stack.read('SELECT id FROM searchmill.slices WHERE published_at IS NOT NULL');
    await until('every slice to be published', async () => {
      // Nobody waits for the pause before a failed query is asked again.
      await stack.pool.query(`UPDATE searchmill.executions SET due_at = now() WHERE state = 'planned'`);
      return (await publishedSlices()).length === 4;
    });

    // Then credentials are refused, those of the running service and those of a run.
    stack.sandbox.revoke();
    const week = addDays(NEWEST, -7);
    expect(await run('run refused', ['run', 'answers', '--week', week])).toBe(1);
    expect(await ask('check refused', ['check'], { TOKEN: SECRETS.wrongToken })).toBe(1);
    expect(await ask('check refused by the gateway', ['check'], { GATEWAY_KEY: SECRETS.wrongToken })).toBe(1);
    for (const path of ['/healthz', '/readyz', '/metrics']) keep('ops', await (await fetch(`${opsUrl}${path}`)).text());
    service.send('SIGTERM');
    expect((await service.ended).code).toBe(0);
    keep('start', service.stdout + service.stderr);
    expect(await run('backfill refused', ['backfill', 'rankings', '--from', week, '--to', week], { TOKEN: SECRETS.wrongToken })).toBe(1);

    // Everything that reads the ledger.
    for (const verb of ['status', 'status --json', 'history rankings', 'quarantine list', 'migrate'])
      expect(await ask(verb, verb.split(' '))).toBe(0);
    const [bad] = await stack.read<{ id: number }>('SELECT execution_id AS id FROM searchmill.quarantined_rows');
    expect(await ask('quarantine show', ['quarantine', 'show', String(bad?.id)])).toBe(0);

    // Addresses that lead nowhere, and a jobs file in which secrets stand where they should not.
    const wrong = new URL(env.DATABASE_URL ?? '');
    wrong.pathname = '/no_such_database';
    expect(await ask('wrong database', ['status'], { DATABASE_URL: wrong.href })).toBe(1);
    wrong.port = '1';
    expect(await ask('no database', ['start'], { DATABASE_URL: wrong.href })).toBe(1);
    expect(await ask('no Redis', ['check'], { REDIS_URL: `redis://:${SECRETS.password}@127.0.0.1:1` })).toBe(1);
    expect(await ask('no address', ['status'], { DATABASE_URL: `${SECRETS.password}@nowhere`, LOG_LEVEL: 'debug' })).toBe(2);
    const misplaced = join(stack.folder, 'misplaced.yaml');
    await writeFile(
      misplaced,
      `connections:
  main: { base_url: "http://me:${SECRETS.password}@api.example", auth: { tokne: ${SECRETS.token} } }
  old: { base_url: "https://api.example", auth: { api_key: ${SECRETS.apiKey} ${SECRETS.apiKey}, shared_secret: [${SECRETS.sharedSecret}] } }
  short: ${SECRETS.token}
  gate: { base_url: "https://api.example", auth: { token: t }, headers: { Authorization: ${SECRETS.gatewayKey}, X: [${SECRETS.gatewayKey}] } }
jobs:
  - { name: "\${TOKEN}", dataset: keyword_rankings }
`,
    );
    expect(await ask('misplaced', ['--config', misplaced, 'check'], { TOKEN: SECRETS.wrongToken })).toBe(2);
  });

  it('in anything that was written', async () => {
    const tables = await stack.read<{ name: string }>(`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`);
    for (const { name } of tables) {
      const rows = await stack.read<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      keep(`table ${name}`, rows.map(({ row }) => row).join('\n'));
    }

    if (traffic) keep('Redis', traffic.text);

    // Proof that there was something to find: each credential was used, and the logs were at the most verbose level.
    expect([...written.keys()].filter((where) => where.startsWith('table searchmill.')).length).toBeGreaterThan(5);
    expect(written.get('start')).toMatch(/"level":"debug"/);
    expect(written.get('start')).toMatch(/429/);
    expect(written.get('run refused')).toMatch(/401/);
    if (queue.kind === 'redis') expect(written.get('Redis')).toContain('step-');
    const { peaks, violations } = stack.sandbox.report();
    for (const { submit, read } of Object.values(peaks)) expect(Math.min(submit, read)).toBeGreaterThan(0);
    expect(violations.wrongCredentials).toBeGreaterThan(0);

    const found = [...written].flatMap(([where, text]) => [
      ...Object.entries(SECRETS).flatMap(([kind, secret]) => (text.includes(secret) ? [`${kind} in ${where}`] : [])),
      ...(/sig=[0-9a-f]{32}/.test(text) ? [`a signature in ${where}`] : []),
      ...(/Bearer (?!\[|<)\S{8}/.test(text) ? [`a bearer token in ${where}`] : []),
    ]);
    expect(found).toEqual([]);
  });
});

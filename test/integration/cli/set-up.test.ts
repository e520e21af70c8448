// check, migrate and start while things are not as they should be: each message says what, and what to do; no submit is
// spent, and no password is shown.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLineResult, runCli } from '../../support/command-line.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/test-database.ts';
import { createTestStack, STACK_KEY, type TestStack } from '../../support/test-stack.ts';

const JOBS = `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: "\${TOKEN:-stack-token}" } }
  old: { base_url: "\${SANDBOX_URL}", auth: { api_key: ${STACK_KEY.apiKey}, shared_secret: "\${SECRET:-${STACK_KEY.sharedSecret}}" } }
defaults: { account_id: 12345, since: 2026-11-01, connection: main }
jobs:
  - { name: rankings, dataset: keyword_rankings }
`;
const PASSWORD = 'pass-word-that-nobody-may-see';

let stack: TestStack;
let folder: string;
beforeAll(async () => {
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS });
  folder = await mkdtemp(join(tmpdir(), 'searchmill-cli-'));
});
afterAll(async () => {
  await stack.close();
  await rm(folder, { recursive: true, force: true });
});

const cli = (args: string, env: Record<string, string> = {}): Promise<CommandLineResult> =>
  runCli(args.split(' '), { env: { ...stack.env, ...env } });

/** The address of a port on which nothing listens. */
async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}

describe('check', () => {
  it('reports each part as well, and spends a read per credential and no submit', async () => {
    const { code, out, err } = await cli('check');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const steady = out
      .replace(/^ok {4}plan: \d+ submits? planned at the next start, about .* of submits for connection main; .*$/m, 'its size')
      .replace(/PostgreSQL [\d.]+[^,;]*/, 'PostgreSQL')
      .replace(/\d+ of \d+ connections/, 'enough connections')
      .replace(/^.* temporary files: .*$/m, 'its room');
    expect(steady).toBe(
      [
        `ok    configuration: 1 job, 2 connections in ${stack.env.SEARCHMILL_CONFIG}`,
        'ok    routes: connection main, connection old: directly',
        'ok    database: answers: PostgreSQL, UTF8; its schema is that of this release',
        'ok    rights: this role may do everything that loading needs, and others what their roles promise',
        'ok    settings: no setting of this role or database would disturb loading',
        'ok    publications: none covers all tables',
        'ok    tables: the tables have nothing that skips or refuses rows',
        'ok    connections: enough connections of the server (max_connections) are free; "start" takes up to 34',
        'ok    encryption: the database is on this machine',
        'ok    clock: the clocks of this machine and of the database agree',
        'its room',
        'ok    queue on Postgres: answers',
        'ok    jobs: no two load the same rows, and all match what was loaded before',
        'its size',
        'ok    filters: all published weeks match the current filters of their jobs',
        'ok    spellings: all loaded AI search data spell engines, places and languages alike',
        `ok    credential of connection main: accepted by ${stack.sandbox.url}`,
        `ok    credential of connection old: accepted by ${stack.sandbox.url}`,
        '',
      ].join('\n'),
    );
    const { submits, calls } = stack.sandbox.report();
    expect(submits).toEqual([]);
    expect(Object.values(calls).reduce((sum, { poll }) => sum + poll, 0)).toBe(2);
  });

  it('finds settings by which a database is stricter, and says which of them matter', async () => {
    const role = `strict_${randomBytes(4).toString('hex')}`;
    const url = new URL(stack.databaseUrl);
    const database = url.pathname.slice(1);
    [url.username, url.password] = [role, 'strict'];
    await stack.pool.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'strict' CONNECTION LIMIT 12 IN ROLE searchmill_writer;
       ALTER ROLE ${role} SET statement_timeout = '20s'; REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC;
       CREATE PUBLICATION everything FOR ALL TABLES; CREATE TABLE search.of_others (n integer);
       ALTER TABLE search.ai_search_brands ADD CONSTRAINT asked CHECK (prompt <> '');
       CREATE TABLE search_partitions.keyword_rankings_2026_09 PARTITION OF search.keyword_rankings FOR VALUES FROM ('2026-09-01') TO ('2026-10-01');
       GRANT SELECT, INSERT, UPDATE, DELETE ON search_partitions.keyword_rankings_2026_09 TO searchmill_writer`,
    );
    try {
      const { code, out } = await cli('check', { DATABASE_URL: url.href });
      expect(code).toBe(1);
      expect(out).toContain(
        `FAIL  rights: this role lacks TEMPORARY on database ${database}; run "searchmill migrate" as the owner, or have an administrator run GRANT TEMPORARY ON DATABASE ${database} TO searchmill_writer; `,
      );
      expect(out).toContain(
        `ok    settings: statement_timeout of role ${role}: used by others; sessions of Searchmill set their own values`,
      );
      expect(out).toContain('warn  publications: everything of ALL TABLES: loads work, but');
      expect(out).toContain(
        "warn  tables: the tables have constraint asked on search.ai_search_brands (CHECK ((prompt <> ''::text))); a load whose",
      );
      expect(out).toMatch(
        /^warn {2}connections: 1\d of 12 connections of role strict_\w+ are free; "start" would work on \d instead of 16/m,
      );
      await stack.pool.query(`ALTER ROLE ${role} CONNECTION LIMIT 2; ALTER ROLE ${role} SET default_transaction_read_only = on`);
      const { out: json } = await cli('check --json', { DATABASE_URL: url.href });
      expect(JSON.parse(json)).toMatchObject({
        isFit: false,
        checks: expect.arrayContaining([
          { check: 'database', isOk: false, state: 'fail', detail: expect.stringContaining('it is read-only') as string },
        ]) as unknown[],
      });
    } finally {
      await stack.pool.query(
        `ALTER TABLE search.ai_search_brands DROP CONSTRAINT asked; DROP TABLE search.of_others, search_partitions.keyword_rankings_2026_09; DROP PUBLICATION everything; DROP OWNED BY ${role}; DROP ROLE ${role}`,
      );
      await stack.pool.query(`GRANT TEMPORARY ON DATABASE ${database} TO PUBLIC`);
    }
  });

  it('finds a wrong credential of either kind, without a submit', async () => {
    const { code, out } = await cli('check', { TOKEN: 'wrong-token', SECRET: 'wrong-secret' });
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL {2}credential of connection main: .*401/m);
    expect(out).toMatch(/^FAIL {2}credential of connection old: .*401/m);
    expect(out).not.toMatch(/wrong-token|wrong-secret/);
    expect(stack.sandbox.report().submits).toEqual([]);
  });

  it('finds a service that cannot be reached', async () => {
    const port = await deadPort();
    const { code, out } = await cli('check', { SANDBOX_URL: `http://127.0.0.1:${port}` });
    expect(code).toBe(1);
    expect(out).toMatch(
      new RegExp(`^FAIL {2}credential of connection main: .*127\\.0\\.0\\.1:${port}: nothing listens there; check base_url`, 'm'),
    );
  });

  it('finds a Redis that cannot be reached, and goes on with the rest', async () => {
    const port = await deadPort();
    const { code, out } = await cli('check', { REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:${port}` });
    expect(code).toBe(1);
    expect(out).toContain(
      `FAIL  queue on Redis: Redis does not answer: connect ECONNREFUSED 127.0.0.1:${port}; start Redis, or correct REDIS_URL\n`,
    );
    expect(out).toContain('ok    credential of connection main');
    expect(out).not.toContain(PASSWORD);
  });

  it('finds a database that cannot be reached', async () => {
    const { code, out, err } = await cli('check', { DATABASE_URL: `postgres://me:${PASSWORD}@127.0.0.1:${await deadPort()}/nowhere` });
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL {2}database: .*127\.0\.0\.1.*; start Postgres, or correct DATABASE_URL$/m);
    expect(out + err).not.toContain(PASSWORD);
  });
});

describe('a database that is not ready', () => {
  let empty: TestDatabase;
  beforeAll(async () => {
    empty = await createEmptyDatabase();
  });
  afterAll(() => empty.drop());

  it.each(['run', 'status', 'start', 'history rankings', 'quarantine list', 'approve 1', 'discard 1'])(
    'makes %s say that it must be migrated',
    async (verb) => {
      const { code, out, err } = await cli(verb, { DATABASE_URL: empty.url });
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/the database lacks \d+ migrations, 0001_schemas to \w+; run "searchmill migrate"/);
    },
  );

  it('is found by check', async () => {
    const { code, out } = await cli('check', { DATABASE_URL: empty.url });
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL {2}database: it lacks .*; run "searchmill migrate"/m);
  });

  it('is made ready by migrate, once, however many do it', async () => {
    const results = await Promise.all([1, 2, 3].map(() => cli('migrate', { DATABASE_URL: empty.url })));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(results.map(({ out }) => out).filter((out) => out.startsWith('Applied: '))).toHaveLength(1);
    expect(await cli('migrate', { DATABASE_URL: empty.url })).toEqual({
      code: 0,
      out: 'The database is up to date, and so are the tables of the queue.\n',
      err: '',
    });
    expect((await cli('check', { DATABASE_URL: empty.url })).code).toBe(0);
  });
});

describe('a database that cannot be reached', () => {
  it.each(['migrate', 'run', 'status', 'start'])(
    'makes %s exit with 1, name the address, not the password, and say what to do',
    async (verb) => {
      const port = await deadPort();
      const { code, out, err } = await cli(verb, { DATABASE_URL: `postgres://me:${PASSWORD}@127.0.0.1:${port}/nowhere` });
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain(`127.0.0.1:${port}; start Postgres, or correct DATABASE_URL\n`);
      expect(err).not.toContain(PASSWORD);
    },
  );
});

describe('a configuration with mistakes', () => {
  it('is reported at once with all others, each with its place, what is expected and the nearest name; exit code 2', async () => {
    const path = join(folder, 'wrong.yaml');
    await writeFile(
      path,
      `connections:
  main: { base_url: "http://api.example", auth: { token: ${PASSWORD} } }
jobs:
  - name: rankings
    dataset: keyword_ranking
    connection: mian
    account_id: twelve
    since: 2026-02-30
`,
    );
    const { code, out, err } = await cli(`--config ${path} check`);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`${path}:2:`);
    expect(err).toMatch(new RegExp(`${path}:5:\\d+: .*keyword_rankings`));
    expect(err).toMatch(new RegExp(`${path}:6:\\d+: .*"?main`));
    expect(err).toMatch(new RegExp(`${path}:7:\\d+: .*whole number`));
    expect(err).toMatch(new RegExp(`${path}:8:\\d+: .*date`));
    expect(err).not.toContain(PASSWORD);
  });

  it.each(['check', 'run', 'start'])('makes %s refuse a first day in the future, and aliases that multiply', async (verb) => {
    const path = join(folder, 'refused.yaml');
    await writeFile(path, JOBS.replace('2026-11-01', '2999-01-06'));
    const future = await cli(`--config ${path} ${verb}`);
    expect(future).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/:5:\d+: defaults\.since: is 2999-01-06, which is after today/),
    });

    const levels = Array.from({ length: 30 }, (_, level) => `x-${level + 1}: &l${level + 1} [*l${level}, *l${level}, *l${level}]\n`);
    await writeFile(path, `x-0: &l0 [x]\n${levels.join('')}${JOBS}`);
    const bomb = await cli(`--config ${path} ${verb}`);
    expect(bomb).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/:12:\d+: with its aliases expanded, the file has more/),
    });
  });

  it('is found in the environment, too', async () => {
    const { code, err } = await cli('status', { DATABASE_URL: `mysql://me:${PASSWORD}@host/db`, LOG_LEVEL: 'loud', OPS_PORT: 'http' });
    expect(code).toBe(2);
    expect(err).toContain('DATABASE_URL');
    expect(err).toContain('LOG_LEVEL');
    expect(err).toContain('OPS_PORT');
    expect(err).not.toContain(PASSWORD);
  });

  it('does not stop verbs that do not read it', async () => {
    expect((await cli('--config nowhere.yaml status')).code).toBe(0);
    expect((await cli('--config nowhere.yaml migrate')).code).toBe(0);
  });
});

describe('start', () => {
  it('refuses a port that is taken, and says which settings choose another', async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    try {
      const { code, err } = await cli('start --role worker', { OPS_PORT: String(port) });
      expect(code).toBe(2);
      expect(err).toContain(`127.0.0.1:${port}`);
      expect(err).toContain('OPS_PORT');
    } finally {
      server.close();
    }
  });
});

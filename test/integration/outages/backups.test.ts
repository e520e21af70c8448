// The recipes of docs/operations.md for backups, run as they stand there, while loads are under way.
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import {
  findInstalledPostgres,
  type InstalledPostgres,
  initCluster,
  makeServerFolder,
  serverUser,
  startCluster,
} from '../../support/installed-postgres.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { ensureBuilt, killPrograms, type Program, startProgram } from '../../support/program.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { createTestStack, SANDBOX_CONNECTION, type TestQueue, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const SLICES = 3;
const POSTGRES_QUEUE = { kind: 'postgres', redisUrl: undefined } as const;
const JOBS = `
${SANDBOX_CONNECTION}
jobs:
  - { name: rankings, dataset: keyword_rankings, account_id: 12345, since: ${addDays(NEWEST, -7 * (SLICES - 1))}, lookback_weeks: 0, page_size: 50, schedule: { cron: "0 0 * * 0", timezone: UTC } }
`;

const found = await findInstalledPostgres();
if ('missingBecause' in found) console.log(`tests of backups skipped: ${found.missingBecause}`);
const programs = 'programs' in found ? found.programs : '';

let folder: string;
let archive: string;
let server: InstalledPostgres;
let stack: TestStack;
const servers: InstalledPostgres[] = [];

beforeAll(async () => {
  if (programs === '') return;
  await ensureBuilt();
  folder = await makeServerFolder();
  archive = join(folder, 'archive');
  await asServer(`mkdir ${archive}`);
  // A shim for the command that the recipes call.
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/searchmill'), `#!/bin/sh\nexec '${process.execPath}' '${ROOT}dist/main.js' "$@"\n`);
  await chmod(join(folder, 'bin/searchmill'), 0o755);
  await initCluster(programs, join(folder, 'original'), [
    'archive_mode = on',
    `archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
  ]);
  server = await startCluster(programs, join(folder, 'original'));
  servers.push(server);
});
afterEach(async () => {
  await killPrograms();
  if (programs !== '') await stack.close();
});
afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop()));
  if (programs !== '') await rm(folder, { recursive: true, force: true });
});

const urlOn = ({ url }: InstalledPostgres, database: string): string => new URL(`/${database}`, url).href;

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Runs shell commands. Throws with what they said when one fails. */
async function asServer(commands: string, env: Readonly<Record<string, string>> = {}, user = serverUser()): Promise<void> {
  const { PATH = '' } = process.env;
  const paths = [join(folder, 'bin'), programs, PATH].join(':');
  await promisify(execFile)('bash', ['-euc', commands], { cwd: folder, env: { ...env, PATH: paths }, ...user });
}

/** The commands of a recipe: those below a heading of docs/operations.md, the `number`th of its blocks. */
async function recipe(heading: string, number: number): Promise<string> {
  const text = await readFile(`${ROOT}docs/operations.md`, 'utf8');
  const [, section = ''] = text.split(`### ${heading}\n`);
  const block = [...(section.split('\n#')[0] ?? '').matchAll(/```sh\n([\s\S]*?)```/g)][number]?.[1];
  if (block === undefined) throw new Error(`docs/operations.md has no commands below ${heading}`);
  return block;
}

async function openStack(queue: TestQueue): Promise<void> {
  const openDatabase = async (): Promise<TestDatabase> => {
    const name = `mill_${queue.kind}`;
    await query(server.url, `CREATE DATABASE ${name}`);
    const url = urlOn(server, name);
    await migrate(new Secret(url));
    return { url, drop: async () => void (await query(server.url, `DROP DATABASE ${name} WITH (FORCE)`)) };
  };
  stack = await createTestStack({ queue, jobs: JOBS, openDatabase, sandbox: { pageMs: 20 } });
}

/** Starts the service and waits until one week is published and another is between two checkpoints. Returns the latter's execution. */
async function loadSome(): Promise<{ program: Program; id: number }> {
  const program = startProgram(['start', '--concurrency', '2'], stack.env);
  const id = await until('a week published and one under way', async () => {
    const [row] = await stack.read<{ id: number }>(
      `SELECT id FROM searchmill.executions WHERE state = 'loading' AND pages > 2
          AND EXISTS (SELECT FROM searchmill.slices WHERE published_at IS NOT NULL)`,
    );
    return row?.id;
  });
  return { program, id };
}

async function kill(program: Program): Promise<void> {
  program.send('SIGKILL');
  await program.ended;
}

/** Lets a process load on a restored database until all weeks are there, and compares all rows. Returns how each execution ended. */
async function goOn(url: string): Promise<Record<number, string>> {
  const pool = createPool(new Secret(url), { applicationName: 'test', max: 2 });
  try {
    // What waiting for 20 s would do.
    await pool.query('UPDATE searchmill.executions SET lease_until = now() WHERE lease_until > now()');
    const program = startProgram(['start'], { ...stack.env, DATABASE_URL: url });
    await until('all weeks', async () => {
      if (/"level":"(error|fatal)"/.test(program.stdout)) throw new Error(program.stdout);
      const { rows } = await pool.query('SELECT FROM searchmill.slices WHERE published_at IS NOT NULL');
      return rows.length === SLICES;
    });
    program.send('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stderr).toBe('');
    const restored = { ...stack, pool, read: async <T>(sql: string) => (await pool.query(sql)).rows as T[], sandbox: stack.sandbox };
    expect(await expectExactlyServed(restored)).toHaveLength(SLICES);
    expect(await findBrokenInvariants(pool)).toEqual([]);
    const { rows } = await pool.query<{ id: number; state: string }>('SELECT id, state FROM searchmill.executions ORDER BY id');
    return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
  } finally {
    await pool.end();
  }
}

/** The mark of the ledger, which belongs to each cursor. */
const markOf = async (url: string): Promise<unknown> =>
  (await query(url, 'SELECT search_reports.ledger_mark(id, tableoid) AS mark FROM searchmill.ledger'))[0]?.mark;

describe.skipIf(programs === '')('a backup of a service that loads', () => {
  it('by pg_dump is restored on another server, where running loads are submitted again and nothing is doubled', async () => {
    const { redis } = inject('servers');
    await openStack(redis.url === undefined ? POSTGRES_QUEUE : { kind: 'redis', redisUrl: new Secret(redis.url) });
    const { program, id } = await loadSome();
    await asServer(await recipe('By pg_dump', 0), { DATABASE_URL: stack.databaseUrl });
    // The original goes on: what Redis holds is newer than the dump.
    await stack.settle();
    await kill(program);

    const cluster = join(folder, 'other');
    await initCluster(programs, cluster);
    const other = await startCluster(programs, cluster);
    servers.push(other);
    await query(other.url, 'CREATE DATABASE restored');
    const url = new URL(urlOn(other, 'restored'));
    await asServer(await recipe('By pg_dump', 1), { ...stack.env, NEW_DATABASE_URL: url.href });
    await query(url.href, 'CREATE ROLE mill LOGIN IN ROLE searchmill_writer');
    url.username = 'mill';
    expect(await markOf(url.href)).not.toBe(await markOf(stack.databaseUrl));
    expect((await goOn(url.href))[id]).toBe('abandoned');
  });

  it('by a base backup and archived WAL is recovered to a moment between a checkpoint and the publication, and goes on from there', async () => {
    await openStack(POSTGRES_QUEUE);
    await asServer(await recipe('To a point in time', 0), { SERVER_URL: server.url });
    const { program, id } = await loadSome();
    const [{ moment, pages } = { moment: '', pages: 0 }] = await stack.read<{ moment: string; pages: number }>(
      'SELECT clock_timestamp()::text AS moment, pages FROM searchmill.executions WHERE id = $1',
      [id],
    );
    await stack.settle();
    await kill(program);
    await stack.read('SELECT pg_switch_wal()');
    await asServer(await recipe('To a point in time', 1), { ARCHIVE: archive, MOMENT: moment });
    const recovered = await startCluster(programs, join(folder, 'base'));
    servers.push(recovered);
    const url = urlOn(recovered, 'mill_postgres');
    expect(await query(url, `SELECT state, pages >= ${pages} AS kept FROM searchmill.executions WHERE id = ${id}`)).toEqual([
      { state: 'loading', kept: true },
    ]);
    expect(await markOf(url)).not.toBe(await markOf(stack.databaseUrl));
    const before = stack.sandbox.report().submits.length;
    expect((await goOn(url))[id]).toBe('published');
    expect(stack.sandbox.report().submits.length - before).toBeLessThan(SLICES);
  });
});

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from '../../../embedded/postgres.ts';

const PATIENCE = { timeout: 120_000, interval: 50 };

/** A folder with a cluster in it that has never been used: copying it is much faster than making another. */
let unused: string;
let directory: string;
let started: EmbeddedPostgres[];
let clients: ChildProcess[];

beforeAll(async () => {
  unused = makeFolder();
  await (await startEmbeddedPostgres({ directory: unused, isDurable: false })).stop();
});

afterAll(() => rmSync(unused, { recursive: true, force: true }));

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'searchmill-embedded-'));
}

/** What a run leaves for the next. Not the whole folder: a guard may put a lock there and take it away meanwhile. */
function copyUnused(folder: string): void {
  execFileSync('cp', ['-a', ...['cluster', 'password', 'port'].map((name) => join(unused, name)), folder]);
}

beforeEach(() => {
  directory = makeFolder();
  copyUnused(directory);
  started = [];
  clients = [];
});

afterEach(async () => {
  for (const client of clients) client.kill('SIGKILL');
  await Promise.all(started.map((server) => server.stop()));
  // A guard may be about to put a lock there.
  for (const folder of [directory, ...started.map((server) => server.directory)])
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ directory, isDurable: false, ...options });
  started.push(server);
  return server;
}

/** Starts or joins the server in another process; resolves once that process uses it. */
async function startElsewhere(): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('client.ts', import.meta.url));
  const client = spawn(process.execPath, ['--import', 'tsx', program, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  clients.push(client);
  await once(client.stdout, 'data');
  return client;
}

async function killHard(client: ChildProcess): Promise<void> {
  client.kill('SIGKILL');
  await once(client, 'exit');
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

function serverPid(server: EmbeddedPostgres): number {
  return Number(readFileSync(join(server.directory, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the embedded Postgres', () => {
  it('listens on the loopback address only and wants its password', async () => {
    const server = await start();
    expect(await query(server.url, 'show listen_addresses')).toEqual(['127.0.0.1']);
    expect(await query(server.url, 'show unix_socket_directories')).toEqual(['']);
    const wrong = new URL(server.url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
    expect(lstatSync(join(server.directory, 'password')).mode & 0o777).toBe(0o600);
  });

  it('keeps its data and its port from one run to the next', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    const second = await start();
    expect(second).toMatchObject({ startedHere: true, port: first.port });
    expect(await query(second.url, 'select answer from kept')).toEqual([42]);
  });

  it('takes another port when its last one is in use', async () => {
    const first = await start();
    const other = makeFolder();
    copyUnused(other);
    writeFileSync(join(other, 'port'), String(first.port));
    const second = await start({ directory: other });
    expect(second.port).not.toBe(first.port);
    expect(await query(second.url, 'select 1')).toEqual([1]);
  });

  it('is started once when two ask for it at the same time, and stopped by the last to leave', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.url).toBe(two.url);
    expect([one.startedHere, two.startedHere].sort()).toEqual([false, true]);
    await one.stop();
    expect(await query(two.url, 'select 1')).toEqual([1]);
    const pid = serverPid(two);
    await two.stop();
    expect(isRunning(pid)).toBe(false);
  });

  it('goes on for one process when another that uses it is killed', async () => {
    const elsewhere = await startElsewhere();
    const here = await start();
    expect(here.startedHere).toBe(false);
    await killHard(elsewhere);
    expect(await query(here.url, 'select 1')).toEqual([1]);
  });

  it('stops by itself when everybody who used it was killed, and starts again', async () => {
    const elsewhere = await startElsewhere();
    const server = await start();
    const pid = serverPid(server);
    // A use in this process ends with stop(); only the other's file is left, and then its process is gone.
    await server.stop();
    expect(isRunning(pid)).toBe(true);
    await killHard(elsewhere);
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), PATIENCE);
    expect(await query((await start()).url, 'select 1')).toEqual([1]);
  });

  it('starts again after its own process was killed', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as answer');
    const pid = serverPid(first);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), PATIENCE);
    const second = await start();
    expect(second.startedHere).toBe(true);
    expect(await query(second.url, 'select answer from kept')).toEqual([42]);
  });

  it.runIf(process.platform === 'linux')('starts where a reused process id makes an old pid file look alive', async () => {
    const first = await start();
    const pidFile = join(first.directory, 'cluster', 'postmaster.pid');
    const content = readFileSync(pidFile, 'utf8');
    await first.stop();
    writeFileSync(pidFile, content.replace(/^\d+/, String(process.pid)));
    expect((await start()).startedHere).toBe(true);
  });

  it('leaves no half-made cluster behind when it was interrupted while making it', async () => {
    const fresh = makeFolder();
    mkdirSync(join(fresh, 'cluster.unfinished'));
    writeFileSync(join(fresh, 'cluster.unfinished', 'PG_VERSION'), '1');
    expect(await query((await start({ directory: fresh })).url, 'select 1')).toEqual([1]);
    expect(existsSync(join(fresh, 'cluster.unfinished'))).toBe(false);
  });

  it('removes its folder at the end where it is not to be kept', async () => {
    const server = await start({ isKept: false });
    await server.stop();
    expect(existsSync(server.directory)).toBe(false);
  });

  it('says what to do about a cluster of another major version', async () => {
    const server = await start();
    await server.stop();
    writeFileSync(join(server.directory, 'cluster', 'PG_VERSION'), '9\n');
    await expect(start()).rejects.toThrow(/was made by Postgres 9, the installed one is 17.*remove/);
  });

  it.runIf(process.getuid?.() === 0)('moves below a temporary folder where the user it runs as cannot enter', async () => {
    const hidden = join(directory, 'hidden');
    mkdirSync(hidden, { mode: 0o700 });
    const told: string[] = [];
    const server = await start({ directory: join(hidden, 'postgres'), log: (line) => told.push(line) });
    expect(await query(server.url, 'select 1')).toEqual([1]);
    expect(server.directory.startsWith(directory)).toBe(false);
    expect(told.join()).toContain(server.directory);
    const found = lstatSync(server.directory);
    expect({ owner: found.uid, mode: found.mode & 0o777 }).toEqual({ owner: 0, mode: 0o711 });
    expect(lstatSync(join(server.directory, 'cluster')).mode & 0o777).toBe(0o700);
  });
});

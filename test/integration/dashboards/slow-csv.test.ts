// Readers who take a CSV slowly, while others read boards.
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { openSpool } from '../../../src/dashboards/spool.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { panelFile, serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { until } from '../../support/wait.ts';

let database: TestDatabase;
let pool: Pool;
let served: TestDashboards;
const sockets: Socket[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(new Secret(database.url), { applicationName: 'slow csv test', max: 1 });
  // 16 MB: more than the kernel's buffers of a connection take.
  const wide = panelFile("SELECT n, repeat('x', 1000) AS filler FROM generate_series(1, 16000) AS n");
  served = await serveDashboards(database.url, { panels: { wide, short: panelFile('SELECT 1 AS n') } });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await served.close();
  await pool.end();
  await database.drop();
});

/** Asks for the CSV and reads only its beginning. */
async function takeSlowly(): Promise<Socket> {
  const { port, host } = new URL(served.url);
  const socket = connect(Number(port), '127.0.0.1');
  sockets.push(socket);
  socket.write(`GET /boards/test/wide.csv HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

const busySessions = async (): Promise<number> => {
  const sql =
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'searchmill dashboards' AND state <> 'idle' AND datname = current_database()";
  return (await pool.query<{ n: number }>(sql)).rows[0]?.n ?? 0;
};

it('hold no connection, and get all of it when they read on', async () => {
  const socket = await takeSlowly();
  await until('the session to be free', async () => (await busySessions()) === 0);
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await until('the whole CSV', () => bytes > 16_000_000);
});

it('hold neither connections nor places of those who read boards', async () => {
  for (let reader = 0; reader < 4; reader += 1) await takeSlowly();
  await until('the sessions to be free', async () => (await busySessions()) === 0);
  const boards = await Promise.all(Array.from({ length: 31 }, (_, at) => fetch(`${served.url}/boards/test?weeks=${at + 1}`)));
  expect(new Set(boards.map(({ status }) => status))).toEqual(new Set([200]));
});

describe('the file between', () => {
  const never = { maxIdleMs: 1_000_000, onIdle: () => undefined };
  const read = async (from: AsyncIterable<Buffer>): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of from) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  it('gives what was written, in order, before and after it is read', async () => {
    const spool = await openSpool(never);
    const parts = Array.from({ length: 300 }, (_, at) => `${at} é ${'x'.repeat(at)}\n`);
    for (const part of parts.slice(0, 100)) await spool.write(part);
    const all = read(spool.read());
    for (const part of parts.slice(100)) await spool.write(part);
    spool.end();
    expect(await all).toBe(parts.join(''));
  });

  it('gives an error to the reader, not a part as the whole', async () => {
    const spool = await openSpool(never);
    await spool.write('a part');
    spool.end(new Error('the database is away'));
    await expect(read(spool.read())).rejects.toThrow('the database is away');
  });

  it.runIf(existsSync('/proc/self/fd'))('keeps no file open for a reader that never begins, because there is an error', async () => {
    // By name: the number of a file that has just been closed is given again.
    const openFiles = (): string[] =>
      readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          const file = readlinkSync(`/proc/self/fd/${fd}`);
          return file.includes('searchmill-csv-') ? [file] : [];
        } catch {
          return [];
        }
      });
    const before = openFiles();
    const spool = await openSpool(never);
    await spool.write('a part');
    const own = openFiles().filter((file) => !before.includes(file));
    expect(own).toHaveLength(1);
    spool.end(new Error('the panel fails'));
    await until('the file is closed', async () => !openFiles().some((file) => own.includes(file)));
  });

  it('lets the writer wait when it is far ahead, until what is written was read', async () => {
    const spool = await openSpool({ ...never, maxAheadBytes: 10 });
    let isWritten = false;
    const writing = spool.write('x'.repeat(50)).then(() => (isWritten = true));
    const reader = spool.read();
    expect(isWritten).toBe(false);
    await reader.next();
    await writing;
    spool.end();
    expect(await reader.next()).toMatchObject({ done: true });
  });

  it('lets a writer go when nobody reads any more', async () => {
    const spool = await openSpool({ ...never, maxAheadBytes: 10 });
    const reader = spool.read();
    await spool.write('first');
    await reader.next();
    const writing = spool.write('x'.repeat(50));
    await reader.return(undefined);
    await writing;
    await spool.write('not kept');
  });
});

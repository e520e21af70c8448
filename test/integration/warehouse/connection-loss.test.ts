import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { LostLeaseError, StoreError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { readLedgerId } from '../../../src/ledger/instances.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { execute } from '../../../src/postgres/statements.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { freePort } from '../../support/free-port.ts';
import { useLedger } from '../../support/ledger.ts';

const ledger = useLedger();

describe('a database that cannot be reached', () => {
  it('is a store error that passes, for a statement and for a transaction, and shows no password', async () => {
    const url = new URL(ledger.url);
    url.host = `127.0.0.1:${await freePort()}`;
    url.password = 'a-password-nobody-has';
    const pool = createPool(new Secret(url.href), { applicationName: 'test' });
    const failures = await Promise.all(
      [readLedgerId(pool), inTransaction(pool, async () => undefined)].map((work) => work.catch((error: unknown) => error)),
    );
    for (const error of failures) {
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ retryable: true });
      expect(String((error as Error).message)).not.toContain('a-password-nobody-has');
    }
    await pool.end();
  });
});

/** A message of the protocol: its type, and what follows its length. */
const message = (type: string, content: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content, 'latin1')]);
};

describe('a session that the server ends', () => {
  it('as soon as it is ready is a store error that passes', async () => {
    const ends = Buffer.concat([
      message('R', '\0\0\0\0'),
      message('Z', 'I'),
      message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
    ]);
    const server = createServer((socket) => socket.once('data', () => socket.end(ends)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const pool = createPool(new Secret(`postgres://user@127.0.0.1:${port}/postgres`), { applicationName: 'test' });
    try {
      for (const work of [readLedgerId(pool), inTransaction(pool, async () => undefined)])
        expect(await work.catch((error: unknown) => error)).toMatchObject({ code: 'store', retryable: true });
    } finally {
      await pool.end();
      server.close();
    }
  });

  it('while it is idle is replaced by the next statement', async () => {
    const pool = ledger.openPool(1);
    await readLedgerId(pool);
    await ledger.pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    const answers = [];
    for (let i = 0; i < 3; i += 1) answers.push(await readLedgerId(pool).catch((error: unknown) => error));
    // The first statement may still get the dead connection; its error then says that trying again helps.
    for (const answer of answers.filter((each) => each instanceof Error)) expect(answer).toMatchObject({ code: 'store', retryable: true });
    expect(answers.at(-1)).toEqual(await readLedgerId(ledger.pool));
  });

  it('in a transaction leaves nothing of it, and the next one has a session that works', async () => {
    const pool = ledger.openPool(1);
    const error = await inTransaction(pool, async (client) => {
      await client.query('CREATE TABLE public.half (a integer)');
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await ledger.pool.query('SELECT pg_terminate_backend($1::integer)', [rows[0]?.pid]);
      return execute(client, 'instances/read-ledger');
    }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'store', retryable: true });
    expect(await inTransaction(pool, async (client) => (await client.query("SELECT to_regclass('public.half') AS half")).rows)).toEqual([
      { half: null },
    ]);
  });
});

describe('a transaction', () => {
  it('that fails leaves nothing, and passes on what its work threw', async () => {
    const reason = new LostLeaseError('gone');
    const { pool } = ledger;
    const work = inTransaction(pool, async (client) => {
      await client.query('CREATE TABLE public.half (a integer)');
      throw reason;
    });
    await expect(work).rejects.toBe(reason);
    expect((await pool.query("SELECT to_regclass('public.half') AS half")).rows).toEqual([{ half: null }]);
  });

  it('that is cut while it waits ends at once with the reason, and the server rolls it back', async () => {
    const { pool } = ledger;
    const signal = new AbortController();
    const reason = new StoreError('silent', { retryable: true });
    const work = inTransaction(
      pool,
      async (client) => {
        await client.query('CREATE TABLE public.half (a integer)');
        queueMicrotask(() => signal.abort(reason));
        await client.query('SELECT pg_sleep(600)');
      },
      { signal: signal.signal },
    );
    await expect(work).rejects.toBe(reason);
    const gone =
      "SELECT count(*)::integer AS left FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(600%'";
    await expect.poll(async () => (await pool.query(gone)).rows[0]).toEqual({ left: 0 });
    expect((await pool.query("SELECT to_regclass('public.half') AS half")).rows).toEqual([{ half: null }]);
  });

  it('whose signal was aborted before does nothing', async () => {
    const reason = new LostLeaseError('gone');
    const signal = AbortSignal.abort(reason);
    let isStarted = false;
    const work = inTransaction(
      ledger.pool,
      async () => {
        isStarted = true;
      },
      { signal },
    );
    await expect(work).rejects.toBe(reason);
    expect(isStarted).toBe(false);
    expect(await readLedgerId(ledger.pool)).toBeTypeOf('string');
  });
});

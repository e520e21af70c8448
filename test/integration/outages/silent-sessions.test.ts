// What the warehouse's pool and its transactions do about a session whose answers never come.
import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { readLedgerId } from '../../../src/ledger/instances.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { watchSession } from '../../../src/postgres/session-watch.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { openProxy, type TcpProxy } from '../../chaos/tcp-proxy.ts';
import { createLogin, type Login } from '../../support/database-access.ts';
import { useLedger } from '../../support/ledger.ts';
import { until } from '../../support/wait.ts';

const ledger = useLedger();
let proxy: TcpProxy;
let pool: Pool;

beforeEach(async () => {
  const url = new URL(ledger.url);
  proxy = await openProxy(Number(url.port));
  url.host = `127.0.0.1:${proxy.port}`;
  pool = createPool(new Secret(url.href), { applicationName: 'test', max: 8 });
});
afterEach(async () => {
  await pool.end();
  await proxy.close();
});

/** Fills the pool with connections that are idle. */
async function openIdle(count: number): Promise<void> {
  const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()));
  for (const client of clients) client.release();
  expect(pool.idleCount).toBe(count);
}

const countSessions = async (pid: number): Promise<number> =>
  (await ledger.pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).rows.length;

describe('a statement that gets no answer', () => {
  it('takes the idle connections with it, so that the next one works', async () => {
    await openIdle(4);
    proxy.strand();
    await expect(readLedgerId(pool)).rejects.toMatchObject({ code: 'store', retryable: true });
    expect(await readLedgerId(pool)).toBe(await readLedgerId(ledger.pool));
  });
});

describe('a transaction whose connection swallows everything', () => {
  it.each(['a statement', 'COMMIT'])(
    'is cut when %s gets no answer, also while others renew its lease, and its session ends',
    async (what) => {
      let pid = 0;
      const lost = new AbortController();
      const work = inTransaction(
        pool,
        async (client) => {
          await client.query('CREATE TABLE public.half (a integer)');
          pid = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;
          proxy.strand();
          if (what === 'a statement') await client.query('SELECT 1');
        },
        { signal: lost.signal },
      );
      await expect(work).rejects.toMatchObject({ code: 'store', retryable: true, message: expect.stringContaining('swallows') });
      await until('its session to end', async () => (await countSessions(pid)) === 0);
      expect((await ledger.pool.query("SELECT to_regclass('public.half') AS half")).rows).toEqual([{ half: null }]);
    },
  );

  it('is given up when it cannot even begin', async () => {
    await openIdle(1);
    proxy.strand();
    await expect(inTransaction(pool, async () => undefined)).rejects.toMatchObject({ code: 'store', retryable: true });
    expect(await inTransaction(pool, async () => 'done')).toBe('done');
  });
});

/** A login whose sessions act as another role, which is no member of the login: such a role may neither see nor end sessions of the login. */
async function createActor(): Promise<Login> {
  const role = `crew_${randomBytes(4).toString('hex')}`;
  await ledger.pool.query(`CREATE ROLE ${role}; GRANT ALL ON public.copied TO ${role}`);
  const login = await createLogin(ledger.pool, ledger.url, role);
  await ledger.pool.query(`ALTER ROLE ${login.name} NOINHERIT; ALTER ROLE ${login.name} SET role = ${role}`);
  const drop = async (): Promise<void> => {
    await login.drop();
    await ledger.pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  };
  return { ...login, drop };
}

describe('the watch over a session', () => {
  const POLL_MS = 50;
  const watched = async (work: (pid: number, isDead: () => boolean) => Promise<void>): Promise<void> => {
    const client = await ledger.openPool(1).connect();
    const pid = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;
    let isDead = false;
    client.on('error', () => undefined);
    const stop = watchSession(ledger.pool, pid, () => (isDead = true), POLL_MS);
    try {
      // Not awaited before: while it runs, the watch looks many times.
      await client.query('SELECT pg_sleep(1)');
      expect(isDead).toBe(false);
      await work(pid, () => isDead);
    } finally {
      stop();
      client.release(true);
    }
  };

  it('lets a statement take its time, and ends a session that waits for more', () =>
    watched(async (pid, isDead) => {
      await until('the watch to notice', isDead);
      await until('its session to end', async () => (await countSessions(pid)) === 0);
    }));

  it.each([
    ['ends one of ours that sends no more rows of a COPY, whose locks it waits for', 'searchmill worker', 0, 'the owner'],
    ['ends one of ours of a login for which ALTER ROLE ... SET role is set, too', 'searchmill worker', 0, 'another role'],
    ['leaves that of anybody else alone', 'psql', 1, 'the owner'],
  ])('%s', async (_what, name, left, as) => {
    await ledger.pool.query('CREATE TABLE IF NOT EXISTS public.copied (a integer)');
    const actor = as === 'another role' ? await createActor() : undefined;
    const open = () => (actor ? createPool(new Secret(actor.url), { applicationName: 'test', max: 1 }) : ledger.openPool(1));
    const [watching, ...pools] = [open(), open(), open()];
    const [suspended, successor] = await Promise.all([pools[0]?.connect(), pools[1]?.connect()]);
    if (!suspended || !successor || !watching) throw new Error('unreachable');
    suspended.on('error', () => undefined);
    const pidOf = async (client: PoolClient): Promise<number> =>
      (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;
    const [pid, own] = [await pidOf(suspended), await pidOf(successor)];
    await suspended.query("SELECT set_config('application_name', $1, false)", [name]);
    await suspended.query('BEGIN');
    suspended.query(copyFrom('COPY public.copied FROM STDIN')).on('error', () => undefined);
    await until('the COPY to begin', async () => {
      const { rows } = await ledger.pool.query(
        "SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'ClientRead' AND query LIKE 'COPY%'",
        [pid],
      );
      return rows.length === 1;
    });
    let isDead = false;
    const stop = watchSession(watching, own, () => (isDead = true), POLL_MS);
    try {
      await successor.query(`BEGIN; SET LOCAL lock_timeout = ${left === 0 ? 20_000 : 1_000}`);
      const locked = await successor.query('LOCK TABLE public.copied').then(
        () => true,
        () => false,
      );
      expect({ locked, isDead, left: await countSessions(pid) }).toEqual({ locked: left === 0, isDead: false, left });
    } finally {
      stop();
      suspended.release(true);
      successor.release(true);
      if (actor) {
        await Promise.all([watching, ...pools].map((each) => each.end()));
        await actor.drop();
      }
    }
  });

  it('notices a session that the server has ended', () =>
    watched(async (pid, isDead) => {
      await ledger.pool.query('SELECT pg_terminate_backend($1::integer)', [pid]);
      await until('the watch to notice', isDead);
    }));
});

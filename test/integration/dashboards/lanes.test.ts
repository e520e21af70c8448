// Panels of a board are read on a second connection, too: it sees what the first one sees, and nothing waits for it.
import { expect, inject, it } from 'vitest';
import { viewBoard } from '../../../src/dashboards/board-view.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { readInLanes } from '../../../src/dashboards/lanes.ts';
import { inSnapshot } from '../../../src/dashboards/run-panels.ts';
import type { Client } from '../../../src/postgres/pool.ts';
import { useLogin } from '../../support/database-access.ts';
import { useLedger } from '../../support/ledger.ts';

const ledger = useLedger({ keepsInvariants: false });
const reader = useLogin(ledger, 'searchmill_reader');
/** Whose nodes have snapshots of their own, so that it has one lane only. */
const isCluster = inject('servers').citusWorkers.length > 0;
const never = new AbortController().signal;
type Lane = Readonly<{ pid: number; xmin: string }>;

const look = async (client: Client): Promise<Lane> =>
  (await client.query<Lane>('SELECT pg_backend_pid() AS pid, pg_current_snapshot()::text AS xmin')).rows[0] as Lane;

/** Resolves when as many have called it as are awaited. */
function meeting(awaited: number): () => Promise<void> {
  let come = 0;
  let open = (): void => undefined;
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    come += 1;
    if (come === awaited) open();
    return all;
  };
}

it.skipIf(isCluster)('two connections read at once and see the same, whatever is written meanwhile', async () => {
  const pool = ledger.openPool(3);
  const meet = meeting(2);
  const { read, isCovered } = await inSnapshot(pool, (client) =>
    readInLanes(pool, client, {
      items: [1, 2, 3],
      most: 2,
      signal: never,
      read: async (lane, item) => {
        if (item < 3) await meet();
        await ledger.pool.query('SELECT pg_current_xact_id()');
        return { item, ...(await look(lane)) };
      },
    }),
  );
  expect(read.map(({ item }) => item)).toEqual([1, 2, 3]);
  expect(new Set(read.map(({ pid }) => pid)).size).toBe(2);
  expect(new Set(read.map(({ xmin }) => xmin)).size).toBe(1);
  expect(isCovered).toBe(true);
});

it.skipIf(isCluster)('says when the second connection has read a table whose rows no state covers', async () => {
  const pool = ledger.openPool(3);
  await ledger.pool.query('CREATE TABLE public.targets AS SELECT 1 AS target');
  const meet = meeting(2);
  const { isCovered } = await inSnapshot(pool, async (client) => {
    const { pid } = await look(client);
    return readInLanes(pool, client, {
      items: [1, 2],
      most: 2,
      signal: never,
      read: async (lane) => {
        await meet();
        if ((await look(lane)).pid !== pid) await lane.query('SELECT * FROM public.targets');
      },
    });
  });
  expect(isCovered).toBe(false);
});

it.skipIf(isCluster)('the second connection begins with what is likely to take longest', async () => {
  const pool = ledger.openPool(3);
  const meet = meeting(2);
  const first: number[] = [];
  await inSnapshot(pool, (client) =>
    readInLanes(pool, client, {
      items: [1, 2, 5, 3],
      expectMs: (item) => item,
      most: 2,
      signal: never,
      read: async (lane, item) => {
        if (first.length < 2) {
          first.push(item);
          await meet();
        }
        return look(lane);
      },
    }),
  );
  expect(first).toEqual([1, 5]);
});

it.skipIf(isCluster)('what fails on the second connection is read on the first', async () => {
  const pool = ledger.openPool(3);
  const meet = meeting(2);
  const lanes = await inSnapshot(pool, async (client) => {
    const { pid } = await look(client);
    const { read } = await readInLanes(pool, client, {
      items: ['a', 'b', 'c'],
      most: 2,
      signal: never,
      read: async (lane, item) => {
        const { pid: own } = await look(lane);
        if (own !== pid || item === 'a') await meet();
        if (own !== pid) await ledger.pool.query('SELECT pg_terminate_backend($1)', [own]);
        return { item, own: (await look(lane)).pid };
      },
    });
    return read.map(({ item, own }) => [item, own === pid]);
  });
  expect(lanes).toEqual([
    ['a', true],
    ['b', true],
    ['c', true],
  ]);
});

it('boards that are read at once never wait for each other', async () => {
  const pool = ledger.openPool(3);
  const boards = Array.from({ length: 12 }, () =>
    inSnapshot(pool, (client) => readInLanes(pool, client, { items: [1, 2, 3, 4], most: 2, signal: never, read: look })),
  );
  for (const { read } of await Promise.all(boards)) expect(new Set(read.map(({ xmin }) => xmin)).size).toBe(1);
});

it('a board is read on one connection where a snapshot cannot be shared', async () => {
  await ledger.pool.query('REVOKE EXECUTE ON FUNCTION pg_catalog.pg_export_snapshot() FROM PUBLIC');
  try {
    const home = readBoards().find(({ name }) => name === 'home');
    if (!home) throw new Error('there is no board home');
    const { panels } = await viewBoard(reader.pool, home, { account: '12345' }, never);
    expect(panels).toHaveLength(home.panels.length);
    for (const { result } of panels) expect(result).not.toHaveProperty('failure');
  } finally {
    await ledger.pool.query('GRANT EXECUTE ON FUNCTION pg_catalog.pg_export_snapshot() TO PUBLIC');
  }
});

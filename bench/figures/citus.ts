// Loads and boards on a Citus cluster compared with a single server of it: the costs and benefits of distribution, all on one machine.
import { migrateAll } from '../../src/cli/migrate-verb.ts';
import { Secret } from '../../src/core/secret.ts';
import { createPool } from '../../src/postgres/pool.ts';
import { distributeTables } from '../../src/tables/citus/citus.ts';
import { type CitusNodes, findCitus, joinNodes, startCitusCluster } from '../../test/support/citus-cluster.ts';
import { type PageService, startPageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import { type Database, settle } from '../support/database.ts';
import { compare, type Figure, type Result } from '../support/figure.ts';
import { ACCOUNTS, FIRST_WEEK, weeksFrom, writeJobs } from '../support/jobs.ts';
import { measureLoads, rateOf } from '../support/loads.ts';
import { addressOf, withClient } from '../support/servers.ts';
import { fillBoards, timeBoards } from './boards.ts';

const SIZES = { quick: { rows: 5_000, rounds: 1, weekCount: 2 }, full: { rows: 50_000, rounds: 3, weekCount: 13 } };
const PEER = 'one server';

export const citus: Figure = {
  title: 'Loads and boards on a Citus cluster, against one server',
  isOptIn: true,
  async measure(bench) {
    const { rows, rounds, weekCount } = SIZES[bench.mode];
    const found = await findCitus();
    if ('missingBecause' in found) throw new Error(found.missingBecause);
    const cluster = await startCitusCluster(found.programs);
    bench.scope.defer(() => cluster.stop());
    const alone = await openDatabase(bench, [cluster.nodes[0]], 'alone');
    const distributed = await openDatabase(bench, cluster.nodes, 'distributed');
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: rows, pageSize: 1000 });
    const rates = { first: [] as number[][], again: [] as number[][] };
    for (let round = 0; round < rounds; round += 1) {
      bench.log(`round ${round + 1} of ${rounds}`);
      const [one, many] = [await loadTwice(bench, alone, service, round), await loadTwice(bench, distributed, service, round)];
      rates.first.push([many.first, one.first]);
      rates.again.push([many.again, one.again]);
    }
    const [boards, boardsAlone] = [await measureBoards(bench, distributed, weekCount), await measureBoards(bench, alone, weekCount)];
    const compareRates = (figure: string, pairs: readonly number[][]): Result =>
      compare(figure, 'rows/s', { ours: pairs.map(([many = 0]) => many), peer: PEER, theirs: pairs.map(([, one = 0]) => one) });
    return {
      results: [
        compareRates('first loads', rates.first),
        compareRates('loaded again, with 1 % restated', rates.again),
        ...boards.map(({ figure, ours, unit }, index) =>
          compare(figure, unit, { ours: [ours], peer: PEER, theirs: [boardsAlone[index]?.ours ?? Number.NaN] }),
        ),
      ],
      notes: [
        `a coordinator and ${cluster.nodes.length - 1} workers on this machine, without waiting for the disk; the one server is the coordinator, with a database that is not distributed`,
        `${ACCOUNTS.length} accounts with ${rows.toLocaleString('en-US')} rows each, by one worker process; boards over ${weekCount} weeks of one account`,
      ],
    };
  },
};

/** Creates a migrated database on the first node, distributed over all nodes if there are several. */
async function openDatabase(bench: Bench, nodes: CitusNodes, name: string): Promise<Database> {
  for (const node of nodes) await withClient(new Secret(node), (client) => client.query(`CREATE DATABASE ${name}`));
  const [coordinator, ...workers] = nodes.map((node) => addressOf(new Secret(node), name).reveal());
  const url = new Secret(coordinator ?? '');
  await migrateAll(url, undefined);
  if (workers.length > 0) {
    await joinNodes([url.reveal(), ...workers]);
    await distributeTables(url);
  }
  const pool = createPool(url, { applicationName: 'searchmill bench', max: 4 });
  bench.scope.defer(() => pool.end());
  return { url, pool, drop: async () => undefined };
}

/** Loads a week of all accounts, and again after a hundredth of it has changed. Returns rows per second. */
async function loadTwice(bench: Bench, database: Database, service: PageService, round: number): Promise<{ first: number; again: number }> {
  const jobs = writeJobs(bench, { baseUrl: service.baseUrl, accounts: ACCOUNTS });
  const weeks = weeksFrom(FIRST_WEEK, round + 1).slice(-1);
  const load = async (version: number): Promise<number> => {
    await service.restate(version);
    await settle(database.pool);
    return rateOf(await measureLoads(bench, { database, service, jobs, weeks }));
  };
  return { first: await load(0), again: await load(1) };
}

async function measureBoards(bench: Bench, database: Database, weekCount: number): Promise<Result[]> {
  await fillBoards(bench, database, { accounts: 1, weekCount });
  await database.pool.query('VACUUM (ANALYZE)');
  await settle(database.pool);
  return timeBoards(bench, database, weekCount);
}

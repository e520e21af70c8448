import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { DATASETS, datasetNamed } from '../../../src/datasets/index.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { adoptSetting } from '../../../src/reports/account-settings.ts';
import { configuredDomains } from '../../../src/reports/own-domains.ts';
import { checkReports } from '../../../src/reports/rebuild.ts';
import { refreshWeek } from '../../../src/reports/refresh.ts';
import { distributeTables, undistributeTables } from '../../../src/tables/citus/citus.ts';
import { partitionName } from '../../../src/tables/partitions.ts';
import { UnwrittenRowsError } from '../../../src/tables/written-rows.ts';
import { readNodes } from '../../support/citus-cluster.ts';
import { jobOf, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const NAMES = [...DATASETS.map(({ name }) => name), 'summaries'];

describe.skipIf(inject('servers').citusWorkers.length > 0)('a server without Citus', () => {
  it('is told what it lacks, and nothing changes', async () => {
    for (const move of [distributeTables, undistributeTables]) {
      const error = await move(new Secret(ledger.url)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect((error as Error).message).toMatch(/Citus/);
      expect((error as Error).message).toMatch(/install the extension|CREATE EXTENSION/);
    }
  });
});

describe.skipIf(inject('servers').citusWorkers.length === 0)('a Citus cluster', () => {
  const shards = async (): Promise<number> =>
    (
      await ledger.pool.query(
        "SELECT count(*)::integer AS shards FROM pg_dist_shard WHERE logicalrelid = 'search.keyword_rankings'::regclass",
      )
    ).rows[0].shards;

  /** What a table is besides its rows. */
  const describeTables = async (): Promise<unknown[]> =>
    (
      await ledger.pool.query(
        `SELECT c.relname, (SELECT array_agg(r::text ORDER BY r::text) FROM unnest(c.relacl) AS r) AS rights, obj_description(c.oid) AS comment,
                (SELECT array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || coalesce(col_description(c.oid, a.attnum), '') ORDER BY a.attnum)
                   FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns,
                (SELECT array_agg(replace(pg_get_indexdef(i.indexrelid), 'ONLY ', '') ORDER BY 1) FROM pg_index i WHERE i.indrelid = c.oid) AS indexes
           FROM pg_class c WHERE c.relnamespace IN ('search'::regnamespace, 'search_reports'::regnamespace) AND c.relkind IN ('r', 'p', 'v') ORDER BY 1`,
      )
    ).rows;

  it('takes the tables with what they hold, and gives them back as they were', async () => {
    const { pool, url } = ledger;
    const job = jobOf();
    const next = windowOfWeeks('2026-11-15', 1);
    const rows = () => publishedRows(pool, job, ['query', 'rank_standard', '_occurrence']);
    await loadWindow(pool, job, [wireRow(job, { query: 'a', rank_standard: '1' }), wireRow(job, { query: 'a', rank_standard: '1' })]);
    const before = { rows: await rows(), tables: await describeTables() };
    expect(before.rows).toHaveLength(2);

    expect(await shards()).toBeGreaterThan(1);
    expect(await distributeTables(new Secret(url))).toEqual({ moved: [], already: NAMES });
    expect(await undistributeTables(new Secret(url))).toEqual({ moved: NAMES, already: [] });
    expect(await shards()).toBe(0);
    expect({ rows: await rows(), tables: await describeTables() }).toEqual(before);
    await loadWindow(pool, job, [wireRow(job, { query: 'b', rank_standard: '2' }, next.start)], next);
    expect(await undistributeTables(new Secret(url))).toEqual({ moved: [], already: NAMES });

    const told: string[] = [];
    expect(await distributeTables(new Secret(url), { tell: (line) => told.push(line) })).toEqual({ moved: NAMES, already: [] });
    expect(told[0]).toBe('search.keyword_rankings: its rows go to their nodes ...');
    expect(await shards()).toBeGreaterThan(1);
    expect(await rows()).toHaveLength(3);
    // The rows that the coordinator kept of them are gone.
    const { rows: kept } = await pool.query(
      "SELECT sum(pg_relation_size(relid))::integer AS bytes FROM pg_partition_tree('search.keyword_rankings') WHERE isleaf",
    );
    expect(kept).toEqual([{ bytes: 0 }]);
    expect(await loadWindow(pool, job, [wireRow(job, { query: 'a', rank_standard: '3' })], WEEK)).toEqual({
      inserted: 0,
      updated: 1,
      unchanged: 0,
      deleted: 1,
    });
  });

  it('takes the summaries with what is stored, also of a warehouse whose tables were distributed before them', async () => {
    const { pool, url } = ledger;
    const job = jobOf({ ownDomains: ['acme.com'] });
    const week = { subject: 'rankings', accountId: String(job.accountId), week: WEEK.start } as const;
    const shown = async (): Promise<unknown[]> =>
      (
        await pool.query('SELECT query, own_standard FROM search_reports.ranking_searches WHERE account_id = $1 ORDER BY 1', [
          job.accountId,
        ])
      ).rows;
    const colocations = async (): Promise<unknown[]> =>
      (
        await pool.query(
          `SELECT count(*)::integer AS tables, count(DISTINCT colocationid)::integer AS groups FROM pg_dist_partition
            WHERE logicalrelid::text LIKE 'search_stored.%' OR logicalrelid = 'search.keyword_rankings'::regclass`,
        )
      ).rows;
    const load = (query: string) => loadWindow(pool, job, [wireRow(job, { query, rank_standard: '1', root_domain: 'acme.com' })]);
    await adoptSetting(pool, String(job.accountId), configuredDomains(job.ownDomains));
    await load('a');
    // On a cluster readers compute nothing.
    expect(await shown()).toEqual([]);
    expect(await refreshWeek(pool, week)).toBe('stored');
    expect(await shown()).toEqual([{ query: 'a', own_standard: 1 }]);
    expect(await colocations()).toEqual([{ tables: 13, groups: 1 }]);

    await pool.query('SELECT search_reports.undistribute()');
    expect(await colocations()).toEqual([{ tables: 1, groups: 1 }]);
    expect(await shown()).toEqual([{ query: 'a', own_standard: 1 }]);
    await load('b');
    expect(await shown()).toEqual([{ query: 'b', own_standard: 1 }]);
    expect(await refreshWeek(pool, week)).toBe('stored');
    expect(await distributeTables(new Secret(url))).toEqual({ moved: ['summaries'], already: DATASETS.map(({ name }) => name) });
    expect(await shown()).toEqual([{ query: 'b', own_standard: 1 }]);
    expect(await colocations()).toEqual([{ tables: 13, groups: 1 }]);
    expect((await checkReports(pool, { accountId: String(job.accountId) })).differences).toEqual([]);
  });

  it.each([
    { verb: 'distribute', move: distributeTables, back: undistributeTables, side: 'worker' },
    { verb: 'undistribute', move: undistributeTables, back: distributeTables, side: 'coordinator' },
  ] as const)(
    'that would lose rows while they move keeps them: $verb is undone, and says where to look',
    async ({ verb, move, back, side }) => {
      const { pool, url } = ledger;
      const job = jobOf();
      await back(new Secret(url));
      await loadWindow(
        pool,
        job,
        Array.from({ length: 5 }, (_, row) => wireRow(job, { query: `query ${row}`, rank_standard: '1' })),
      );
      const rows = () => publishedRows(pool, job, ['query']);
      const before = await rows();
      const [coordinator, ...workers] = await readNodes(url);
      const skipping = await Promise.all((side === 'worker' ? workers : [coordinator]).map(skipRowsOfNewTables));
      const refused = await move(new Secret(url)).catch((error: unknown) => error);
      for (const end of skipping) await end();
      expect(refused).toBeInstanceOf(UnwrittenRowsError);
      expect((refused as Error).message).toMatch(
        new RegExp(`^${verb} on search\\."keyword_rankings" touched 0 rows where \\d+ were meant, so all was undone: look on every node`),
      );
      expect(await rows()).toEqual(before);
      expect((await shards()) > 0).toBe(verb === 'undistribute');
      expect(await move(new Secret(url))).toEqual({ moved: NAMES, already: [] });
      expect(await rows()).toEqual(before);
      await distributeTables(new Secret(url));
    },
  );

  it('names log-in roles that its nodes lack', async () => {
    const { pool, url } = ledger;
    const role = `late "${randomUUID()}`;
    const run = (command: string): Promise<unknown> =>
      pool.query(`SET citus.enable_ddl_propagation = off; ${command}; RESET citus.enable_ddl_propagation`);
    await run(`CREATE ROLE ${pg.escapeIdentifier(role)} LOGIN IN ROLE searchmill_reader`);
    try {
      const told: string[] = [];
      await distributeTables(new Secret(url), { tell: (line) => told.push(line) });
      expect(told).toHaveLength(inject('servers').citusWorkers.length);
      expect(told[0]).toMatch(/^127\.0\.0\.1:\d+ lacks "late ""/);
      expect(told[0]).toContain('CREATE ROLE');
    } finally {
      await run(`DROP ROLE ${pg.escapeIdentifier(role)}`);
    }
  });

  it('compares however many rows an account has, also where Citus is told to bring few to the coordinator', async () => {
    const job = jobOf();
    const load = (pool: Pool, title: string) =>
      loadWindow(
        pool,
        job,
        Array.from({ length: 1_000 }, (_, row) => wireRow(job, { query: `query ${row}`, title })),
      );
    const { rows } = await ledger.pool.query('SELECT current_database() AS name');
    const set = (value: string) => ledger.pool.query(`ALTER DATABASE ${rows[0].name} ${value}`);
    await load(ledger.pool, 'first');
    await set("SET citus.max_intermediate_result_size = '64kB'");
    try {
      const pool = createPool(new Secret(ledger.url), { applicationName: 'searchmill test' });
      expect(await load(pool, 'second').finally(() => pool.end())).toMatchObject({ updated: 1_000 });
    } finally {
      await set('RESET citus.max_intermediate_result_size');
    }
  });

  it('prepares all rows on its nodes before the ledger calls them published', async () => {
    const job = jobOf();
    const { rows } = await ledger.pool.query('SELECT current_database() AS name');
    await ledger.pool.query(`ALTER DATABASE ${rows[0].name} SET citus.log_remote_commands = on`);
    const pool = createPool(new Secret(ledger.url), { applicationName: 'searchmill test', max: 1 });
    let sent: string[] = [];
    pool.on('connect', (client) => client.on('notice', ({ message = '' }) => sent.push(message)));
    /** Of those that end a transaction on a node after rows were sent there. */
    const endsOf = async (queries: readonly string[]): Promise<unknown> => {
      sent = [];
      await loadWindow(
        pool,
        job,
        queries.map((query) => wireRow(job, { query })),
      );
      const first = sent.findIndex((message) => /^issuing COPY search(_partitions)?\./.test(message));
      const ends = sent.slice(first).flatMap((message) => /^issuing (PREPARE TRANSACTION|COMMIT(?: PREPARED)?)/.exec(message)?.[1] ?? []);
      return { isSent: first >= 0, ends: [...new Set(ends)] };
    };
    try {
      const prepared = { isSent: true, ends: ['PREPARE TRANSACTION', 'COMMIT PREPARED'] };
      expect(await endsOf(['a'])).toEqual(prepared);
      expect(await endsOf(['a', 'b'])).toEqual(prepared);
      expect(await endsOf(['a', 'a', 'b', 'c'])).toEqual(prepared);
    } finally {
      await pool.end();
      await ledger.pool.query(`ALTER DATABASE ${rows[0].name} RESET citus.log_remote_commands`);
    }
  });

  it('summarizes a week when its rows have come to their node', async () => {
    const { pool, url } = ledger;
    const job = jobOf();
    await loadWindow(pool, job, [wireRow(job, { query: 'a', rank_standard: '1' })]);
    const week = { subject: 'rankings', accountId: String(job.accountId), week: WEEK.start } as const;
    const [, worker] = await readNodes(url);
    const node = createPool(new Secret(worker ?? ''), { applicationName: 'searchmill test', max: 1 });
    try {
      // The rest of a publication on a node that was lost between the commits. Citus would end a transaction of its own.
      const gid = 'citus_test_of_summaries';
      await node.query(`BEGIN; SELECT pg_current_xact_id(); PREPARE TRANSACTION '${gid}'`);
      expect(await refreshWeek(pool, week)).toBe('unmarked');
      await node.query(`COMMIT PREPARED '${gid}'`);
      expect(await refreshWeek(pool, week)).toBe('stored');
    } finally {
      await node.end();
    }
  });

  it('waits for rows that an earlier publication has yet to commit on a node, and replaces them', async () => {
    const { pool, url } = ledger;
    const job = jobOf();
    await loadWindow(pool, job, [wireRow(job, { query: 'a', rank_standard: '1' })]);
    const partition = `search_partitions.${partitionName(datasetNamed('keyword_rankings'), WEEK.start)}`;
    const { rows } = await pool.query(
      'SELECT shardid AS id, nodeport AS port FROM pg_dist_shard_placement WHERE shardid = get_shard_id_for_distribution_column($1, $2::bigint)',
      [partition, job.accountId],
    );
    const address = (await readNodes(url)).find((node) => new URL(node).port === String(rows[0].port));
    const node = createPool(new Secret(address ?? ''), { applicationName: 'searchmill test', max: 1 });
    const queries = () => publishedRows(pool, job, ['query']);
    try {
      // The rest of a publication on a node that was lost between the commits.
      const gid = 'citus_test_of_publications';
      const shard = `${partition}_${rows[0].id}`;
      const values = JSON.stringify({ query: 'late', _key: randomUUID() });
      await node.query(
        `BEGIN; INSERT INTO ${shard} SELECT (jsonb_populate_record(row, '${values}')).* FROM ${shard} AS row WHERE account_id = ${job.accountId}; PREPARE TRANSACTION '${gid}'`,
      );
      expect(await queries()).toEqual([{ query: 'a' }]);
      const publishing = loadWindow(pool, job, [wireRow(job, { query: 'b', rank_standard: '1' })]);
      await delay(300);
      await node.query(`COMMIT PREPARED '${gid}'`);
      await publishing;
      expect(await queries()).toEqual([{ query: 'b' }]);
    } finally {
      await node.end();
    }
  });

  it('whose tables somebody distributed separately is refused, with what to do', async () => {
    const { pool, url } = ledger;
    await undistributeTables(new Secret(url));
    await pool.query("SELECT create_distributed_table('search.ai_search_fan_out', 'account_id', colocate_with => 'none')");
    await pool.query("SELECT create_distributed_table('search.ai_search_brands', 'account_id', colocate_with => 'none')");
    await expect(distributeTables(new Secret(url))).rejects.toThrow(/not colocated with .* update_distributed_table_colocation/);
    await undistributeTables(new Secret(url));
    await distributeTables(new Secret(url));
  });
});

/** Gives every table that is made on a node from now on a trigger that skips rows in silence, until the function returned is called. */
async function skipRowsOfNewTables(node: string): Promise<() => Promise<void>> {
  const run = async (text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: node });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  const quietly = 'SET citus.enable_ddl_propagation = off; SET citus.enable_metadata_sync = off;';
  await run(`${quietly}
    CREATE SCHEMA fault;
    CREATE FUNCTION fault.skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE FUNCTION fault.add_trigger() RETURNS event_trigger LANGUAGE plpgsql AS $$
    DECLARE made record;
    BEGIN
      FOR made IN SELECT object_identity AS name FROM pg_event_trigger_ddl_commands() JOIN pg_class ON oid = objid
                   WHERE object_type = 'table' AND relkind = 'r' AND object_identity ~ 'keyword_rankings_' LOOP
        EXECUTE format('CREATE TRIGGER skip BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION fault.skip()', made.name);
      END LOOP;
    END $$;
    CREATE EVENT TRIGGER fault ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION fault.add_trigger()`);
  return () => run(`${quietly} DROP EVENT TRIGGER fault; DROP SCHEMA fault CASCADE`);
}

// Loads that a release before migration 0023 began. It left out of staging the first values that all rows share, and kept them in the
// table's comment.

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDecoder } from '../../../src/codec/decode.ts';
import type { Job } from '../../../src/config/settings.ts';
import { Secret } from '../../../src/core/secret.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { migrate } from '../../../src/warehouse/migrate.ts';
import { createPool, type Pool } from '../../../src/warehouse/pool.ts';
import { copyRows, createStaging, stagingTable } from '../../../src/warehouse/staging.ts';
import { inTransaction } from '../../../src/warehouse/transaction.ts';
import { decodePage } from '../../support/decode-page.ts';
import { drive, pipelineOn } from '../../support/drive.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { insertOldExecution } from '../../support/key-version-1.ts';
import { jobOf, schemaOf, type WireValues, wireRow } from '../../support/ledger.ts';
import { type ScriptedService, scriptService } from '../../support/scripted-service.ts';
import { createDatabaseBefore, type TestDatabase } from '../../support/test-database.ts';

const MIGRATION = '0023_whole_staging';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createDatabaseBefore(MIGRATION);
  pool = createPool(new Secret(database.url), { applicationName: 'test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const ODD_TEXT = "it's \\ é \u{1f600}";

/** A load: `shared` columns are left out of staging, and the rows share `values`. */
type OldLoad = Readonly<{ job: Job; shared: number; values: WireValues; state: 'loading' | 'staged' }>;

function oldLoad(dataset: string, shared: number, values: WireValues = {}, state: OldLoad['state'] = 'loading'): OldLoad {
  const job = jobOf({ dataset: datasetNamed(dataset) });
  return { job: { ...job, connection: job.name }, shared, values, state };
}

/** The pages of its answer. Only the last column differs from row to row. */
function pagesOf({ job, values, state }: OldLoad): unknown[][] {
  const last = job.dataset.columns.at(-1)?.name ?? '';
  const rows = ['1', '2', '3'].map((value) => wireRow(job, { ...values, [last]: value }));
  return state === 'staged' ? [rows] : [rows.slice(0, 2), rows.slice(2)];
}

const namesOf = ({ job: { dataset } }: OldLoad, from: number): string[] => dataset.columns.slice(from).map(({ name }) => `"${name}"`);

/** What the earlier release wrote into the comment: COPY's fields of the shared values, and the columns they are of. */
function commentOf(load: OldLoad): string {
  const { dataset } = load.job;
  const { copyData } = decodePage(createDecoder(dataset, schemaOf(dataset)), pagesOf(load).flat().slice(0, 1), 1);
  let end = 2;
  for (let field = 0; field < load.shared; field += 1) end += 4 + Math.max(0, copyData.readInt32BE(end));
  const columns = dataset.columns.slice(0, load.shared).map(({ name, pg }) => `${name} ${pg}`);
  return JSON.stringify({ columns, values: copyData.toString('base64', 2, end) });
}

/** Leaves a load as the earlier release did behind its first page. Returns the execution. */
async function begin(load: OldLoad, comment = commentOf(load)): Promise<number> {
  const { dataset } = load.job;
  const [rows = []] = pagesOf(load);
  const { copyData } = decodePage(createDecoder(dataset, schemaOf(dataset)), rows, 1);
  return inTransaction(pool, async (client) => {
    const { id } = await insertOldExecution(client, load.job, 'loading', rows.length);
    await createStaging(client, dataset, id);
    await copyRows(client, dataset, id, [copyData]);
    const dropped = namesOf(load, 0).slice(0, load.shared);
    await client.query(`ALTER TABLE ${stagingTable(id)} ${dropped.map((name) => `DROP COLUMN ${name}`).join(', ')}`);
    await client.query(`COMMENT ON TABLE ${stagingTable(id)} IS '${comment.replaceAll("'", "''")}'`);
    await client.query('UPDATE searchmill.executions SET key_version = 2 WHERE id = $1', [id]);
    if (load.state === 'staged')
      await client.query("UPDATE searchmill.executions SET state = 'staged', next_cursor = NULL, due_at = now() WHERE id = $1", [id]);
    return id;
  });
}

/** Takes a load to its end, as this release does. Returns the service it asked. */
async function goOn(load: OldLoad): Promise<ScriptedService> {
  const { job } = load;
  const service = scriptService(schemaOf(job.dataset), pagesOf(load));
  await drive(pool, pipelineOn(pool, service), job.name);
  expect(await readAll(load, `search."${job.dataset.name}" WHERE account_id = ${job.accountId}`)).toEqual(expectedRows(load));
  expect(await findBrokenInvariants(pool)).toEqual([]);
  return service;
}

async function readAll(load: OldLoad, from: string): Promise<string[]> {
  const { rows } = await pool.query<{ values: string[] }>(
    `SELECT ARRAY[${namesOf(load, 0).map((name) => `${name}::text`)}] AS values FROM ${from} ORDER BY ${namesOf(load, 0).at(-1)}`,
  );
  return rows.map(({ values }) => JSON.stringify(values));
}

const expectedRows = (load: OldLoad): string[] =>
  pagesOf(load)
    .flat()
    .map((row) => JSON.stringify(row));

const RANKING = { account_name: ODD_TEXT, organization_id: '', web_property_id: '9007199254740993', collection_date: '1999-12-31' };
const NUMBERS = { rank_true: '-2147483648', average_search_volume: '9223372036854775807', cpc: null };
const FLAGS = { ai_response_collected: 'true', web_search_triggered: 'false' };

describe('the migration', () => {
  const whole: readonly (readonly [string, OldLoad])[] = [
    ['one value', oldLoad('keyword_rankings', 1)],
    ['texts, numbers, dates and nulls', oldLoad('keyword_rankings', 14, RANKING)],
    ['all values but the last', oldLoad('keyword_rankings', 30, { ...RANKING, ...NUMBERS })],
    ['flags', oldLoad('ai_search_brands', 22, FLAGS)],
    ['all values of a load of which the last page is in', oldLoad('keyword_rankings', 30, RANKING, 'staged')],
  ];
  const left: readonly (readonly [string, OldLoad, (comment: string) => string])[] = [
    ['no JSON', oldLoad('keyword_rankings', 3), () => 'kept for the auditors'],
    ['other JSON', oldLoad('keyword_rankings', 3), () => '{"columns":1}'],
    ['columns of other types', oldLoad('keyword_rankings', 3), (comment) => comment.replace('account_id bigint', 'account_id integer')],
    ['other columns', oldLoad('keyword_rankings', 3), (comment) => comment.replace('account_id', 'account')],
    ['values that end early', oldLoad('keyword_rankings', 3), (comment) => comment.replace(/"values":"\w{8}/, '"values":"')],
    ['values that are no base64', oldLoad('keyword_rankings', 3), (comment) => comment.replace('"values":"', '"values":"!')],
    ['a float', oldLoad('keyword_rankings', 29, { cpc: '1.5' }), (comment) => comment],
    ['no text, and the last page is in', oldLoad('ai_search_brands', 1, {}, 'staged'), () => ''],
    ['no text, the last page is in, and more is left out', oldLoad('keyword_rankings', 14, {}, 'staged'), () => ''],
  ];
  const ids = new Map<OldLoad, number>();

  it('finds what an earlier release left', async () => {
    for (const [, load] of whole) ids.set(load, await begin(load));
    for (const [, load, change] of left) ids.set(load, await begin(load, change(commentOf(load))));
    // As that release wrote it.
    expect(
      commentOf({ ...(whole[1]?.[1] as OldLoad), values: { ...RANKING, account_id: '-7', search_engine: '', organization_id: null } }),
    ).toBe(
      '{"columns":["account_id bigint","account_name text","organization_id text","organization_name text","web_property_id bigint",' +
        '"web_property_name text","time_period_start date","time_period_end date","collection_date date","search_engine_name text",' +
        '"search_engine text","search_engine_country_code text","search_engine_language_code text","locode text"],' +
        '"values":"AAAACP/////////5AAAADml0J3MgXCDDqSDwn5iA//////////8AAAAIACAAAAAAAAH/////AAAABAAAJlAAAAAEAAAmVgAAAAT//////////wAAAAD///////////////8="}',
    );
  });

  it('by a role that does not own the staging tables leaves them as they are', async () => {
    const sql = await readFile(new URL(`../../../migrations/${MIGRATION}.sql`, import.meta.url), 'utf8');
    const client = await pool.connect();
    try {
      await client.query('BEGIN; CREATE ROLE shared_values_stranger IN ROLE searchmill_reader; SET LOCAL ROLE shared_values_stranger');
      await client.query(sql);
      await client.query('RESET ROLE');
      const { rows } = await client.query<{ found: boolean }>("SELECT obj_description($1::regclass, 'pg_class') IS NOT NULL AS found", [
        stagingTable(ids.get(whole[0]?.[1] as OldLoad) ?? 0),
      ]);
      expect(rows).toEqual([{ found: true }]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('gives the rows what was left out of them', async () => {
    expect(await migrate(new Secret(database.url))).toContain(MIGRATION);
    for (const [, load] of whole) {
      const staging = stagingTable(ids.get(load) ?? 0);
      const count = load.state === 'staged' ? 3 : 2;
      expect(await readAll(load, staging)).toEqual(expectedRows(load).slice(0, count));
      const { rows } = await pool.query("SELECT obj_description($1::regclass, 'pg_class') AS comment", [staging]);
      expect(rows).toEqual([{ comment: null }]);
    }
  });

  it('lets a process of the earlier release go on that leaves the values out', async () => {
    const [, load] = whole[1] as readonly [string, OldLoad];
    const staging = stagingTable(ids.get(load) ?? 0);
    const rest = namesOf(load, load.shared).join(', ');
    await inTransaction(pool, async (client) => {
      await client.query(`INSERT INTO ${staging} (${rest}, _key, _page, _position) SELECT ${rest}, _key, 2, _position FROM ${staging}`);
      // The columns it gives to a table when rows no longer share their values.
      await client.query(`ALTER TABLE ${staging} ADD COLUMN IF NOT EXISTS account_id bigint DEFAULT '7'`);
    });
    const twice = expectedRows(load)
      .slice(0, 2)
      .flatMap((row) => [row, row]);
    expect(await readAll(load, staging)).toEqual(twice);
    await pool.query(`DELETE FROM ${staging} WHERE _page = 2`);
  });

  it.each(whole)('lets a load without %s go on where it stopped', async (_, load) => {
    const { calls } = await goOn(load);
    expect(calls).toEqual(load.state === 'staged' ? [] : ['page r1/2']);
  });

  it.each(left)('leaves a load alone whose comment has %s, and it is submitted anew', async (_, load) => {
    const { calls } = await goOn(load);
    expect(calls.filter((call) => call === 'submit')).toHaveLength(1);
    const { rows } = await pool.query('SELECT state, last_error FROM searchmill.executions WHERE id = $1', [ids.get(load)]);
    expect(rows).toMatchObject([{ state: 'abandoned' }]);
  });

  it.each(['loading', 'staged'] as const)(
    'is no end of a load that an earlier release begins after it (%s): it is submitted anew',
    async (state) => {
      const load = oldLoad('keyword_rankings', 14, RANKING, state);
      await begin(load);
      const { calls } = await goOn(load);
      expect(calls.filter((call) => call === 'submit')).toHaveLength(1);
    },
  );
});

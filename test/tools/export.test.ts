// DuckDB and polars read the files of an export as their users do: the same rows as in Postgres, with types that need no conversion.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays, windowOfWeeks } from '../../src/core/weeks.ts';
import { exportTables } from '../../src/export/export-tables.ts';
import { FORMATS } from '../../src/export/table-files.ts';
import { jobOf, useLedger, WEEK } from '../support/ledger.ts';
import { hasPython, pythonPrograms } from '../support/python-environment.ts';
import { loadWindow } from '../support/window-steps.ts';
import { wireRow } from '../support/wire-rows.ts';

const PACKAGES = ['duckdb==2.0.1', 'polars==2.1.0'];

const ledger = useLedger();
let folder: string;
let programs: string;

const python = (script: string): unknown =>
  JSON.parse(
    execFileSync(join(programs, 'python'), ['-c', `import json, sys\nfolder = sys.argv[1]\n${script}`, folder], { encoding: 'utf8' }),
  );

describe.skipIf(!hasPython)('an export', () => {
  const account = 600;
  beforeAll(async () => {
    programs = pythonPrograms('readers', PACKAGES);
    folder = mkdtempSync(join(tmpdir(), 'searchmill-export-'));
    const job = jobOf({ accountId: account });
    for (const week of [WEEK.start, addDays(WEEK.start, 7)]) {
      const rows = ['a', 'Zoë, "quoted"\nline', ''].map((title, at) => wireRow(job, { query: `query ${at}`, title, cpc: '0.1' }, week));
      await loadWindow(ledger.pool, job, [...rows, wireRow(job, { query: 'null', title: null, cpc: null }, week)], windowOfWeeks(week, 1));
    }
    const options = {
      pool: ledger.pool,
      account: String(account),
      hasPoints: false,
      since: undefined,
      signal: new AbortController().signal,
    };
    for (const format of FORMATS) await exportTables({ ...options, format, folder: join(folder, format), onProgress: () => undefined });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const inPostgres = async (): Promise<unknown[]> => {
    const { rows } = await ledger.pool.query<Record<string, unknown>>(
      `SELECT query, title, cpc, rank_standard, time_period_start::text AS day, (extract(epoch FROM _loaded_at) * 1000000)::bigint AS loaded
         FROM search.keyword_rankings WHERE account_id = $1 ORDER BY time_period_start, query`,
      [account],
    );
    return rows.map(({ query, title, cpc, rank_standard, day, loaded }) => [query, title, cpc, rank_standard, day, Number(loaded)]);
  };

  it.each(FORMATS)('as %s is read by DuckDB', async (format) => {
    const reader = { parquet: 'read_parquet', csv: 'read_csv' }[format];
    // Without a schema CSV has an empty text for NULL and the other way round, unless the reader is told.
    const options = format === 'csv' ? ", allow_quoted_nulls = false, nullstr = ''" : '';
    const rows = python(`
import duckdb
duckdb.sql("SET TimeZone = 'UTC'")
found = duckdb.sql(f"""SELECT query, title, cpc, rank_standard, time_period_start::text, epoch_us(_loaded_at)
  FROM ${reader}('{folder}/${format}/keyword_rankings/*/*/*.${format}', hive_partitioning = true${options}) ORDER BY time_period_start, query""")
print(json.dumps(found.fetchall()))`);
    expect(rows).toEqual(await inPostgres());
  });

  it('as Parquet has its types in DuckDB and polars, and the account and week of its path', () => {
    expect(
      python(`
import duckdb
found = duckdb.sql(f"""SELECT DISTINCT typeof(account_id), typeof(rank_standard), typeof(cpc), typeof(time_period_start), typeof(_loaded_at), account::text
  FROM read_parquet('{folder}/parquet/keyword_rankings/*/*/*.parquet', hive_partitioning = true)""")
print(json.dumps(found.fetchall()))`),
    ).toEqual([['BIGINT', 'INTEGER', 'DOUBLE', 'DATE', 'TIMESTAMP WITH TIME ZONE', String(account)]]);
    expect(
      python(`
import polars
frame = polars.scan_parquet(f"{folder}/parquet/keyword_rankings/**/*.parquet", hive_partitioning=True).collect()
names = ["account_id", "rank_standard", "cpc", "time_period_start", "_loaded_at"]
print(json.dumps([frame.height, sorted(set(map(str, frame["week"]))), [str(frame.schema[name]) for name in names]]))`),
    ).toEqual([
      8,
      [WEEK.start, addDays(WEEK.start, 7)],
      ['Int64', 'Int32', 'Float64', 'Date', "Datetime(time_unit='us', time_zone='UTC')"],
    ]);
  });
});

// Spark reads the files of an export as docs/export.md says. It is here and not among "npm run test:tools", since it needs Java and half a gigabyte.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays, windowOfWeeks } from '../../src/core/weeks.ts';
import { exportTables } from '../../src/export/export-tables.ts';
import { jobOf, useLedger, WEEK } from '../support/ledger.ts';
import { hasPython, pythonPrograms } from '../support/python-environment.ts';
import { loadWindow } from '../support/window-steps.ts';
import { wireRow } from '../support/wire-rows.ts';

const PACKAGES = ['pyspark==4.3.0'];
const hasJava = spawnSync('java', ['-version']).status === 0;
if (!hasJava) console.log('Spark is not tested: there is no java');

const SCRIPT = `
import json, sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.conf.set("spark.sql.session.timeZone", "UTC")
frame = spark.read.option("mergeSchema", "true").parquet(sys.argv[1] + "/keyword_rankings")
types = [frame.schema[name].dataType.simpleString() for name in ("account_id", "rank_standard", "cpc", "time_period_start", "_loaded_at", "account", "week")]
rows = frame.selectExpr("query", "title", "cpc", "cast(week AS string)", "unix_micros(_loaded_at)").orderBy("week", "query").collect()
print(json.dumps([types, [list(row) for row in rows]]))`;

const ledger = useLedger();

describe.skipIf(!hasPython || !hasJava)('Spark', () => {
  let folder: string;
  let programs: string;
  beforeAll(async () => {
    programs = pythonPrograms('spark', PACKAGES);
    folder = await mkdtemp(join(tmpdir(), 'searchmill-spark-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('reads all weeks of an export with their types and values', async () => {
    const job = jobOf();
    for (const week of [WEEK.start, addDays(WEEK.start, 7)]) {
      const titles = ['a', 'Zoë, "quoted"\nline', '', null];
      const rows = titles.map((title, at) => wireRow(job, { query: `query ${at}`, title, cpc: at === 0 ? null : '0.1' }, week));
      await loadWindow(ledger.pool, job, rows, windowOfWeeks(week, 1));
    }
    const { signal } = new AbortController();
    const asked = { account: String(job.accountId), format: 'parquet', hasPoints: false, since: undefined } as const;
    await exportTables({ ...asked, pool: ledger.pool, folder, signal, onProgress: () => undefined });
    const { stdout } = await promisify(execFile)(join(programs, 'python'), ['-c', SCRIPT, folder], { maxBuffer: 64 * 1024 * 1024 });
    const [types, read] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as [string[], unknown[]];
    expect(types).toEqual(['bigint', 'int', 'double', 'date', 'timestamp', 'int', 'date']);
    const { rows } = await ledger.pool.query<{ values: unknown[] }>(
      `SELECT json_build_array(query, title, cpc, time_period_start::text, (extract(epoch FROM _loaded_at) * 1000000)::bigint) AS values
         FROM search.keyword_rankings WHERE account_id = $1 ORDER BY time_period_start, query`,
      [job.accountId],
    );
    expect(read).toEqual(rows.map(({ values }) => values));
  });
});

// docs/recipes/duckdb.sql in DuckDB, with its own extension for Postgres, which a package of Python brings: DuckDB would get it from an address of its own.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobOf, useLedger, WEEK } from '../support/ledger.ts';
import { hasPython, pythonPrograms } from '../support/python-environment.ts';
import { loadWindow } from '../support/window-steps.ts';
import { wireRow } from '../support/wire-rows.ts';

const PACKAGES = ['duckdb==1.5.5', 'duckdb-extension-postgres-scanner==1.5.5'];
const RECIPE = fileURLToPath(new URL('../../docs/recipes/duckdb.sql', import.meta.url));
/** Runs statements of standard input one after the other. Prints the rows of the last SELECT, and of each file that was written. */
const SCRIPT = `
import duckdb, glob, json, os, sys
import duckdb_extension_postgres_scanner as package
[extension] = glob.glob(os.path.dirname(package.__file__) + '/**/*.duckdb_extension', recursive=True)
session, selected = duckdb.connect(), []
for statement in sys.stdin.read().split(';'):
    text = '\\n'.join(line for line in statement.splitlines() if not line.startswith('--')).strip()
    if text == 'INSTALL postgres':
        text = f"INSTALL '{extension}'"
    if text == 'LOAD postgres':
        text = 'LOAD postgres_scanner'
    if text.startswith('SELECT'):
        selected = [[str(week), site, results] for week, site, results in session.sql(text).fetchall()]
    elif text:
        session.execute(text)
[written] = glob.glob('*.parquet')
print(json.dumps([selected, [query for (query,) in session.sql(f"SELECT query FROM '{written}' ORDER BY query").fetchall()]]))`;

const ledger = useLedger();

describe.skipIf(!hasPython)('the recipe for DuckDB', () => {
  let folder: string;
  let programs: string;
  beforeAll(() => {
    programs = pythonPrograms('duckdb-postgres', PACKAGES);
    folder = mkdtempSync(join(tmpdir(), 'searchmill-duckdb-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('counts results by site where the tables are, and writes a week to a file', async () => {
    const job = jobOf();
    const row = (query: string, site: string, place: number): unknown[] =>
      wireRow(job, { query, root_domain: site, rank_standard: String(place) });
    await loadWindow(ledger.pool, job, [
      row('a', 'x.example', 1),
      row('b', 'x.example', 2),
      row('c', 'y.example', 3),
      row('d', 'z.example', 4),
    ]);
    const { hostname, port, username, password, pathname } = new URL(ledger.url);
    const [PGUSER, PGPASSWORD, PGDATABASE] = [username, password, pathname.slice(1)].map(decodeURIComponent);
    const recipe = readFileSync(RECIPE, 'utf8');
    expect(recipe).toContain(`DATE '${WEEK.start}'`);
    const out = execFileSync(join(programs, 'python'), ['-c', SCRIPT], {
      cwd: folder,
      // Extensions are installed below the home directory.
      env: { PATH: process.env.PATH, HOME: folder, PGHOST: hostname, PGPORT: port, PGUSER, PGPASSWORD, PGDATABASE },
      input: recipe.replaceAll('12345', String(job.accountId)),
      encoding: 'utf8',
    });
    expect(JSON.parse(out)).toEqual([
      [
        [WEEK.start, 'x.example', 2],
        [WEEK.start, 'y.example', 1],
      ],
      ['a', 'b', 'c', 'd'],
    ]);
  });
});

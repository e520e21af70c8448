// docs/bi.md in Superset itself: its charts show what boards show, and a gap where they have one.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE } from '../../src/core/clock.ts';
import { makeLogin } from '../../src/postgres/logins.ts';
import { useBoards } from '../support/boards.ts';
import { asLogin } from '../support/database-access.ts';
import { hasPython, pythonPrograms } from '../support/python-environment.ts';
import { type Unpublished, unpublish } from '../support/unpublished-weeks.ts';

// Superset 6.1 needs the last two and does not bring them.
const PACKAGES = ['apache-superset==6.1.0', 'psycopg2-binary==2.9.13', 'cachetools==8.0.2', 'rich==15.0.0', 'Flask-Caching==2.3.1'];
const ACCOUNT = 12345;
const SCRIPT = fileURLToPath(new URL('superset_chart.py', import.meta.url));
const UNPUBLISHED = '2026-10-25';
const OF_UNPUBLISHED = `job IN ('ai-search-response', 'ai-search-brands') AND window_start = '${UNPUBLISHED}'`;

type Point = readonly [week: string, line: string, value: number | null];

const loaded = useBoards('since: 2026-10-18, weeks_per_query: 1', ['ai_search_response', 'ai_search_brands']);
const login = `test_superset_${randomBytes(4).toString('hex')}`;
let unpublished: Unpublished;
let folder: string;
let charts: Readonly<{ rate: readonly Point[]; points: readonly Point[] }>;

/** As boards show it. */
async function shownLines(): Promise<Point[]> {
  const { rows } = await loaded.stack.pool.query<{ week: string; line: string; value: number | null }>(
    `SELECT week::text, line, level::double precision AS value
       FROM search_reports.levels('mention_rate', 'assistant', search_reports.all_of($1, 'unbranded'), NULL, false)`,
    [ACCOUNT],
  );
  return rows.map(({ week, line, value }) => [week, line, value]);
}

/** Superset gives a week as milliseconds since 1970. */
function figuresOf(points: readonly (readonly [week: string | number, line: string, value: number | null])[]): Map<string, number> {
  return new Map(
    points.flatMap(([week, line, value]) => (value === null ? [] : [[`${new Date(week).toISOString().slice(0, 10)} ${line}`, value]])),
  );
}

describe.skipIf(!hasPython)('Superset', () => {
  beforeAll(async () => {
    const programs = pythonPrograms('superset', PACKAGES);
    const { pool, databaseUrl } = loaded.stack;
    const password = await makeLogin(pool, login, { accountIds: undefined, statementTimeoutSeconds: 60, isPasswordNew: true });
    unpublished = await unpublish(pool, OF_UNPUBLISHED);
    folder = await mkdtemp(join(tmpdir(), 'searchmill-superset-'));
    const config = join(folder, 'superset_config.py');
    const settings = [
      `SECRET_KEY = "${randomBytes(32).toString('hex')}"`,
      `SQLALCHEMY_DATABASE_URI = "sqlite:///${join(folder, 'superset.db')}"`,
      'WTF_CSRF_ENABLED = False',
      'TALISMAN_ENABLED = False',
    ];
    await writeFile(config, settings.join('\n'));
    const options = {
      cwd: folder,
      env: { ...process.env, SUPERSET_CONFIG_PATH: config, FLASK_APP: 'superset' },
      maxBuffer: 64 * 1024 * 1024,
    };
    const superset = (...args: string[]) => promisify(execFile)(join(programs, 'superset'), args, options);
    await superset('db', 'upgrade');
    const person = ['--username', 'admin', '--firstname', 'Ann', '--lastname', 'Lee', '--email', 'ann@example.com', '--password', 'admin'];
    await superset('fab', 'create-admin', ...person);
    await superset('init');
    const running = promisify(execFile)(join(programs, 'python'), [SCRIPT, String(ACCOUNT)], options);
    running.child.stdin?.end(asLogin(databaseUrl, login, password?.reveal()).replace(/^postgres:/, 'postgresql:'));
    const { stdout } = await running;
    charts = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as typeof charts;
  }, 15 * MINUTE);
  afterAll(async () => {
    const { pool } = loaded.stack;
    await unpublished.restore();
    await pool.query(`DROP ROLE IF EXISTS ${login}`);
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['rate', 'points'] as const)('its chart (%s) has the figures of the boards, and none where they have none', async (chart) => {
    const shown = await shownLines();
    const figures = figuresOf(shown);
    expect(figures.size).toBeGreaterThan(0);
    expect(shown.some(([week, , value]) => week === UNPUBLISHED && value === null)).toBe(true);
    const drawn = figuresOf(charts[chart]);
    expect(new Set(drawn.keys())).toEqual(new Set(figures.keys()));
    for (const [point, value] of figures) expect(drawn.get(point), point).toBeCloseTo(value, 9);
  });
});

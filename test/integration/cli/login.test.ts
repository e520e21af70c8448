// searchmill login: a login for BI tools, in one step.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { scramVerifier } from '../../../src/postgres/logins.ts';
import { type CommandLineResult, runCli } from '../../support/command-line.ts';
import { asLogin, createLogin } from '../../support/database-access.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const made: string[] = [];
afterEach(async () => {
  for (const name of made.splice(0)) await ledger.pool.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
});

function newName(): string {
  const name = `test_login_${randomBytes(4).toString('hex')}`;
  made.push(name);
  return name;
}

const cli = (args: readonly string[], url = ledger.url): Promise<CommandLineResult> => runCli(args, { env: { DATABASE_URL: url } });

async function ask(name: string, password: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: asLogin(ledger.url, name, password) });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

it('makes a login with the settings of BI tools, which reads reports and tables, and not the ledger', async () => {
  const name = newName();
  const { code, out } = await cli(['login', name, '--statement-timeout', '90', '--json']);
  expect(code).toBe(0);
  const { password, ...shown } = JSON.parse(out) as { login: string; password: string; host: string };
  expect(shown).toMatchObject({ login: name, host: new URL(ledger.url).hostname });
  const settings = `SELECT current_setting('jit') AS jit, current_setting('search_path') AS path, current_setting('statement_timeout') AS timeout`;
  expect(await ask(name, password, settings)).toEqual([{ jit: 'off', path: 'search_reports, search', timeout: '90s' }]);
  expect(await ask(name, password, 'SELECT count(*)::integer AS n FROM points, keyword_rankings')).toEqual([{ n: 0 }]);
  await expect(ask(name, password, 'SELECT FROM searchmill.jobs')).rejects.toThrow('permission denied');
});

it('keeps the password of a login that is there, unless a new one is asked for', async () => {
  const name = newName();
  const first = (await cli(['login', name])).out;
  expect(first).toMatch(/password {2}\S{32} {2}\(shown once\)/);
  const verifier = async (): Promise<unknown> =>
    (await ledger.pool.query<{ rolpassword: string }>('SELECT rolpassword FROM pg_authid WHERE rolname = $1', [name])).rows[0]?.rolpassword;
  const before = await verifier();
  expect((await cli(['login', name])).out).toContain('as it was');
  expect(await verifier()).toBe(before);
  expect((await cli(['login', name, '--new-password'])).out).toContain('(shown once)');
  expect(await verifier()).not.toBe(before);
});

it('gives Postgres a password in its own form', async () => {
  const name = newName();
  await ledger.pool.query(`CREATE ROLE ${name} LOGIN PASSWORD 'pencil'`);
  const { rows } = await ledger.pool.query<{ rolpassword: string }>('SELECT rolpassword FROM pg_authid WHERE rolname = $1', [name]);
  const kept = String(rows[0]?.rolpassword);
  const [, salt = ''] = /^SCRAM-SHA-256\$4096:([^$]+)\$/.exec(kept) ?? [];
  expect(scramVerifier(new Secret('pencil'), Buffer.from(salt, 'base64'))).toBe(kept);
});

it('of an account sees that account only', async () => {
  const [mine, other] = [jobOf(), jobOf()];
  for (const job of [mine, other]) await loadWindow(ledger.pool, job, [wireRow(job, {})]);
  expect((await cli(['reports', 'rebuild'])).code).toBe(0);
  const name = newName();
  const { password } = JSON.parse((await cli(['login', name, '--account', String(mine.accountId), '--json'])).out) as { password: string };
  const seen = await ask(name, password, 'SELECT DISTINCT account_id::text AS account FROM measure_found');
  expect(seen).toEqual([{ account: String(mine.accountId) }]);
  // It may not read the tables (docs/deploying.md gives that), so a week that is not stored yet is left out for a minute.
  await ledger.pool.query(
    `INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
     SELECT 'rankings', $1, search_reports.week_of(time_period_start), true FROM search.keyword_rankings WHERE account_id = $1 LIMIT 1`,
    [mine.accountId],
  );
  expect(await ask(name, password, 'SELECT DISTINCT whole, reason FROM measure_found')).toEqual([
    { whole: null, reason: 'being summarised' },
  ]);
});

it('is refused where roles would add up, and where this role may not make others, with nothing changed', async () => {
  const loader = await createLogin(ledger.pool, ledger.url, 'searchmill_writer');
  try {
    const { code, err } = await cli(['login', loader.name]);
    expect([code, err]).toEqual([2, expect.stringContaining('is a member of searchmill_writer, and roles add up')]);
    const name = `test_login_${randomBytes(4).toString('hex')}`;
    const refused = await cli(['login', name], loader.url);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('this role may not make logins')]);
    expect((await ledger.pool.query('SELECT FROM pg_roles WHERE rolname = $1', [name])).rows).toHaveLength(0);
  } finally {
    await loader.drop();
  }
});

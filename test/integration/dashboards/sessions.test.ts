// Sessions of the pages over several processes: what one opens all take, what one ends all refuse.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { createLogin, type Login } from '../../support/database-access.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

const PASSWORD = 'open sesame';

let database: TestDatabase;
let owner: Pool;
let reader: Login;
let served: TestDashboards[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool(new Secret(database.url), { applicationName: 'sessions test', max: 1 });
  reader = await createLogin(owner, database.url, 'searchmill_reader');
});
afterEach(async () => {
  await Promise.all(served.map((each) => each.close()));
  served = [];
});
afterAll(async () => {
  await reader.drop();
  await owner.end();
  await database.drop();
});

async function serve(url = database.url, password = PASSWORD): Promise<string> {
  const dashboards = await serveDashboards(url, { password });
  served.push(dashboards);
  return dashboards.url;
}

async function logIn(at: string, password = PASSWORD): Promise<string> {
  const answer = await fetch(`${at}/login`, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ password }) });
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

const logOut = (at: string, cookie: string) => fetch(`${at}/logout`, { method: 'POST', redirect: 'manual', headers: { cookie } });
const codeOf = async (at: string, cookie: string, path = '/boards') =>
  (await fetch(at + path, { redirect: 'manual', headers: { cookie } })).status;

describe('a session', () => {
  it('is opened by the password in composed and in decomposed letters, and accepted by processes that have it in the other form', async () => {
    const forms = ['sésame öffne dich'.normalize('NFC'), 'sésame öffne dich'.normalize('NFD')];
    const servers = await Promise.all(forms.map((form) => serve(database.url, form)));
    for (const form of forms)
      for (const at of servers) {
        const cookie = await logIn(at, form);
        expect(await Promise.all(servers.map((each) => codeOf(each, cookie)))).toEqual([200, 200]);
      }
    expect(await logIn(servers[0] ?? '', 'sesame offne dich')).toBe('');
  });

  it('is accepted by every process with the password; ending it in one ends it in all, also in those that start later', async () => {
    const [first, second] = [await serve(), await serve()];
    const cookie = await logIn(first);
    const other = await logIn(first);
    expect([await codeOf(first, cookie), await codeOf(second, cookie)]).toEqual([200, 200]);

    const out = await logOut(second, cookie);
    expect([out.status, out.headers.get('location')]).toEqual([303, '/login']);

    const third = await serve();
    for (const at of [first, second, third]) expect([await codeOf(at, cookie), await codeOf(at, other)]).toEqual([303, 200]);
    // The login page does not accept it either.
    expect(await codeOf(first, cookie, '/login')).toBe(200);
    expect(await codeOf(first, other, '/login')).toBe(303);
  });

  it('can be ended in all processes through a login that may only read', async () => {
    const [first, second] = [await serve(reader.url), await serve()];
    const cookie = await logIn(first);
    expect((await logOut(first, cookie)).status).toBe(303);
    expect(await codeOf(second, cookie)).toBe(303);
  });

  it('leaves in the ledger, for a day, only what no cookie can be made from', async () => {
    const at = await serve();
    const cookie = await logIn(at);
    await owner.query('DELETE FROM searchmill.ended_sessions');
    await owner.query("INSERT INTO searchmill.ended_sessions VALUES (sha256('old'), clock_timestamp() - interval '25 hours')");
    await logOut(at, cookie);
    const { rows } = await owner.query<{ digest: Buffer }>('SELECT digest FROM searchmill.ended_sessions');
    expect(rows).toHaveLength(1);
    for (const part of cookie.split(/[=.]/).filter(Boolean))
      for (const written of ['base64url', 'base64', 'hex', 'latin1'] as const)
        expect(rows[0]?.digest.toString(written)).not.toContain(part);
  });

  it('is ended in this process alone when the ledger cannot record that, and the page says so', async () => {
    const [first, second] = [await serve(reader.url), await serve()];
    const cookie = await logIn(first);
    await owner.query('REVOKE EXECUTE ON FUNCTION searchmill.end_session FROM searchmill_reader');
    const out = await logOut(first, cookie).finally(() =>
      owner.query('GRANT EXECUTE ON FUNCTION searchmill.end_session TO searchmill_reader'),
    );
    expect(out.status).toBe(503);
    expect(out.headers.get('set-cookie')).toMatch(/^searchmill_session_[0-9a-f]{8}=; .*Max-Age=0/);
    const text = await out.text();
    expect(text).toContain('You are logged out of this process only');
    expect(text).toContain('permission denied for function end_session');
    expect([await codeOf(first, cookie), await codeOf(second, cookie)]).toEqual([303, 200]);
  });
});

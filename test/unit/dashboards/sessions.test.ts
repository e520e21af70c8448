// Logging in and out, and whose requests are answered.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import type { Access } from '../../../src/dashboards/access.ts';
import { createHttpServer } from '../../../src/dashboards/http-server.ts';
import type { Frame } from '../../../src/dashboards/layout.tsx';
import { FREE, guardPages, isNameServed, localPath, type SendMessage, serveLogin } from '../../../src/dashboards/sessions.ts';

const FRAME: Frame = { boards: [], links: [], assetVersion: '1', hasSession: false };
const ADA = { name: 'Ada', formToken: 'token' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const sendMessage: SendMessage = (reply, code, message): FastifyReply => reply.code(code).send(message);

/** A password of which the only session is `session=ada`. */
function passwordAccess(changes: Partial<Extract<Access, { kind: 'password' }>> = {}) {
  const ended: string[] = [];
  const opened: string[] = [];
  const access: Access = {
    kind: 'password',
    isPassword: (given) => given === 'open sesame',
    openSession: async (name) => {
      opened.push(name);
      return 'session=ada';
    },
    findSession: async (cookies) => (cookies === 'session=ada' ? ADA : undefined),
    closeSession: async () => 'session=',
    endSession: async (cookies) => void ended.push(cookies),
    ...changes,
  };
  return { access, ended, opened };
}

let server: FastifyInstance;
afterEach(() => server.close());

function serve(access: Access, options: Parameters<typeof createHttpServer>[0] = {}): FastifyInstance {
  server = createHttpServer(options);
  guardPages(server, { access, sendMessage });
  serveLogin(server, { access, frame: FRAME, sendMessage });
  server.get('/boards', async ({ session }) => session ?? 'no session');
  server.post('/boards', async ({ body }) => String(body));
  server.get('/health', FREE, async () => 'healthy');
  return server;
}
const COOKIE = { cookie: 'session=ada' };
const post = (url: string, payload: string, headers: Readonly<Record<string, string>> = {}) =>
  server.inject({ method: 'POST', url, payload, headers: { ...FORM, ...headers } });

describe('pages without a password', () => {
  it('are served under names of this machine only', async () => {
    serve({ kind: 'open' });
    expect((await server.inject({ url: '/boards', headers: { host: 'localhost:8080' } })).body).toBe('no session');
    const other = await server.inject({ url: '/boards', headers: { host: 'evil.example' } });
    expect([other.statusCode, other.json()]).toEqual([403, expect.objectContaining({ title: 'This name is not served' })]);
    for (const url of ['/login', '/logout']) expect((await server.inject({ url, headers: { host: 'localhost' } })).statusCode).toBe(404);
  });

  it('are not served at all on other addresses', async () => {
    serve({ kind: 'closed' });
    const answer = await server.inject('/boards');
    expect([answer.statusCode, answer.json()]).toEqual([403, expect.objectContaining({ title: 'The dashboards need a password' })]);
    expect((await server.inject('/health')).statusCode).toBe(403);
  });

  it('have names that are asked about before a session is', () => {
    const nameOf = (host: string) => ({ headers: { host } }) as Parameters<typeof isNameServed>[1];
    expect(isNameServed({ kind: 'open' }, nameOf('evil.example'))).toBe(false);
    expect(isNameServed({ kind: 'open' }, nameOf('127.0.0.1'))).toBe(true);
    expect(isNameServed(passwordAccess().access, nameOf('evil.example'))).toBe(true);
  });
});

describe('pages with a password', () => {
  it('lead to the login without a session, and back after it', async () => {
    const { access, opened } = passwordAccess();
    serve(access);
    const asked = await server.inject('/boards?weeks=4');
    expect([asked.statusCode, asked.headers.location]).toEqual([303, '/login?to=%2Fboards%3Fweeks%3D4']);
    expect((await server.inject({ url: '/boards', headers: COOKIE })).json()).toEqual(ADA);
    expect((await server.inject('/health')).body).toBe('healthy');
    const form = await server.inject('/login?to=/boards?weeks=4');
    expect([form.statusCode, form.headers['content-type'], form.body]).toEqual([
      200,
      'text/html; charset=utf-8',
      expect.stringContaining('value="/boards?weeks=4"'),
    ]);
    const right = await post('/login', 'password=open+sesame&name=Ada%0ALovelace&to=/boards?weeks=4');
    expect([right.statusCode, right.headers.location, right.headers['set-cookie']]).toEqual([303, '/boards?weeks=4', 'session=ada']);
    expect(opened).toEqual(['Ada Lovelace']);
    const again = await server.inject({ url: '/login?to=/operations', headers: COOKIE });
    expect([again.statusCode, again.headers.location]).toEqual([303, '/operations']);
  });

  it('tell a wrong password, keep where it leads, and after ten ask to wait', async () => {
    const { access, opened } = passwordAccess();
    serve(access);
    const wrong = await post('/login', 'password=wrong&to=/operations');
    expect([wrong.statusCode, wrong.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
    for (const part of ['Wrong password.', 'value="/operations"']) expect(wrong.body).toContain(part);
    expect((await server.inject({ method: 'POST', url: '/login' })).statusCode).toBe(401);
    for (let attempt = 0; attempt < 8; attempt += 1) expect((await post('/login', 'password=wrong')).statusCode).toBe(401);
    const often = await post('/login', 'password=wrong');
    expect([often.statusCode, (often.json() as { text: string }).text]).toEqual([
      429,
      'Too many wrong passwords from here. Try again in a minute.',
    ]);
    const forwarded = await post('/login', 'password=wrong', { 'x-forwarded-for': '192.0.2.1' });
    expect((forwarded.json() as { text: string }).text).toMatch(/OPS_TRUSTED_PROXIES\.$/);
    expect(opened).toEqual([]);
  });

  it('count attempts by the addresses that a trusted proxy tells', async () => {
    serve(passwordAccess().access, { trustedProxies: ['127.0.0.1'] });
    const from = (address: string) => post('/login', 'password=wrong', { 'x-forwarded-for': address });
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await from('192.0.2.1')).statusCode).toBe(401);
    const often = await from('192.0.2.1');
    expect([often.statusCode, (often.json() as { text: string }).text]).toEqual([
      429,
      'Too many wrong passwords from here. Try again in a minute.',
    ]);
    expect((await from('192.0.2.2')).statusCode).toBe(401);
  });

  it('mark the cookie as one for TLS behind a proxy with TLS', async () => {
    serve(passwordAccess().access);
    const https = await post('/login', 'password=open+sesame', { 'x-forwarded-proto': 'https' });
    expect(https.headers['set-cookie']).toBe('session=ada; Secure');
    expect((await post('/logout', '', { 'x-forwarded-proto': 'https' })).headers['set-cookie']).toBe('session=; Secure');
  });
});

describe('a logout', () => {
  it('removes the cookie, ends the session and leads to the login', async () => {
    const { access, ended } = passwordAccess();
    serve(access);
    const answer = await post('/logout', '', COOKIE);
    expect([answer.statusCode, answer.headers.location, answer.headers['set-cookie']]).toEqual([303, '/login', 'session=']);
    expect((await post('/logout', '')).statusCode).toBe(303);
    expect(ended).toEqual(['session=ada', '']);
  });

  it('that the database cannot record says so, and still removes the cookie', async () => {
    serve(passwordAccess({ endSession: () => Promise.reject(new StoreError('away', { retryable: true })) }).access);
    const answer = await post('/logout', '', COOKIE);
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([503, 'session=']);
    expect(answer.json()).toMatchObject({
      title: 'You are logged out of this process only',
      detail: expect.stringContaining('away') as string,
    });
  });

  it('that fails for another reason is an error', async () => {
    serve(passwordAccess({ endSession: () => Promise.reject(new TypeError('a defect')) }).access);
    expect((await post('/logout', '', COOKIE)).statusCode).toBe(500);
  });
});

describe('a form', () => {
  it('is taken from our own pages, and from clients that are no browsers', async () => {
    serve({ kind: 'open' });
    const host = 'localhost:80';
    expect((await post('/boards', 'a=1', { host })).body).toBe('a=1');
    expect((await post('/boards', 'a=1', { host, 'sec-fetch-site': 'same-origin' })).body).toBe('a=1');
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'http://evil.example' }]) {
      const refused = await post('/boards', 'a=1', { host, ...headers });
      expect([refused.statusCode, refused.json()]).toEqual([403, expect.objectContaining({ title: 'This form is not from these pages' })]);
    }
    expect((await server.inject({ url: '/boards', headers: { host, 'sec-fetch-site': 'cross-site' } })).statusCode).toBe(200);
  });

  it('of another type, or one that is too long, is refused', async () => {
    serve({ kind: 'open' });
    const json = await server.inject({ method: 'POST', url: '/boards', payload: { a: 1 } });
    expect([json.statusCode, json.json()]).toEqual([415, expect.objectContaining({ title: 'This request cannot be answered' })]);
    expect((await server.inject({ method: 'POST', url: '/boards' })).body).toBe('undefined');
    expect((await post('/boards', `a=${'x'.repeat(4_094)}`)).statusCode).toBe(200);
    expect((await post('/boards', `a=${'x'.repeat(4_095)}`)).statusCode).toBe(413);
  });
});

it.each([
  ['/boards', '/boards'],
  ['/boards/rankings?weeks=4', '/boards/rankings?weeks=4'],
  ['/operations?x', '/operations?x'],
  ['/boardsx', '/'],
  ['x/boards', '/'],
  ['//evil.example/boards', '/'],
  ['/boards/\\evil', '/'],
  ['/boards/ x', '/'],
  ['/boards\n', '/'],
  [undefined, '/'],
  [['/boards'], '/'],
])('the login leads from %j to %s', (to, path) => {
  expect(localPath(to)).toBe(path);
});

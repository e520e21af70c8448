// Who may see the pages, by the cookies of their sessions.
import { describe, expect, it } from 'vitest';
import { HOUR, SECOND } from '../../../src/core/clock.ts';
import { StoreError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { type Access, type AccessOptions, accessFor } from '../../../src/dashboards/access.ts';
import { answeringPool } from '../../support/answering-pool.ts';

const PASSWORD = 'open sesame';

/** An installation whose ledger remembers ended sessions, and is away while `isAway`. */
function installationAt(place: string) {
  const ended = new Set<string>();
  const state: { isAway: boolean } = { isAway: false };
  const { pool, asked } = answeringPool((name, { digest }) => {
    if (state.isAway) throw new StoreError('away', { retryable: true });
    const key = Buffer.isBuffer(digest) ? digest.toString('hex') : '';
    if (name === 'logins/end') ended.add(key);
    if (name === 'logins/is-ended') return [{ isEnded: ended.has(key) }];
    return name === 'logins/read-place' ? [{ place }] : [];
  });
  return { pool, asked, ended, state };
}
const HERE = installationAt('here');

function open(changes: Partial<AccessOptions> = {}): Extract<Access, { kind: 'password' }> {
  const access = accessFor({ host: '0.0.0.0', password: new Secret(PASSWORD), pool: HERE.pool, ...changes });
  if (access.kind !== 'password') throw new Error(access.kind);
  return access;
}
/** What a browser sends of a Set-Cookie value. */
const sent = (cookie: string): string => cookie.split(';')[0] ?? '';

describe('without a password', () => {
  it.each([
    ['127.0.0.1', 'open'],
    ['localhost', 'open'],
    ['0.0.0.0', 'closed'],
    ['192.0.2.1', 'closed'],
  ])('pages that are served on %s are %s', (host, kind) => {
    expect(accessFor({ host, password: undefined, pool: HERE.pool })).toEqual({ kind });
  });
});

describe('the password', () => {
  it('is known as it is set, whichever way its letters are written, and no other', () => {
    const access = open({ password: new Secret('café') });
    expect(['café', 'cafe\u0301', 'cafe', 'Café', ''].map(access.isPassword)).toEqual([true, true, false, false, false]);
  });
});

describe('a session', () => {
  it('is a cookie for twelve hours, below the path, that scripts cannot read', async () => {
    const cookie = await open({ now: () => 0 }).openSession('Ada');
    expect(cookie).toMatch(
      /^searchmill_session_[0-9a-f]{8}=43200000\.[\w-]{22}\.[\w-]+\.[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/,
    );
    expect(await open({ basePath: '/seo' }).openSession('Ada')).toContain('; Path=/seo; ');
    expect(await open().closeSession()).toMatch(/^searchmill_session_[0-9a-f]{8}=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/);
  });

  it('is accepted by every process with the same password, among other cookies, until it expires', async () => {
    let now = 1_000_000;
    const cookie = sent(await open({ now: () => now }).openSession('Ada'));
    const other = open({ now: () => now });
    expect(await other.findSession(cookie)).toEqual({ name: 'Ada', formToken: expect.stringMatching(/^[\w-]{43}$/) as string });
    expect(await other.findSession(`a=1; ${cookie}; b=2`)).toMatchObject({ name: 'Ada' });
    expect(await other.findSession(`a=1;${cookie}`)).toMatchObject({ name: 'Ada' });
    expect(await open({ password: new Secret('another') }).findSession(cookie)).toBeUndefined();
    now += 12 * HOUR - 1;
    expect(await other.findSession(cookie)).toMatchObject({ name: 'Ada' });
    now += 1;
    expect(await other.findSession(cookie)).toBeUndefined();
    now += SECOND;
    expect(await other.findSession(cookie)).toBeUndefined();
  });

  it('has a token for its forms that no other session has', async () => {
    const access = open();
    const tokens = await Promise.all(
      ['Ada', 'Ada'].map(async (name) => (await access.findSession(sent(await access.openSession(name))))?.formToken),
    );
    expect(new Set(tokens).size).toBe(2);
  });

  it.each([
    ['a later expiry time', (cookie: string) => cookie.replace(/=(\d)/, (_, digit: string) => `=${Number(digit) + 1}`)],
    [
      'another name',
      (cookie: string) => cookie.replace(/\.([\w-]+)\.([\w-]+)$/, (_, _name: string, signature: string) => `.QQ.${signature}`),
    ],
    ['no signature', (cookie: string) => cookie.replace(/\.[\w-]+$/, '')],
    ['a signature that is cut', (cookie: string) => cookie.slice(0, -1)],
    ['a signature that goes on', (cookie: string) => `${cookie}A`],
    ['something before it', (cookie: string) => cookie.replace('=', '=1')],
    ['letters before it', (cookie: string) => cookie.replace('=', '=x')],
    ['something behind it', (cookie: string) => `${cookie}.A`],
    ['the start of another name', (cookie: string) => `x${cookie}`],
  ])('with %s is not accepted', async (_, change) => {
    const access = open({ now: () => 0 });
    const cookie = sent(await access.openSession('Ada'));
    expect(await access.findSession(cookie)).toBeDefined();
    expect(await access.findSession(change(cookie))).toBeUndefined();
  });

  it('of another installation on this host is not taken for our own', async () => {
    const there = installationAt('there');
    const cookie = sent(await open({ pool: there.pool }).openSession('Ada'));
    expect(await open().findSession(cookie)).toBeUndefined();
    expect(await open().findSession(`${cookie}; ${sent(await open().openSession('Bob'))}`)).toMatchObject({ name: 'Bob' });
  });

  it('costs the database nothing when there is no cookie of ours, and its place is read once', async () => {
    const there = installationAt('there');
    const access = open({ pool: there.pool });
    expect(await access.findSession('a=1')).toBeUndefined();
    expect(there.asked).toEqual([]);
    const cookie = sent(await access.openSession('Ada'));
    await access.findSession(cookie);
    await access.findSession(cookie);
    expect(there.asked.filter(({ name }) => name === 'logins/read-place')).toHaveLength(1);
  });

  it('has at most 60 characters of the name that was entered', async () => {
    const access = open();
    expect(await access.findSession(sent(await access.openSession('a'.repeat(61))))).toMatchObject({ name: 'a'.repeat(60) });
    expect(await access.findSession(sent(await access.openSession('')))).toMatchObject({ name: '' });
  });
});

describe('a session that was ended', () => {
  it('is refused by every process, and others go on', async () => {
    const access = open();
    const [cookie, other] = [sent(await access.openSession('Ada')), sent(await access.openSession('Bob'))];
    await access.endSession(cookie);
    for (const each of [access, open()]) {
      expect(await each.findSession(cookie)).toBeUndefined();
      expect(await each.findSession(other)).toMatchObject({ name: 'Bob' });
    }
  });

  it('stays ended in the process that ended it, even if the ledger could not record it', async () => {
    const there = installationAt('there');
    let now = 0;
    const access = open({ pool: there.pool, now: () => now });
    const cookie = sent(await access.openSession('Ada'));
    there.state.isAway = true;
    await expect(access.endSession(cookie)).rejects.toBeInstanceOf(StoreError);
    there.state.isAway = false;
    expect(await access.findSession(cookie)).toBeUndefined();
    // Another logout forgets only sessions that have expired.
    now = 12 * HOUR - 1;
    await access.endSession('');
    expect(await access.findSession(cookie)).toBeUndefined();
    expect(there.ended.size).toBe(0);
  });

  it('that is none is not recorded', async () => {
    const there = installationAt('there');
    await open({ pool: there.pool }).endSession('searchmill_session_00000000=1.a.b.c');
    expect(there.asked.map(({ name }) => name)).not.toContain('logins/end');
  });
});

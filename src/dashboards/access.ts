// Who may see the pages: on the loopback everybody who is on the machine, on any other address those who know the password. A session
// is a signed time in a cookie, so any process with the same password takes it, also after a new start. The ledger knows of a session
// only that it was ended.
import { createHash, createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { HOUR } from '../core/clock.ts';
import { isLoopback } from '../core/loopback.ts';
import type { Secret } from '../core/secret.ts';
import { endSession, isSessionEnded } from '../warehouse/ended-sessions.ts';
import type { Pool } from '../warehouse/pool.ts';

/** Who is logged in: the name somebody gave, which nobody checks. */
export type Session = Readonly<{
  name: string;
  /** What a form of ours carries, and no page of elsewhere can know. */
  formToken: string;
}>;

export type Access =
  /** On the loopback, without a password. */
  | Readonly<{ kind: 'open' }>
  /** On another address without a password: nobody sees the pages. */
  | Readonly<{ kind: 'closed' }>
  | Readonly<{
      kind: 'password';
      isPassword: (given: string) => boolean;
      /** The cookie of a new session. */
      openSession: (name: string) => string;
      /** The session of a Cookie header; undefined where there is none that is signed, still runs and was not ended. Throws StoreError. */
      findSession: (cookies: string) => Promise<Session | undefined>;
      /** Ends the session of a Cookie header, for all who have the cookie and in every process. Throws StoreError: then only in this one. */
      endSession: (cookies: string) => Promise<void>;
    }>;

const COOKIE = 'searchmill_session';
const SESSION_MS = 12 * HOUR;
const LONGEST_NAME = 60;

export type AccessOptions = Readonly<{
  host: string;
  password: Secret | undefined;
  /** Of the ledger, which knows the sessions that were ended. */
  pool: Pool;
  now?: () => number;
}>;

export function accessFor({ host, password, pool, now = Date.now }: AccessOptions): Access {
  if (!password) return { kind: isLoopback(host) ? 'open' : 'closed' };
  // Slow to compute, so that nobody finds the password by trying it on a cookie.
  const key = scryptSync(password.reveal(), 'searchmill session', 32);
  const salt = randomBytes(32);
  const digest = (text: string): Buffer => createHmac('sha256', salt).update(text).digest();
  const expected = digest(password.reveal());
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  const readSession = (cookies: string): { content: string; endedAs: Buffer; until: number; name: string } | undefined => {
    const [, content = '', signature = ''] = /^(\d+\.[\w-]+\.[\w-]*)\.([\w-]+)$/.exec(readCookie(cookies)) ?? [];
    const wanted = Buffer.from(sign(content));
    const given = Buffer.from(signature);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    const [until = '', id = '', name = ''] = content.split('.');
    if (Number(until) <= now()) return undefined;
    const endedAs = createHash('sha256').update(id).digest();
    return { content, endedAs, until: Number(until), name: Buffer.from(name, 'base64url').toString() };
  };
  /** Sessions that were ended here before their time, and when that is over: they stay ended where the ledger could not be told. */
  const endedHere = new Map<string, number>();
  return {
    kind: 'password',
    isPassword: (given) => timingSafeEqual(digest(given), expected),
    openSession(name) {
      const id = randomBytes(16).toString('base64url');
      const content = `${now() + SESSION_MS}.${id}.${Buffer.from(name.slice(0, LONGEST_NAME)).toString('base64url')}`;
      return writeCookie(`${content}.${sign(content)}`, SESSION_MS);
    },
    async findSession(cookies) {
      const session = readSession(cookies);
      if (!session || endedHere.has(session.content) || (await isSessionEnded(pool, session.endedAs))) return undefined;
      return { name: session.name, formToken: sign(`form ${session.content}`) };
    },
    async endSession(cookies) {
      const session = readSession(cookies);
      for (const [content, until] of endedHere) if (until <= now()) endedHere.delete(content);
      if (!session) return;
      endedHere.set(session.content, session.until);
      await endSession(pool, session.endedAs);
    },
  };
}

/** What ends a session in a browser. */
export const CLOSED_SESSION = writeCookie('', 0);

function writeCookie(value: string, forMs: number): string {
  return `${COOKIE}=${value}; Path=/; Max-Age=${forMs / 1000}; HttpOnly; SameSite=Lax`;
}

function readCookie(cookies: string): string {
  return new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(cookies)?.[1] ?? '';
}

// Who may see the pages. With a password: only those who know it. Without one: everybody on the machine if the pages are served on the
// loopback, otherwise nobody. A session is a signed expiry time in a cookie, so every process with the same password accepts it, even after a
// restart. The ledger stores only sessions that were ended early.
import { createHash, createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { HOUR } from '../core/clock.ts';
import { isLoopback } from '../core/loopback.ts';
import type { Secret } from '../core/secret.ts';
import { endSession, isSessionEnded, readSessionPlace } from '../postgres/ended-sessions.ts';
import type { Pool } from '../postgres/pool.ts';

/** A logged-in person. `name` is what they entered; it is not checked. */
export type LoginSession = Readonly<{
  name: string;
  /** A token in each of our forms that other sites cannot know. */
  formToken: string;
}>;

export type Access =
  /** Loopback address without a password: everybody on the machine sees the pages. */
  | Readonly<{ kind: 'open' }>
  /** Other address without a password: nobody sees the pages. */
  | Readonly<{ kind: 'closed' }>
  | Readonly<{
      kind: 'password';
      isPassword: (given: string) => boolean;
      /** Returns the Set-Cookie value of a new session. Throws StoreError. */
      openSession: (name: string) => Promise<string>;
      /** The session of a Cookie header; undefined if it is missing, not signed by us, expired or ended. Throws StoreError. */
      findSession: (cookies: string) => Promise<LoginSession | undefined>;
      /** The Set-Cookie value that removes the session from a browser. Throws StoreError. */
      closeSession: () => Promise<string>;
      /** Ends the session of a Cookie header in every process. Throws StoreError; then it is ended in this process only. */
      endSession: (cookies: string) => Promise<void>;
    }>;

/**
 * The name of the cookie goes on with digits of the ledger's place, since a browser sends the cookies of a host to all of its ports: two
 * installations on one host would otherwise log each other out, or take the other's session for their own when their passwords are the same.
 */
const COOKIE = 'searchmill_session';
const SESSION_MS = 12 * HOUR;
const LONGEST_NAME = 60;

type SignedSession = Readonly<{ content: string; endedAs: Buffer; until: number; name: string }>;

export type AccessOptions = Readonly<{
  host: string;
  password: Secret | undefined;
  /** Connects to the ledger, which stores ended sessions. */
  pool: Pool;
  /** The path below which browsers see the pages; empty without one. */
  basePath?: string | undefined;
  now?: () => number;
}>;

export function accessFor({ host, password, pool, basePath, now = Date.now }: AccessOptions): Access {
  if (!password) return { kind: isLoopback(host) ? 'open' : 'closed' };
  // A slow key derivation, so that the password cannot be guessed from a cookie's signature.
  const key = scryptSync(composed(password.reveal()), 'searchmill session', 32);
  const salt = randomBytes(32);
  const digest = (text: string): Buffer => createHmac('sha256', salt).update(composed(text)).digest();
  const expected = digest(password.reveal());
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  let cookieName: string | undefined;
  const nameCookie = async (): Promise<string> => {
    cookieName ??= `${COOKIE}_${createHash('sha256')
      .update(await readSessionPlace(pool))
      .digest('hex')
      .slice(0, 8)}`;
    return cookieName;
  };
  const readSession = async (cookies: string): Promise<SignedSession | undefined> => {
    // Without one the database need not be asked.
    if (!cookies.includes(COOKIE)) return undefined;
    const [, content = '', signature = ''] = /^(\d+\.[\w-]+\.[\w-]*)\.([\w-]+)$/.exec(readCookie(cookies, await nameCookie())) ?? [];
    const wanted = Buffer.from(sign(content));
    const given = Buffer.from(signature);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    const [until = '', id = '', name = ''] = content.split('.');
    if (Number(until) <= now()) return undefined;
    const endedAs = createHash('sha256').update(id).digest();
    return { content, endedAs, until: Number(until), name: Buffer.from(name, 'base64url').toString() };
  };
  const path = basePath || '/';
  /** Sessions ended by this process, with their expiry times: they stay ended here even if the ledger could not record it. */
  const endedHere = new Map<string, number>();
  return {
    kind: 'password',
    isPassword: (given) => timingSafeEqual(digest(given), expected),
    async openSession(name) {
      const id = randomBytes(16).toString('base64url');
      const content = `${now() + SESSION_MS}.${id}.${Buffer.from(name.slice(0, LONGEST_NAME)).toString('base64url')}`;
      return writeCookie({ name: await nameCookie(), value: `${content}.${sign(content)}`, path, forMs: SESSION_MS });
    },
    closeSession: async () => writeCookie({ name: await nameCookie(), value: '', path, forMs: 0 }),
    async findSession(cookies) {
      const session = await readSession(cookies);
      if (!session || endedHere.has(session.content) || (await isSessionEnded(pool, session.endedAs))) return undefined;
      return { name: session.name, formToken: sign(`form ${session.content}`) };
    },
    async endSession(cookies) {
      const session = await readSession(cookies);
      for (const [content, until] of endedHere) if (until <= now()) endedHere.delete(content);
      if (!session) return;
      endedHere.set(session.content, session.until);
      await endSession(pool, session.endedAs);
    },
  };
}

/** Keyboards and editors write the same letter as one character or as two; what looks equal is the same password. */
const composed = (password: string): string => password.normalize('NFC');

type Cookie = Readonly<{ name: string; value: string; path: string; forMs: number }>;

function writeCookie({ name, value, path, forMs }: Cookie): string {
  return `${name}=${value}; Path=${path}; Max-Age=${forMs / 1000}; HttpOnly; SameSite=Lax`;
}

function readCookie(cookies: string, name: string): string {
  return new RegExp(`(?:^|; *)${name}=([^;]*)`).exec(cookies)?.[1] ?? '';
}

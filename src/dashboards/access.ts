// Who may see the pages. On the loopback everybody who is on the machine; on any other address whoever knows the password. A session
// is a signed time in a cookie, so any process with the same password takes it, also after a new start.
import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { HOUR } from '../core/clock.ts';
import type { Secret } from '../core/secret.ts';

export type Access =
  /** On the loopback, without a password. */
  | Readonly<{ kind: 'open' }>
  /** On another address without a password: nobody sees the pages. */
  | Readonly<{ kind: 'closed' }>
  | Readonly<{
      kind: 'password';
      isPassword: (given: string) => boolean;
      openSession: () => string;
      isSession: (cookies: string) => boolean;
    }>;

const COOKIE = 'searchmill_session';
export const SESSION_MS = 12 * HOUR;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * The name in a Host header. Without a password only names of the loopback are served: else a page of elsewhere whose name is made to
 * point to this machine could read everything here with its visitor's browser (DNS rebinding).
 */
export function isLoopbackHeader(host: string | undefined): boolean {
  return isLoopback((host ?? '').replace(/:\d+$/, ''));
}

export function accessFor(host: string, password: Secret | undefined, now: () => number = Date.now): Access {
  if (!password) return { kind: isLoopback(host) ? 'open' : 'closed' };
  // Slow to compute, so that nobody finds the password by trying it on a cookie.
  const key = scryptSync(password.reveal(), 'searchmill session', 32);
  const salt = randomBytes(32);
  const digest = (text: string): Buffer => createHmac('sha256', salt).update(text).digest();
  const expected = digest(password.reveal());
  const sign = (until: string): string => createHmac('sha256', key).update(until).digest('base64url');
  return {
    kind: 'password',
    isPassword: (given) => timingSafeEqual(digest(given), expected),
    openSession() {
      const until = String(now() + SESSION_MS);
      return writeCookie(`${until}.${sign(until)}`, SESSION_MS);
    },
    isSession(cookies) {
      const [until = '', signature = ''] = readCookie(cookies).split('.');
      const wanted = Buffer.from(sign(until));
      const given = Buffer.from(signature);
      return given.length === wanted.length && timingSafeEqual(given, wanted) && Number(until) > now();
    },
  };
}

/** What ends a session in a browser. */
export const CLOSED_SESSION = writeCookie('', 0);

function writeCookie(value: string, forMs: number): string {
  return `${COOKIE}=${value}; Path=/; Max-Age=${forMs / 1000}; HttpOnly; SameSite=Strict`;
}

function readCookie(cookies: string): string {
  return new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(cookies)?.[1] ?? '';
}

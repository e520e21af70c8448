// Where a request comes from, according to its browser. A page of another site can make a browser send requests to this machine, and with a name
// that resolves to it (DNS rebinding) also read the answers. But it cannot make the browser omit or change these headers.
import { isLoopback } from './loopback.ts';

/** Whether the name in a Host header is one of the loopback. */
export function isLoopbackHeader(host: string | undefined): boolean {
  return isLoopback((host ?? '').replace(/:\d+$/, ''));
}

type OriginHeaders = Readonly<{ origin?: string | undefined; 'sec-fetch-site'?: unknown }>;

/**
 * Whether the request was caused by a page of `host` (which may have a port) or by a person. A client that sends neither
 * header, such as curl, is not a browser that could be misled.
 */
export function isFromOwnPage(headers: OriginHeaders, host: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (headers.origin === undefined) return true;
  return URL.canParse(headers.origin) && new URL(headers.origin).host === host;
}

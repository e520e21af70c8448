// Where a request comes from, as far as its browser says. A page of elsewhere can make a browser send requests to this machine, and by a name
// that is made to point here (DNS rebinding) also read the answers. It can make none leave out or change these headers.
import { isLoopback } from './loopback.ts';

/** Whether the name in a Host header is one of the loopback. */
export function isLoopbackHeader(host: string | undefined): boolean {
  return isLoopback((host ?? '').replace(/:\d+$/, ''));
}

type OriginHeaders = Readonly<{ origin?: string | undefined; 'sec-fetch-site'?: unknown }>;

/**
 * Whether a page of `host`, which may have a port, made the browser send it, or a person did. A client that sends neither
 * header, such as curl, is no browser that could be misled.
 */
export function isFromOwnPage(headers: OriginHeaders, host: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (headers.origin === undefined) return true;
  return URL.canParse(headers.origin) && new URL(headers.origin).host === host;
}

// The route of requests to an address: direct, or through the proxy that the environment sets for it.
import { BlockList, isIP } from 'node:net';
import { parseProxyAddress } from '../config/proxies.ts';
import type { Environment } from '../config/settings.ts';
import { isLoopback } from '../core/loopback.ts';
import { Secret } from '../core/secret.ts';

export type Proxies = Pick<Environment, 'httpProxy' | 'httpsProxy' | 'noProxy'>;

export const NO_PROXIES: Proxies = { httpProxy: undefined, httpsProxy: undefined, noProxy: undefined };

export type HttpProxy = Readonly<{
  isEncrypted: boolean;
  host: string;
  port: number;
  /** The proxy's name in messages. */
  name: string;
  variable: 'HTTPS_PROXY' | 'HTTP_PROXY';
  /** Value of the header Proxy-Authorization. */
  authorization: Secret | undefined;
  /** Credentials in the proxy's address, which are never shown. */
  secrets: readonly Secret[];
}>;

export type Route = Readonly<{ proxy: HttpProxy | undefined /** In words: `directly, by NO_PROXY`. */; words: string }>;

/** `address` is a URL whose scheme is http or https. */
export function findRoute(proxies: Proxies, address: string): Route {
  const { protocol, hostname, port } = new URL(address);
  const isSecure = protocol === 'https:';
  const written = isSecure ? proxies.httpsProxy : proxies.httpProxy;
  const url = written && parseProxyAddress(written.reveal());
  if (!url) return { proxy: undefined, words: 'directly' };
  const target = { host: unbracketed(hostname), port: Number(port) || (isSecure ? 443 : 80) };
  // A proxy elsewhere cannot reach this machine's loopback.
  if (isThisMachine(target.host)) return { proxy: undefined, words: 'directly, as on this machine' };
  if (isExcepted(proxies.noProxy ?? '', target)) return { proxy: undefined, words: 'directly, by NO_PROXY' };
  const proxy = toProxy(url, isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  return { proxy, words: `through the proxy ${proxy.name}, by ${proxy.variable}` };
}

function toProxy(url: URL, variable: HttpProxy['variable']): HttpProxy {
  const isEncrypted = url.protocol === 'https:';
  const port = Number(url.port) || (isEncrypted ? 443 : 80);
  const password = decodeURIComponent(url.password);
  const credential = `${decodeURIComponent(url.username)}:${password}`;
  const encoded = Buffer.from(credential).toString('base64');
  const hasCredential = credential !== ':';
  return {
    isEncrypted,
    host: unbracketed(url.hostname),
    port,
    name: `${url.hostname}:${port}`,
    variable,
    authorization: hasCredential ? new Secret(`Basic ${encoded}`) : undefined,
    secrets: hasCredential ? [encoded, password].filter((text) => text !== '').map((text) => new Secret(text)) : [],
  };
}

type Target = Readonly<{ host: string; port: number }>;

function isThisMachine(host: string): boolean {
  return isLoopback(host) || host.endsWith('.localhost');
}

function isExcepted(noProxy: string, target: Target): boolean {
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && matches(entry, target));
}

/** `example.com`, `.example.com` and `*.example.com` are the host and all below it. */
function matches(entry: string, { host, port }: Target): boolean {
  if (entry === '*') return true;
  const [, network, bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (network !== undefined) return isWithin(unbracketed(network), Number(bits), host);
  const [, named, ownPort] = isIP(entry) ? [] : (/^(.*):(\d{1,5})$/.exec(entry) ?? []);
  if (ownPort !== undefined && Number(ownPort) !== port) return false;
  const name = unbracketed(named ?? entry).replace(/^\*?\./, '');
  return host === name || host.endsWith(`.${name}`);
}

function isWithin(network: string, bits: number, host: string): boolean {
  const [family, own] = [isIP(network), isIP(host)];
  if (family === 0 || family !== own || bits > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, bits, type);
  return list.check(host, type);
}

function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

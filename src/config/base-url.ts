// Where a connection's calls go. Credentials travel with every call, so only https leaves the machine, unless a connection
// allows plain http.
import { z } from 'zod';
import { isLoopback, leadsToLoopback } from '../core/loopback.ts';
import { findingProblem } from './fields.ts';
import { isMapping, mappingAt, type Path, type Remark } from './remarks.ts';
import type { YamlSource } from './yaml-source.ts';

/** Origin and path prefix without a trailing slash; host in lower case, default port left out. */
export function normalizeBaseUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, '');
}

/** What is wrong with a base URL, or undefined. Never quotes it: people put credentials into addresses. */
function baseUrlProblem(baseUrl: string): string | undefined {
  if (/^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(baseUrl)) return 'lacks https:// at its beginning';
  if (/^\s*https?:\/*https?:/i.test(baseUrl)) return 'has https:// twice';
  if (!URL.canParse(baseUrl)) return 'is not an address';
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is not a web address';
  if (url.username || url.password) return 'has a credential in it, which belongs in auth';
  if (/[?#]/.test(baseUrl)) return 'has a query or fragment';
  if (url.pathname.includes('/data-api/')) return 'has the path of an operation in it, which Searchmill adds itself';
  return undefined;
}

/** Whether calls to an address go to another machine over plain http. */
export function isPlainHttpElsewhere(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Addresses with plain http to other machines, of connections that do not allow it. */
export function checkPlainHttp(source: YamlSource): Remark[] {
  return Object.entries(mappingAt(source.value, ['connections'])).flatMap(([name, connection]): Remark[] => {
    if (!isMapping(connection) || connection.allow_http === true) return [];
    const { base_url: written } = connection;
    if (typeof written !== 'string' || !isPlainHttpElsewhere(written)) return [];
    const text =
      'is http to another machine, which would expose the credential to the network; expected an address such as ' +
      'https://gateway.example.com, or allow_http: true for this connection if that network is your own';
    return [source.remark(['connections', name, 'base_url'], text)];
  });
}

/** Addresses of this machine that stand there only because a variable is not set, beside a credential that was set: it is for another. */
export function checkStrayCredentials(source: YamlSource): Remark[] {
  return Object.entries(mappingAt(source.value, ['connections'])).flatMap(([name, connection]): Remark[] => {
    const path: Path = ['connections', name, 'base_url'];
    if (!isMapping(connection) || typeof connection.base_url !== 'string' || !source.usesDefault(path)) return [];
    if (!URL.canParse(connection.base_url) || !leadsToLoopback(new URL(connection.base_url).hostname)) return [];
    const given = Object.keys(mappingAt(connection, ['auth'])).map((field): Path => ['connections', name, 'auth', field]);
    if (!given.some((one) => source.hasVariable(one) && !source.usesDefault(one))) return [];
    const text =
      'is an address of this machine, since its variable is not set, but the variable of the credential is; expected both, so that the credential goes where it belongs';
    return [source.remark(path, text)];
  });
}

export const baseUrlField = z.string().check(findingProblem(baseUrlProblem)).meta({
  description:
    "Address of the service's gateway: everything before /data-api. https, or http on this machine (localhost, 127.0.0.0/8, ::1); see allow_http.",
  expected: 'an address such as https://gateway.example.com (http only for localhost)',
  isSecret: true,
});

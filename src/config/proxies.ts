// Proxies that requests to others go through, as HTTP_PROXY, HTTPS_PROXY and NO_PROXY name them.
import { z } from 'zod';
import { findingProblem } from './fields.ts';

/** As curl, Go and others read them, in either case; lower case goes first. */
export const SPELLED_EITHER_WAY: ReadonlySet<string> = new Set(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']);

/** An address without a scheme is one of http. */
export function parseProxyAddress(written: string): URL | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `http://${written}`;
  return URL.canParse(address) ? new URL(address) : undefined;
}

/** What is wrong with it, or undefined. Never quotes it: it may hold a password. */
function proxyProblem(written: string): string | undefined {
  const url = parseProxyAddress(written);
  if (!url?.hostname) return 'is no address';
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return 'is no proxy of http or https; others, such as SOCKS, are not spoken to';
  if (url.pathname.length > 1 || url.search || url.hash) return 'has a path, query or fragment, which a proxy has no use for';
  try {
    decodeURIComponent(`${url.username}${url.password}`);
  } catch {
    return 'has a percent sign in its user or password that stands for no character; write %25 for the sign itself';
  }
  return undefined;
}

export function proxyField(scheme: 'http' | 'https') {
  return z
    .string()
    .check(findingProblem(proxyProblem))
    .meta({
      description: `Proxy for requests to ${scheme}:// addresses: calls to the service, notifications and traces. Also in lower case, which goes first.`,
      expected: 'an address such as http://user:password@proxy.example.com:3128',
      isSecret: true,
    });
}

export const noProxyField = z.string().meta({
  description:
    'What is asked without a proxy; this machine (localhost, 127.0.0.0/8, ::1) always is. Hosts with all below them, with or without port, networks, or * for all. Also in lower case.',
  expected: 'a list such as intern.example.com,10.0.0.0/8,collector:4318',
});

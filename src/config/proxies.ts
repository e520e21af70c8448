// Proxies for outgoing requests, as HTTP_PROXY, HTTPS_PROXY and NO_PROXY name them.
import { z } from 'zod';
import { findingProblem } from './fields.ts';

/** As curl, Go and others read them, in either case; lower case takes precedence. */
export const SPELLED_EITHER_WAY: ReadonlySet<string> = new Set(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']);

/** An address without a scheme uses http. */
export function parseProxyAddress(written: string): URL | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `http://${written}`;
  return URL.canParse(address) ? new URL(address) : undefined;
}

/** What is wrong with it, or undefined. Never quotes it: it may contain a password. */
function proxyProblem(written: string): string | undefined {
  const url = parseProxyAddress(written);
  if (!url?.hostname) return 'is not an address';
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return 'is not a proxy of http or https; others, such as SOCKS, are not supported';
  if (url.pathname.length > 1 || url.search || url.hash) return 'has a path, query or fragment, which a proxy does not use';
  try {
    decodeURIComponent(`${url.username}${url.password}`);
  } catch {
    return 'has a percent sign in its user or password that encodes no character; write %25 for the sign itself';
  }
  return undefined;
}

export function proxyField(scheme: 'http' | 'https') {
  return z
    .string()
    .check(findingProblem(proxyProblem))
    .meta({
      description: `Proxy for requests to ${scheme}:// addresses: calls to the service, notifications and traces. The lower-case name takes precedence.`,
      expected: 'an address such as http://user:password@proxy.example.com:3128',
      isSecret: true,
    });
}

export const noProxyField = z.string().meta({
  description:
    'What is reached without a proxy: hosts with all their subdomains, with or without port, networks, or * for all. This machine (localhost, 127.0.0.0/8, ::1) never needs one. The lower-case name takes precedence.',
  expected: 'a list such as intern.example.com,10.0.0.0/8,collector:4318',
});

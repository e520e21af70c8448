// Where a connection's calls go. Credentials travel with every call, so nothing but https leaves the machine.
import { z } from 'zod';

/** Whether a host name of a parsed URL stands for this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Origin and path prefix without a trailing slash; host in lower case, default port left out. */
export function normalizeBaseUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, '');
}

/** What is wrong with a base URL, or undefined. Never quotes it: people put credentials into addresses. */
function baseUrlProblem(baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return 'is no address';
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is no web address';
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return 'is http to another machine, which would show the credential to the network';
  if (url.username || url.password) return 'has a credential in it, which belongs in auth';
  if (/[?#]/.test(baseUrl)) return 'has a query or fragment';
  if (url.pathname.includes('/data-api/')) return 'has the path of an operation in it, which Searchmill adds itself';
  return undefined;
}

export const baseUrlField = z
  .string()
  .check((context) => {
    const problem = baseUrlProblem(context.value);
    if (problem) context.issues.push({ code: 'custom', message: problem, params: {}, input: context.value });
  })
  .meta({
    description:
      "Address of the service's gateway: everything before /data-api. https, or http on this machine (localhost, 127.0.0.0/8, ::1).",
    expected: 'an address such as https://gateway.example.com (http only for localhost)',
    isSecret: true,
  });

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { findRoute, NO_PROXIES, type Proxies } from '../../../src/egress/route.ts';

const proxies = (noProxy?: string): Proxies => ({
  httpProxy: new Secret('http://plain.proxy:3128'),
  httpsProxy: new Secret('https://user:p%40ss@secure.proxy'),
  noProxy,
});
const isDirect = (address: string, noProxy?: string): boolean => findRoute(proxies(noProxy), address).proxy === undefined;

it('is direct without proxies', () => {
  expect(findRoute(NO_PROXIES, 'https://gateway.example.com')).toEqual({ proxy: undefined, words: 'directly' });
});

it('leads through the proxy for the scheme of the address, and shows no credential', () => {
  expect(findRoute(proxies(), 'http://gateway.example.com:81/path').words).toBe('through the proxy plain.proxy:3128, by HTTP_PROXY');
  const route = findRoute(proxies(), 'https://gateway.example.com');
  expect(route.words).toBe('through the proxy secure.proxy:443, by HTTPS_PROXY');
  expect(route.proxy).toMatchObject({ host: 'secure.proxy', port: 443, isEncrypted: true });
  expect(route.proxy?.authorization?.reveal()).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
  expect(inspect(route) + JSON.stringify(route)).not.toMatch(/p@ss|p%40ss|user/);
});

it('reads an address without a scheme as http, and ignores one of another scheme', () => {
  const only: Proxies = { httpProxy: new Secret('me:word@proxy.local:8080'), httpsProxy: undefined, noProxy: undefined };
  expect(findRoute(only, 'http://a.example').proxy).toMatchObject({ host: 'proxy.local', port: 8080, isEncrypted: false });
  expect(findRoute(only, 'https://a.example').proxy).toBeUndefined();
});

it.each(['http://localhost:9464', 'http://127.0.0.1:8080', 'https://127.8.9.10', 'http://[::1]:80', 'https://sandbox.localhost'])(
  'never leads back to this machine through a proxy: %s',
  (address) => expect(findRoute(proxies(), address).words).toBe('directly, as on this machine'),
);

describe('NO_PROXY', () => {
  it.each([
    ['example.com', 'https://example.com'],
    ['example.com', 'https://gateway.EXAMPLE.com'],
    ['.example.com', 'https://gateway.example.com'],
    ['*.example.com', 'https://gateway.example.com:8443'],
    ['other.net, Example.COM', 'https://example.com'],
    ['other.net example.com', 'https://example.com'],
    ['example.com:8443', 'https://example.com:8443'],
    ['example.com:443', 'https://example.com'],
    ['example.com:80', 'http://example.com'],
    ['10.0.0.0/8', 'https://10.20.30.40'],
    ['10.1.2.3', 'https://10.1.2.3'],
    ['fd00::/8', 'https://[fd00::1]'],
    ['[fd00::1]:8443', 'https://[fd00::1]:8443'],
    ['fd00::1', 'https://[fd00::1]'],
    ['*', 'https://anything.example'],
  ])('%s lets %s go directly', (noProxy, address) => expect(isDirect(address, noProxy)).toBe(true));

  it.each([
    ['example.com', 'https://notexample.com'],
    ['gateway.example.com', 'https://example.com'],
    ['example.com:8443', 'https://example.com'],
    ['10.0.0.0/8', 'https://11.0.0.1'],
    ['10.0.0.0/8', 'https://ten.example'],
    ['10.0.0.0/99', 'https://10.0.0.1'],
    ['0.0.0.0/0', 'https://[fd00::1]'],
    ['', 'https://example.com'],
    [' , ', 'https://example.com'],
  ])('"%s" does not let %s go directly', (noProxy, address) => expect(isDirect(address, noProxy)).toBe(false));
});

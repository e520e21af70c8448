// The forms in which proxies and sockets give the address of one client.
import { expect, it } from 'vitest';
import { clientOf, readForwardedAddress } from '../../../src/core/client-address.ts';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  [' 192.0.2.1:53122', '192.0.2.1'],
  ['"[2001:db8::1]:443"', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['unknown', 'unknown'],
  ['', ''],
])('X-Forwarded-For %j names the address %j', (entry, address) => {
  expect(readForwardedAddress(entry)).toBe(address);
});

it.each([
  ['one IPv4 client', ['192.0.2.1', '192.0.2.1:1', '192.0.2.1:65535', '::ffff:192.0.2.1', '::FFFF:c000:201', '[::ffff:192.0.2.1]:80']],
  [
    'one IPv6 network',
    [
      '2001:db8::1',
      '2001:db8::2',
      '2001:DB8:0:0:ffff::',
      '[2001:db8::abcd]:8080',
      '2001:db8:0:0:1:2:3:4',
      '2001:0db8::1%eth0',
      '2001:db8::192.0.2.1',
    ],
  ],
])('%s is one client in all forms', (_, forms) => {
  expect(new Set(forms.map(clientOf)).size).toBe(1);
});

it('other networks are other clients, also those that differ in what the shortest form leaves out', () => {
  const others = [
    '2001:db8::1',
    '2001:db8:0:1::1',
    '2001:db8:1::1',
    '2001:0:0:db8::1',
    '::1',
    '192.0.2.1',
    '192.0.2.2',
    '::ffff:192.0.2.3',
    'unknown',
  ];
  expect(new Set(others.map(clientOf)).size).toBe(others.length);
});

import { expect, test } from 'vitest';
import { isLoopback } from '../../../../sandbox/faults/control-routes.ts';

test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('%s is this machine', (address) => {
  expect(isLoopback(address)).toBe(true);
});

test.each(['10.0.0.1', '192.168.127.1', '::ffff:10.0.0.1', '128.0.0.1', 'fe80::1', '', '1127.0.0.1'])('%j is not', (address) => {
  expect(isLoopback(address)).toBe(false);
});

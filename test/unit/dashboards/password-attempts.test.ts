// Wrong passwords, of which everybody together may try a few at once, and then one after another.
import { afterEach, expect, it, vi } from 'vitest';
import { createPasswordAttempts } from '../../../src/dashboards/password-attempts.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('after wrong passwords from thirty addresses, passwords from others are checked one after another, and most are turned away', async () => {
  const attempts = createPasswordAttempts((given) => given === 'open sesame');
  const tryAll = (from: string, count: number) =>
    Array.from({ length: count }, (_, address) => attempts.try(`wrong ${address}`, `10.0.${from}.${address}`));
  expect(new Set(await Promise.all(tryAll('0', 30)))).toEqual(new Set(['wrong']));
  const later = tryAll('1', 250);
  await attempts.stop();
  expect((await Promise.all(later)).filter((outcome) => outcome === 'wrong').length).toBeLessThan(10);
});

it('an address that sent the right password before comes before first attempts from hundreds of addresses', async () => {
  vi.useFakeTimers();
  const attempts = createPasswordAttempts((given) => given === 'open sesame');
  expect(await attempts.try('open sesame', '192.0.2.1')).toBe('right');
  const tryAll = (from: number, count: number) =>
    Array.from({ length: count }, (_, address) => attempts.try('wrong', `10.${from}.${address >> 8}.${address & 255}`));
  await Promise.all(tryAll(0, 30));
  const all = tryAll(1, 300);
  await vi.advanceTimersByTimeAsync(2_000);
  const outcome = vi.fn();
  const own = attempts.try('open sesame', '192.0.2.1').then(outcome);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(outcome).toHaveBeenCalledExactlyOnceWith('right');
  await attempts.stop();
  await vi.advanceTimersByTimeAsync(4_000);
  await Promise.all([...all, own]);
});

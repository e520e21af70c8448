// Wrong passwords, of which everybody together may try a few at once, and then one after another.
import { expect, it } from 'vitest';
import { createPasswordAttempts } from '../../../src/dashboards/password-attempts.ts';

it('after wrong passwords from thirty addresses those from others are looked at one after another, and most are turned away', async () => {
  const attempts = createPasswordAttempts((given) => given === 'open sesame');
  const tryAll = (from: string, count: number) =>
    Array.from({ length: count }, (_, address) => attempts.try(`wrong ${address}`, `10.0.${from}.${address}`));
  expect(new Set(await Promise.all(tryAll('0', 30)))).toEqual(new Set(['wrong']));
  const later = tryAll('1', 250);
  await attempts.stop();
  expect((await Promise.all(later)).filter((outcome) => outcome === 'wrong').length).toBeLessThan(10);
});

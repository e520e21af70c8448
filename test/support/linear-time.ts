// How the CPU time of a piece of work grows with the length of what it is given, as a ratio: machines differ, growth does not.
import { expect } from 'vitest';

/** Linear work takes 32 times as long, and the square 1024 times. */
const USUAL = { short: 500, timesLonger: 32 };
/** How many times more than linear is still no square. */
const MAX_EXCESS = 8;
/** Shorter times are noise. */
const NOISE_MS = 0.5;
const REPEATS = 20;
/** What takes so long in all is not tried again. */
const LONG_MS = 5_000;

/** Of the process, whatever else the machine does. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Expects that `work` with a text `timesLonger` times as long as `short` takes nowhere near the square of the time, at least once:
 * garbage may be collected meanwhile, but what takes the square takes it every time.
 */
export function expectLinear(
  textOf: (length: number) => string,
  work: (text: string) => unknown,
  { short: length, timesLonger } = USUAL,
): void {
  const [short, long] = [textOf(length), textOf(length * timesLonger)];
  const mostGrowth = Math.min(MAX_EXCESS, timesLonger / 2) * timesLonger;
  const shortMs = Math.max(NOISE_MS, Math.min(...[1, 2, 3].map(() => cpuMs(() => work(short)))));
  let growth = Number.POSITIVE_INFINITY;
  const giveUpAt = performance.now() + LONG_MS;
  for (let repeat = 0; repeat < REPEATS && growth >= mostGrowth && (repeat === 0 || performance.now() < giveUpAt); repeat += 1)
    growth = Math.min(growth, cpuMs(() => work(long)) / shortMs);
  expect(growth).toBeLessThan(mostGrowth);
}

/** Texts that patterns with more than one way to match take long for. Each of the length asked for. */
export const HOSTILE_TEXTS: readonly (readonly [string, (length: number) => string])[] = [
  ['digits, then a letter', (length) => `${'1'.repeat(length - 1)}x`],
  ['zeros, then a letter', (length) => `${'0'.repeat(length - 1)}x`],
  ['a minus and digits, then a letter', (length) => `-${'9'.repeat(length - 2)}x`],
  ['digits around a point, then a letter', (length) => `${'1'.repeat(length / 2)}.${'0'.repeat(length / 2 - 2)}x`],
  ['points', (length) => '.'.repeat(length)],
  ['a point before each digit', (length) => '.1'.repeat(length / 2)],
  ['a long exponent', (length) => `1e${'9'.repeat(length - 2)}`],
  ['a long exponent of many zeros', (length) => `1e-${'0'.repeat(length - 4)}x`],
  ['exponents', (length) => '1e'.repeat(length / 2)],
  ['a whole number of many zeros', (length) => `1.${'0'.repeat(length - 2)}`],
  ['zeros that end in a one', (length) => `0.${'0'.repeat(length - 3)}1`],
  ['a true that goes on', (length) => `true${'e'.repeat(length - 4)}`],
  ['a date that goes on', (length) => `2026-11-08${'0'.repeat(length - 10)}`],
  ['blanks, then a letter', (length) => `${' '.repeat(length - 1)}x`],
  ['infinity that goes on', (length) => `inf${'inity'.repeat(length / 5)}`],
  ['backslashes', (length) => `${'\\'.repeat(length - 1)}u`],
  ['quotes', (length) => '"'.repeat(length)],
  ['tags that are open', (length) => '<'.repeat(length)],
  ['scripts that are open', (length) => '<script'.repeat(length / 7)],
  ['scripts that are nearly closed', (length) => `<script>${'</script '.repeat(length / 9)}`],
  ['halves of surrogate pairs', (length) => '\ud800'.repeat(length)],
  ['NUL', (length) => '\0'.repeat(length)],
];

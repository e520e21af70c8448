// How often properties are tried: all runs in "npm run test:long" and "test:all", a part of them in "npm test", which a person waits for.

/** Given by vitest.config.ts where there is time for all. */
const HAS_TIME = process.env.PROPERTY_RUNS === 'all';
const SHARE = 1 / 10;
/** Fewer runs say little. */
const FEWEST = 10;

/** Runs of a property that is tried `all` times where there is time; RANDOM_RUNS says another number for all properties. */
export function propertyRuns(all: number): number {
  const { RANDOM_RUNS } = process.env;
  if (RANDOM_RUNS !== undefined) return Number(RANDOM_RUNS);
  return HAS_TIME ? all : Math.min(all, Math.max(FEWEST, Math.ceil(all * SHARE)));
}

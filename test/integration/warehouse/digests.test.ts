// How many members of a set others replaced, by the digests of summaries: of sets at random, how often it counts as more than a tenth.
import { expect, it } from 'vitest';
import { useLedger } from '../../support/ledger.ts';

const ledger = useLedger();
const TRIALS = 100;

/** Of 100 sets, how many of which others replaced a part count as moved. */
async function movedOf(size: number, replaced: number): Promise<number> {
  const digest = (from: string) =>
    `(SELECT sum(search_reports.digest_part(md5(t || ' ' || CASE WHEN n <= $3::integer THEN ${from} ELSE n END)::uuid)) FROM generate_series(1, $2::integer) AS n)`;
  const set = (from: string) => `jsonb_build_object('', jsonb_build_object('all', $2::integer, 'digest', ${digest(from)}))`;
  const { rows } = await ledger.pool.query<{ moved: number }>(
    `SELECT count(*) FILTER (WHERE (search_reports.moved_parts(${set('n')}, ${set('n + 1000000')})).is_moved)::integer AS moved FROM generate_series(1, $1::integer) AS t`,
    [TRIALS, size, replaced],
  );
  return rows[0]?.moved ?? Number.NaN;
}

it.each([[40], [400]])('of %d members', async (size) => {
  expect(await movedOf(size, 0)).toBe(0);
  expect(await movedOf(size, size * 0.05)).toBe(0);
  expect(await movedOf(size, size * 0.075)).toBeLessThan(0.1 * TRIALS);
  expect(await movedOf(size, size * 0.15)).toBeGreaterThan(0.95 * TRIALS);
  expect(await movedOf(size, size * 0.25)).toBe(TRIALS);
});

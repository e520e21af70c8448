// Answers that are meant to kill their reader, sent to a real process: it lives, says what came, and loads the rest.
import { expect, it } from 'vitest';
import type { FaultInput } from '../../../sandbox/faults/fault.ts';
import { startProgram } from '../../support/program.ts';
import { useStack } from '../../support/use-stack.ts';
import { until } from '../../support/wait.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
/** For each dataset how its first poll is answered, and one of its rows. */
const ANSWERS = {
  keyword_rankings: [{ kind: 'bomb' }, { kind: 'bad_value', value: 'deep_row', rows: 1 }],
  ai_search_brands: [
    { kind: 'bomb', status: 500, shape: 'nested' },
    { kind: 'bad_value', value: 'deep', rows: 1 },
  ],
  ai_search_fan_out: [
    { kind: 'ignored_section', mib: 16, place: 'behind' },
    { kind: 'bad_value', value: 'deep_extra', rows: 1 },
  ],
} as const satisfies Record<string, readonly [FaultInput, FaultInput]>;

const stack = useStack({
  jobs: jobsSince(NEWEST, Object.fromEntries(Object.keys(ANSWERS).map((name) => [name.replaceAll('_', '-'), name])), 'max_rejected: 1'),
  sandbox: { size: 'tiny' },
  startsPrograms: true,
});

it('a process outlives bombs and endless depth, and publishes all other rows', async () => {
  stack.sandbox.setFaults({
    rules: Object.entries(ANSWERS).flatMap(([operation, [poll, row]]) => [
      { on: { operation, call: 'poll' }, when: { nth: 1 }, fault: poll },
      { on: { operation, execution: 1 }, fault: row },
    ]),
  });
  const program = startProgram(['start'], { ...stack.env, NODE_OPTIONS: '--max-old-space-size=256' });
  let hasEnded = false;
  void program.ended.then(() => {
    hasEnded = true;
  });
  const errors = new Map<string, string>();
  await until('all weeks', async () => {
    if (hasEnded) throw new Error(`the process died:\n${program.stderr}`);
    const found = await stack.read<{ job: string; error: string | null; publishedAt: Date | null }>(
      `SELECT s.job, e.last_error AS error, s.published_at AS "publishedAt" FROM searchmill.slices s JOIN searchmill.executions e ON e.slice_id = s.id`,
    );
    for (const { job, error } of found) if (error !== null) errors.set(job, error);
    return found.length === 3 && found.every(({ publishedAt }) => publishedAt !== null);
  });
  expect(Object.fromEntries(errors)).toEqual({
    'keyword-rankings': expect.stringContaining('when it is decompressed, which no rows do'),
    'ai-search-brands': expect.stringContaining('(500: "[[[['),
    'ai-search-fan-out': expect.stringContaining('when it is decompressed, which no rows do'),
  });
  expect(await stack.read('SELECT count(*)::integer AS rows FROM searchmill.quarantined_rows GROUP BY execution_id')).toEqual(
    Array(3).fill({ rows: 1 }),
  );
  program.send('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
});

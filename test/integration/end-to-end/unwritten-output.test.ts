// The built program whose output goes nowhere: a disk that is full, a reader that went away.
import { open } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { lastCompleteWeek } from '../../../src/core/weeks.ts';
import { type Program, startProgram } from '../../support/program.ts';
import { sandboxJobs } from '../../support/test-stack.ts';
import { useStack } from '../../support/use-stack.ts';
import { until } from '../../support/wait.ts';

const JOBS = sandboxJobs('account_id: 12345, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 0, page_size: 50', {
  rankings: `keyword_rankings, since: ${lastCompleteWeek(new Date(), 'UTC', 'sunday')}`,
});

const stack = useStack({ jobs: JOBS, sandbox: { pageMs: 5 }, startsPrograms: true });

async function onFullDisk(args: readonly string[]): Promise<Program> {
  const full = await open('/dev/full', 'w');
  try {
    return startProgram(args, stack.env, undefined, full.fd);
  } finally {
    await full.close();
  }
}

const pages = async (): Promise<number> =>
  (await stack.read<{ pages: number }>('SELECT coalesce(sum(pages), 0)::integer AS pages FROM searchmill.executions'))[0]?.pages ?? 0;

it('goes on loading with its log on a full disk, and with a log whose reader goes away', async () => {
  const blind = await onFullDisk(['start']);
  await until('a page', async () => (await pages()) > 0);
  blind.send('SIGTERM');
  expect(await blind.ended).toEqual({ code: 0, signal: null });

  const left = startProgram(['start'], stack.env);
  await left.says(/"msg":"started"/);
  left.hangUp();
  await until('the publication', async () => (await stack.read('SELECT 1 FROM searchmill.publications')).length === 1);
  left.send('SIGTERM');
  expect(await left.ended).toEqual({ code: 0, signal: null });
  expect([blind.stderr, left.stderr]).toEqual(['', '']);
});

it('fails when the output of a verb cannot be written, and ends as usual when nobody reads it', async () => {
  const unread = startProgram(['status'], stack.env);
  unread.hangUp();
  expect(await unread.ended).toEqual({ code: 0, signal: null });
  const unwritten = await onFullDisk(['status']);
  expect(await unwritten.ended).toEqual({ code: 1, signal: null });
  expect(unwritten.stderr).toMatch(/^The results could not be written: .*ENOSPC.*\n$/);
});

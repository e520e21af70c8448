// What charts mark: the ledger's own events, computed when they are read, and the notes of people.
import { expect, it } from 'vitest';
import { type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { type Annotation, readAnnotations } from '../../../src/ledger/annotations.ts';
import { approveHeld } from '../../../src/ledger/endings.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { claim, loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [FIRST, SECOND, THIRD] = ['2026-10-25', '2026-11-01', '2026-11-08'] as const;
type Job = ReturnType<typeof jobOf>;

const rowsOf = (job: Job, week: IsoDate, count: number, rank = '1') =>
  Array.from({ length: count }, (_, number) => wireRow(job, { query: `q${number}`, rank_true: rank, search_engine: 'GOOGLE' }, week));
const load = (job: Job, week: IsoDate, count: number, rank?: string) =>
  loadWindow(ledger.pool, job, rowsOf(job, week, count, rank), windowOfWeeks(week, 1));
const told = async (job: Job): Promise<Pick<Annotation, 'week' | 'kind' | 'text'>[]> =>
  (await readAnnotations(ledger.pool, String(job.accountId))).map(({ week, kind, text }) => ({ week, kind, text }));

it('marks other filters and another depth from the first week that has them, also within a window of several', async () => {
  const job = jobOf({ filters: { devices: ['DESKTOP'], max_rank: 20 }, filtersDigest: 'a' });
  await loadWindow(ledger.pool, job, [...rowsOf(job, FIRST, 1), ...rowsOf(job, SECOND, 1)], windowOfWeeks(FIRST, 2));
  expect(await told(job)).toEqual([]);
  const other = { ...job, filters: { devices: ['DESKTOP', 'SMARTPHONE'], max_rank: 20 }, filtersDigest: 'b' };
  await load(other, THIRD, 1);
  expect(await told(job)).toEqual([
    { week: THIRD, kind: 'filters', text: `other filters since this week (${job.name}): devices: DESKTOP, SMARTPHONE, before DESKTOP` },
  ]);
  // Loaded anew under the new filters: the change is where it is now.
  await load({ ...other, filters: { devices: ['DESKTOP', 'SMARTPHONE'], max_rank: 5 }, filtersDigest: 'c' }, THIRD, 1);
  await load(other, SECOND, 1);
  expect(await told(job)).toMatchObject([
    { week: SECOND, kind: 'filters' },
    { week: THIRD, kind: 'depth', text: `other depth since this week (${job.name}): max_rank: 5, before 20` },
  ]);
});

it('marks weeks that were revised after they were shown, not those that were only read again', async () => {
  const job = jobOf();
  await load(job, FIRST, 2);
  await load(job, FIRST, 2);
  expect(await told(job)).toEqual([]);
  await load(job, FIRST, 3, '2');
  const today = new Date().toISOString().slice(0, 10);
  expect(await told(job)).toEqual([
    {
      week: FIRST,
      kind: 'revised',
      text: `revised after it was shown (${job.name}): rows added 1, changed 2, removed 0, last on ${today}`,
    },
  ]);
});

it('marks a week that another window has revised, and only that week of a window of several', async () => {
  const job = jobOf();
  const both = windowOfWeeks(FIRST, 2);
  await loadWindow(ledger.pool, job, [...rowsOf(job, FIRST, 1), ...rowsOf(job, SECOND, 1)], both);
  await load(job, FIRST, 2);
  const today = new Date().toISOString().slice(0, 10);
  const revised = (week: IsoDate, counts: string) => ({
    week,
    kind: 'revised',
    text: `revised after it was shown (${job.name}): ${counts}, last on ${today}`,
  });
  expect(await told(job)).toEqual([revised(FIRST, 'rows added 1, changed 0, removed 0')]);
  await loadWindow(ledger.pool, job, [...rowsOf(job, FIRST, 2), ...rowsOf(job, SECOND, 3)], both);
  expect(await told(job)).toEqual([
    revised(FIRST, 'rows added 1, changed 0, removed 0'),
    revised(SECOND, 'rows added 2, changed 0, removed 0 in windows of several weeks'),
  ]);
});

it('marks a week that was held, and what was decided', async () => {
  const job = jobOf();
  const staged = await stageWindow(ledger.pool, job, [rowsOf(job, THIRD, 1)], windowOfWeeks(THIRD, 1));
  await hold(ledger.pool, staged, [{ rule: 'shrink', message: '1 row instead of 100' }], 0);
  expect(await told(job)).toEqual([{ week: THIRD, kind: 'held', text: `held (${job.name}) by the audit: 1 row instead of 100` }]);
  await approveHeld(ledger.pool, { executionId: staged.id }, { name: 'me' });
  await publish(ledger.pool, job, await claim(ledger.pool, staged.id));
  expect(await told(job)).toMatchObject([{ kind: 'held', text: `held and approved (${job.name}) by the audit: 1 row instead of 100` }]);
});

it('marks a week that came late, and not weeks from before the job', async () => {
  const job = jobOf();
  await load(job, FIRST, 1);
  expect(await told(job)).toEqual([]);
  await ledger.pool.query('UPDATE searchmill.jobs SET first_seen_at = $2 WHERE name = $1', [job.name, FIRST]);
  await ledger.pool.query(
    `UPDATE searchmill.publications SET published_at = '2026-11-09' FROM searchmill.slices s WHERE s.id = slice_id AND s.job = $1`,
    [job.name],
  );
  expect(await told(job)).toEqual([{ week: FIRST, kind: 'late', text: `loaded late (${job.name}), on 2026-11-09` }]);
  await ledger.pool.query(
    `UPDATE searchmill.publications SET published_at = '2026-11-07' FROM searchmill.slices s WHERE s.id = slice_id AND s.job = $1`,
    [job.name],
  );
  expect(await told(job)).toEqual([]);
});

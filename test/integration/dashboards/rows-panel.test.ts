// Rows per week: each week's own number, also of weeks that one query loaded together, against what is usual for the job.
import { expect, it } from 'vitest';
import { addDays, windowOfWeeks } from '../../../src/core/weeks.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();

it('shows a week with few rows, though one query loaded it with others', async () => {
  const job = jobOf();
  const amounts = [4, 1, 4, 5];
  const weeks = amounts.map((_, index) => addDays(WEEK.start, 7 * (index - 3)));
  const rowsOf = (from: number, to: number): unknown[][] =>
    amounts
      .slice(from, to)
      .flatMap((amount, index) =>
        Array.from({ length: amount }, (_, n) => wireRow(job, { query: `search ${n}` }, weeks[from + index] ?? '')),
      );
  await loadWindow(ledger.pool, job, rowsOf(0, 3), windowOfWeeks(weeks[0] ?? '', 3));
  await loadWindow(ledger.pool, job, rowsOf(3, 4), windowOfWeeks(weeks[3] ?? '', 1));
  const shown = await asksOf(() => ledger.pool, 'data-health')('rows', { weeks: '13' });
  expect(shown.map(({ week, rows, percent_of_median }) => [week, rows, percent_of_median])).toEqual([
    [weeks[0], '4', '100.0'],
    [weeks[1], '1', '25.0'],
    [weeks[2], '4', '100.0'],
    [weeks[3], '5', '125.0'],
  ]);
});

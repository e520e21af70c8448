// Filters are denominators: a board names the weeks that were loaded with other filters than their job has now.
import { expect, it } from 'vitest';
import { type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { serveDashboards } from '../../support/dashboards.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const WEEKS = ['2026-10-25', '2026-11-01', '2026-11-08', '2026-11-15'] as const;
const [FIRST, SECOND, , LAST] = WEEKS;

it('names each week loaded with other filters, also those loaded together, and no week that was loaded again since', async () => {
  const { pool } = ledger;
  const before = jobOf();
  const job = { ...before, filtersDigest: 'other', since: FIRST };
  const rowOf = (week: IsoDate) => wireRow(job, { query: 'q', rank_true: '1' }, week);
  await loadWindow(pool, before, WEEKS.map(rowOf), windowOfWeeks(FIRST, WEEKS.length));
  await recordJob(pool, job, LAST);
  await loadWindow(pool, job, [rowOf(SECOND)], windowOfWeeks(SECOND, 1));
  const dashboards = await serveDashboards(ledger.url);
  try {
    const text = await (await fetch(`${dashboards.url}/boards/rankings?account=${job.accountId}`)).text();
    expect(text).toContain('Weeks of other filters: 2026-10-25, 2026-11-08 to 2026-11-15<');
  } finally {
    await dashboards.close();
  }
});

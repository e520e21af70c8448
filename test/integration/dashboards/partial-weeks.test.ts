// Weeks that only some jobs have published: their figures are shown, and what they lack is said; weeks that none has are gaps.
import { expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { panelFile, serveDashboards } from '../../support/dashboards.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const WEEKS = ['2026-10-25', '2026-11-01', '2026-11-08', '2026-11-15'] as const;
const [WHOLE, WHOLE_TOO, PARTIAL, EMPTY] = WEEKS;
const LACKS = 'partly there: missing (second)';
const rankings = asksOf(() => ledger.pool, 'rankings');
const answers = asksOf(() => ledger.pool, 'ai-visibility');

type RowOf = (job: Job, week: IsoDate) => unknown[];

/** Two jobs of one account: both publish two weeks, one the third, and none the fourth, which is held of one of them. */
async function loadPartly(job: Job, rowOf: RowOf): Promise<Values> {
  const { pool } = ledger;
  const second: Job = { ...job, name: `${job.name}-second`, filtersDigest: 'other' };
  for (const [week, jobs] of [
    [WHOLE, [job, second]],
    [WHOLE_TOO, [job, second]],
    [PARTIAL, [job]],
  ] as const) {
    for (const each of jobs) await loadWindow(pool, each, [rowOf(each, week)], windowOfWeeks(week, 1));
  }
  const held = await stageWindow(pool, second, [[rowOf(second, EMPTY)]], windowOfWeeks(EMPTY, 1));
  await hold(pool, held, [{ rule: 'window', message: 'test' }], 0);
  for (const each of [job, second]) await recordJob(pool, { ...each, since: WHOLE }, EMPTY);
  await storeReports(pool);
  return { account: String(job.accountId), weeks: '13', top_n: '10', weighted: 'false', rank: 'true' };
}

const reasonsOf = (job: Job, lacks: string, gap: string): Record<string, string | null> => ({
  [WHOLE]: null,
  [WHOLE_TOO]: null,
  [PARTIAL]: lacks.replace('second', `${job.name}-second`),
  [EMPTY]: gap.replace('first', job.name).replace('second', `${job.name}-second`),
});

it('rankings: figures of a part say so, and weeks without any are gaps', async () => {
  const job = jobOf();
  const row: RowOf = ({ name }, week) => wireRow(job, { query: name, rank_true: '1', root_domain: 'acme.com', device: 'DESKTOP' }, week);
  await insertOwnDomains(ledger.pool, job.accountId, 'nowhere.example');
  const values = await loadPartly(job, row);
  const { rows } = await ledger.pool.query(
    'SELECT week, state, is_published, is_partial, reason FROM search_reports.weeks WHERE account_id = $1 ORDER BY week',
    [job.accountId],
  );
  const reasons = reasonsOf(job, LACKS, 'held (second), missing (first)');
  expect(rows).toEqual([
    { week: WHOLE, state: 'published', is_published: true, is_partial: false, reason: null },
    { week: WHOLE_TOO, state: 'published', is_published: true, is_partial: false, reason: null },
    { week: PARTIAL, state: 'missing', is_published: true, is_partial: true, reason: reasons[PARTIAL] },
    { week: EMPTY, state: 'held', is_published: false, is_partial: false, reason: reasons[EMPTY] },
  ]);
  for (const panel of ['market-share', 'visibility', 'rank-distribution', 'average-place']) {
    const shown = await rankings(panel, values);
    expect(new Set(shown.map(({ week }) => week))).toEqual(new Set(WEEKS));
    for (const { week, share, reason } of shown) {
      // None of the results is ours, so no week has an average place.
      const lacking = week === PARTIAL ? `${reasons[PARTIAL]}; only 50 % are the same as the week before` : reasons[week ?? ''];
      const expected = panel === 'average-place' && week !== EMPTY ? 'no search finds us' : lacking;
      expect([panel, week, reason]).toEqual([panel, week, expected]);
      if (panel !== 'average-place') expect([panel, week, share === null]).toEqual([panel, week, week === EMPTY]);
    }
  }
});

it('changes since the week before, and tables of the newest week, say of all their rows that the figures are of a part', async () => {
  const job = jobOf();
  const { pool } = ledger;
  await insertOwnDomains(pool, job.accountId, 'acme.com');
  const row: RowOf = ({ name }, week) => {
    const found = { rank_true: week === PARTIAL ? '1' : '3', root_domain: 'acme.com', normalized_url: week };
    return wireRow(job, name === job.name ? { query: 'a', ...found } : { query: 'b', rank_true: '5', root_domain: 'other.example' }, week);
  };
  const values = await loadPartly(job, row);
  const reasons = reasonsOf(job, LACKS, 'held (second), missing (first)');
  const notice = `Week of ${PARTIAL}, compared with the week of ${WHOLE_TOO}. Week of ${PARTIAL}: ${reasons[PARTIAL]}. The week of ${EMPTY} is left out: ${reasons[EMPTY]}.`;
  expect(await rankings('winners-and-losers', { ...values, top_n: '1' })).toMatchObject([
    { query: 'a', place_before: '3', place_now: '1', notice: expect.stringContaining(notice) },
  ]);
  expect(await rankings('changed-urls', values)).toMatchObject([{ url_before: WHOLE_TOO, url_now: PARTIAL, notice }]);
});

it('citations: figures of a part say so', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_citations') });
  const values = await loadPartly(job, ({ name }, week) =>
    wireRow(
      job,
      {
        prompt: name,
        ai_search_engine: 'chatgpt',
        citation_url: 'https://acme.com/',
        citation_domain: 'acme.com',
        citation_attribution: 'Other',
      },
      week,
    ),
  );
  const reasons = reasonsOf(job, LACKS, 'held (second), missing (first)');
  for (const panel of ['citation-share', 'attribution-mix']) {
    const shown = await answers(panel, values);
    // How much is the same as the week before is said after it.
    const told = (reason: string | null | undefined): string | null =>
      (reason ?? '').replace(/(^|; )only \d+ % are the same as the week before$/, '') || null;
    expect(shown.map(({ week, percent, reason }) => [week, percent === null, told(reason)])).toEqual(
      WEEKS.map((week) => [week, week === EMPTY, reasons[week] ?? null]),
    );
  }
  expect(await answers('cited-pages-others', values)).toMatchObject([
    {
      url: 'acme.com',
      citations: '1',
      // Half of the prompts are not there.
      change: null,
      notice: `Week of ${PARTIAL}, compared with the week of ${WHOLE_TOO}. Week of ${PARTIAL}: ${reasons[PARTIAL]}. The week of ${EMPTY} is left out: ${reasons[EMPTY]}. Of the prompts 50 % are the same.`,
    },
  ]);
});

it('the page tells gaps and parts apart', async () => {
  const sql = `SELECT day::date AS day, amount, reason FROM (VALUES ('2026-11-01', 1, NULL), ('2026-11-08', NULL, 'held (a)'),
    ('2026-11-15', 3, 'partly there: missing (b)')) AS days (day, amount, reason)`;
  const panel = panelFile(sql, { Chart: 'line', X: 'day', Y: 'amount' });
  const dashboards = await serveDashboards(ledger.url, { panels: { parts: panel } });
  try {
    const text = await (await fetch(`${dashboards.url}/boards/test`)).text();
    expect(text).toContain('<strong>Gaps:</strong> <bdi>2026-11-08: held (a)</bdi>');
    expect(text).toContain('<strong>Not whole:</strong> <bdi>2026-11-15: partly there: missing (b)</bdi>');
  } finally {
    await dashboards.close();
  }
});

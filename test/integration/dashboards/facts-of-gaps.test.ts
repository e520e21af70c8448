// What is not known is a gap with its reason, and never zero; weeks that a figure leaves out are told.
import { expect, it } from 'vitest';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { sweepReports } from '../../../src/reports/refresh.ts';
import { recordJob } from '../../../src/warehouse/jobs.ts';
import { jobOf, loadWindow, useLedger, wireRow } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';

const ledger = useLedger();
const [FIRST, SECOND] = ['2026-11-01', '2026-11-08'] as const;
const ask = asksOf(() => ledger.pool, 'ai-visibility');

it('sentiment: a week without values is a gap', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_sentiments') });
  for (const [week, value] of [
    [FIRST, 'Neutral'],
    [SECOND, ''],
  ] as const) {
    const row = wireRow(job, { sentiment_brand: 'Acme', sentiment_value: value, ai_search_engine: 'chatgpt' }, week);
    await loadWindow(ledger.pool, job, [row], windowOfWeeks(week, 1));
  }
  await recordJob(ledger.pool, { ...job, since: FIRST }, SECOND);
  await sweepReports(ledger.pool, new AbortController().signal);
  expect(await ask('sentiment-score', { account: String(job.accountId), weeks: '13' })).toMatchObject([
    { week: FIRST, sentiment_score: '50.0', reason: null },
    { week: SECOND, sentiment_score: null, mentions: '1', reason: 'no sentiment values' },
  ]);
});

it('citations without a domain have their share', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_citations') });
  const rows = ['', 'other.example'].map((domain) => wireRow(job, { citation_domain: domain || null, citation_url: domain }, FIRST));
  await loadWindow(ledger.pool, job, rows, windowOfWeeks(FIRST, 1));
  await ledger.pool.query('UPDATE search.ai_search_citations SET citation_domain = nullif(citation_domain, $2) WHERE account_id = $1', [
    job.accountId,
    '',
  ]);
  await recordJob(ledger.pool, { ...job, since: FIRST }, FIRST);
  await sweepReports(ledger.pool, new AbortController().signal);
  expect(await ask('citation-share', { account: String(job.accountId), weeks: '13' })).toMatchObject([
    { site: 'other.example', percent: '50.00' },
    { site: '(no page)', percent: '50.00', citations: '1' },
  ]);
});

it('words of searches: the weeks left out are told', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_fan_out') });
  await loadWindow(ledger.pool, job, [wireRow(job, { fan_out_query: 'running shoes' }, FIRST)], windowOfWeeks(FIRST, 1));
  await recordJob(ledger.pool, { ...job, since: FIRST }, SECOND);
  await sweepReports(ledger.pool, new AbortController().signal);
  expect(await ask('fan-out-words', { account: String(job.accountId), weeks: '13' })).toMatchObject([
    { word: 'running', notice: `Week of ${SECOND}: left out, missing (${job.name}).` },
    { word: 'shoes' },
  ]);
});

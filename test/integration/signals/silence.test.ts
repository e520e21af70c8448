// When rules say nothing, and why; and what becomes of signals whose week is revised.
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { findDueLooks, isStillDue, readSignals, readSilences } from '../../../src/ledger/signals.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { readRules } from '../../../src/signals/rules.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { lookAtAll } from '../../support/signal-rounds.ts';
import { loadWindow, stageWindow, submitWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const BEFORE: IsoDate = '2026-11-01';
const NOW: IsoDate = '2026-11-08';
const RULE = 'left-places';
const SETTINGS = {
  isEnabled: true,
  thresholds: { least_volume: 100, least_lead: 0.1, least_points: 1, least_citations: 1, least_criticism: 1, least_naming: 1 },
};
const rules = readRules();

/** The only search, with our result, or that of a rival, at a place. */
const rowsAt = (job: Job, week: IsoDate, place: number, root_domain = 'acme.example'): unknown[][] => [
  wireRow(
    job,
    {
      query: 'crm',
      device: 'DESKTOP',
      search_engine: 'GOOGLE',
      root_domain,
      average_search_volume: '500',
      rank_standard: String(place),
    },
    week,
  ),
];
const load = (job: Job, week: IsoDate, place: number, domain?: string) =>
  loadWindow(ledger.pool, job, rowsAt(job, week, place, domain), windowOfWeeks(week, 1));
const look = (settings = SETTINGS): Promise<void> => lookAtAll(ledger.pool, rules, settings);

async function told(job: Job): Promise<{ texts: string[]; silence: string | undefined }> {
  const account = String(job.accountId);
  const signals = await readSignals(ledger.pool, account, NOW);
  const silences = await readSilences(ledger.pool, account, NOW);
  return {
    texts: signals.filter(({ rule }) => rule === RULE).map(({ text }) => text),
    silence: silences.find(({ rule }) => rule === RULE)?.silence,
  };
}

/** Two weeks, in the second of which our result has left the first 3. */
async function loaded(changes: Partial<Job> = {}): Promise<Job> {
  const { pool } = ledger;
  const job = jobOf({ since: BEFORE, ...changes });
  await insertOwnDomains(pool, job.accountId, 'acme.example');
  await recordJob(pool, job, NOW);
  await load(job, BEFORE, 2);
  await load(job, NOW, 7);
  return job;
}

const SIGNAL = '“crm” has left the first 3 (Desktop, Google): place 7, after 2; searched 500 times a month';

describe('a rule is silent, with the reason, and speaks again when it is over', () => {
  it('where the week is being revised', async () => {
    const job = await loaded();
    await look();
    expect(await told(job)).toEqual({ texts: [SIGNAL], silence: undefined });
    await submitWindow(ledger.pool, job, windowOfWeeks(NOW, 1), 'lookback');
    await look();
    expect(await told(job)).toEqual({ texts: [], silence: `being revised (${job.name})` });
  });

  it('where the week before is being revised', async () => {
    const job = await loaded();
    await submitWindow(ledger.pool, job, windowOfWeeks(BEFORE, 1), 'lookback');
    await look();
    expect(await told(job)).toEqual({ texts: [], silence: `the week before it: being revised (${job.name})` });
    const { rows } = await ledger.pool.query('SELECT FROM search_reports.signals WHERE account_id = $1', [job.accountId]);
    expect(rows).toEqual([]);
  });

  it('where the week before is held', async () => {
    const job = await loaded();
    const held = await stageWindow(ledger.pool, job, [rowsAt(job, BEFORE, 9)], windowOfWeeks(BEFORE, 1));
    await hold(ledger.pool, held, [{ rule: 'shrink', message: 'test' }], 0);
    await look();
    expect(await told(job)).toEqual({ texts: [], silence: `the week before it: held (${job.name})` });
  });

  it('where the week is partly there', async () => {
    const job = await loaded();
    const second = { ...job, name: `${job.name}-second`, filtersDigest: 'other' };
    await recordJob(ledger.pool, second, NOW);
    await look();
    expect(await told(job)).toEqual({ texts: [], silence: expect.stringContaining(`partly there: missing (${second.name})`) });
  });

  it('not where the weeks were asked for with other filters: the search is the same', async () => {
    const job = await loaded();
    await ledger.pool.query(
      `UPDATE searchmill.executions SET request = request || '{"devices": ["DESKTOP"]}'
        WHERE id = (SELECT published_execution_id FROM searchmill.slices WHERE job = $1 AND window_start = $2)`,
      [job.name, NOW],
    );
    await look();
    expect(await told(job)).toEqual({ texts: [SIGNAL], silence: undefined });
  });
});

const OF_OUR_PLACES = ['left-places', 'lost-searches', 'searches-moved', 'rival-overtakes'];
const NOT_OURS = 'no site is known to be ours, or results of it were not asked for';
it.each<[Job['filters'], string, readonly string[]]>([
  [{ domains: ['rival.example'] }, NOT_OURS, OF_OUR_PLACES.slice(0, 1)],
  [{ domains: ['rival.example'] }, 'searches without a result of the domains asked for are not known', OF_OUR_PLACES.slice(1)],
  [{ min_rank: 2 }, 'places before 2 were not asked for (min_rank)', OF_OUR_PLACES],
  [{ domains: ['acme.example'] }, 'searches without a result of the domains asked for are not known', OF_OUR_PLACES.slice(1)],
  [{}, NOT_OURS, OF_OUR_PLACES],
])('rankings of %o keep the rules silent that need other rows: %s', async (filters, reason, silent) => {
  const job = await loaded({ filters });
  if (Object.keys(filters).length === 0)
    await ledger.pool.query('DELETE FROM searchmill.account_settings WHERE account_id = $1', [job.accountId]);
  await look();
  const silences = (await readSilences(ledger.pool, String(job.accountId), NOW)).filter(({ rule }) => silent.includes(rule));
  expect(silences.map(({ rule, silence }) => [rule, silence])).toEqual(silent.map((rule) => [rule, reason]));
  const signals = await readSignals(ledger.pool, String(job.accountId), NOW);
  expect(signals.filter(({ rule }) => silent.includes(rule))).toEqual([]);
});

it.each<[Job['filters'], string]>([
  [{}, 'does not find us in the first 3 places any more'],
  [{ max_rank: 10 }, 'does not find us in the first 10 places any more'],
])('a search is called lost within what %o asked for', async (filters, words) => {
  const job = await loaded({ filters });
  await load(job, NOW, 3, 'rival.example');
  await look();
  const signals = await readSignals(ledger.pool, String(job.accountId), NOW);
  expect(signals.flatMap(({ rule, text }) => (rule === 'lost-searches' ? [text] : []))).toEqual([
    `“crm” ${words} (Desktop, Google): we were at place 2; searched 500 times a month`,
  ]);
});

it('from the publication of a revision until the next look, the week has no signals', async () => {
  const job = await loaded();
  await look();
  await load(job, NOW, 8);
  expect(await told(job)).toEqual({ texts: [], silence: 'has changed, and is looked at again within a minute' });
  await look();
  expect(await told(job)).toEqual({ texts: [SIGNAL.replace('place 7', 'place 8')], silence: undefined });
});

it('a revision takes a signal back, and another finds it again', async () => {
  const job = await loaded();
  await look();
  await load(job, NOW, 3);
  await look();
  expect(await told(job)).toEqual({ texts: [], silence: undefined });
  const { rows } = await ledger.pool.query('SELECT text, taken_back_at FROM searchmill.signals WHERE account_id = $1', [job.accountId]);
  expect(rows).toEqual([{ text: SIGNAL, taken_back_at: expect.any(Date) }]);
  await load(job, NOW, 7);
  await look();
  expect(await told(job)).toEqual({ texts: [SIGNAL], silence: undefined });
});

it('a new threshold brings a new look without a publication; a look is not repeated while nothing changes', async () => {
  const job = await loaded();
  await look();
  const looks = () =>
    ledger.pool.query('SELECT rule, week, looked_at FROM searchmill.signal_looks WHERE account_id = $1 ORDER BY 1, 2', [job.accountId]);
  const first = (await looks()).rows;
  await look();
  expect((await looks()).rows).toEqual(first);
  await look({ ...SETTINGS, thresholds: { ...SETTINGS.thresholds, least_volume: 501 } });
  expect(await told(job)).toEqual({ texts: [], silence: undefined });
});

/** A rule of one statement. */
function ruleOf(name: string, text: string): (typeof rules)[number] {
  const [rule] = rules;
  if (!rule) throw new Error('there are no rules');
  return { ...rule, name, text: `${text} FROM (SELECT $1::bigint AS account, $2::date AS week) AS t`, parameters: ['account', 'week'] };
}

/** What rules before all others lead to. */
async function lookWith(...first: readonly (typeof rules)[number][]): Promise<void> {
  await lookAtAll(ledger.pool, [...first, ...rules], SETTINGS);
}

const silenceOf = async (job: Job, name: string) =>
  (await readSilences(ledger.pool, String(job.accountId), NOW)).find(({ rule }) => rule === name)?.silence;

it('a rule that takes too long, or whose signals cannot be written, counts as failed, and the rules behind it have their turn', async () => {
  const job = await loaded();
  await ledger.pool.query(`CREATE OR REPLACE FUNCTION search_reports.too_slow() RETURNS text LANGUAGE plpgsql AS
    $$ BEGIN RAISE query_canceled USING MESSAGE = 'canceling statement due to statement timeout'; END $$`);
  const signal = `'text' AS text, 1 AS weight, '{}'::jsonb AS about, NULL AS silence`;
  await lookWith(
    ruleOf('slow', `SELECT search_reports.too_slow() AS subject, ${signal}`),
    ruleOf('unwritable', `SELECT unnest('{a,a}'::text[]) AS subject, ${signal}`),
  );
  expect(await silenceOf(job, 'slow')).toContain('the rule failed: ');
  expect(await silenceOf(job, 'unwritable')).toContain('the rule failed: ');
  expect((await told(job)).texts).toEqual([SIGNAL]);
});

it('a subject as long as an address may be is stored as its beginning and its digest, and stays distinct', async () => {
  const job = await loaded();
  const long = `(SELECT string_agg(md5(n::text), '') FROM generate_series(1, 200) AS n)`;
  const endings = `unnest('{a,b,a💡}'::text[])`;
  const rule = ruleOf(
    'long',
    `SELECT ${long} || ${endings} AS subject, 'text' AS text, 1 AS weight, jsonb_build_object('url', ${long}) AS about, NULL AS silence`,
  );
  await lookWith(rule);
  const read = async () => (await readSignals(ledger.pool, String(job.accountId), NOW)).filter(({ rule: name }) => name === 'long');
  const signals = await read();
  expect(signals.map(({ subject, about }) => [subject.length, about.url?.length])).toEqual(Array(3).fill([465, 6_400]));
  await lookWith({ ...rule, title: 'Another' });
  expect((await read()).map(({ id }) => id)).toEqual(signals.map(({ id }) => id));
});

it('a look whose reason has changed since the round began waits for the next round', async () => {
  const job = await loaded();
  const { name, title, datasets, weeks } = ruleOf('any', '');
  const rule = { name, place: 0, title, datasets, weeks, digest: '' };
  const due = (await findDueLooks(ledger.pool, [rule], 13)).find((each) => each.accountId === String(job.accountId) && each.week === NOW);
  if (!due) throw new Error('no look is due');
  const isDue = () => inTransaction(ledger.pool, (client) => isStillDue(client, due, rule, 13), { isSnapshot: true });
  expect(await isDue()).toBe(true);
  await submitWindow(ledger.pool, job, windowOfWeeks(NOW, 1), 'lookback');
  expect(await isDue()).toBe(false);
});

it('a rule that fails says so, and the others speak', async () => {
  const job = await loaded();
  const failing = ruleOf('failing', 'SELECT 1 / (account - account)');
  await lookAtAll(ledger.pool, [...rules, failing], SETTINGS);
  expect((await told(job)).texts).toEqual([SIGNAL]);
  const silences = await readSilences(ledger.pool, String(job.accountId), NOW);
  expect(silences.find(({ rule }) => rule === 'failing')?.silence).toContain('the rule failed: ');
  await look();
  expect((await readSilences(ledger.pool, String(job.accountId), NOW)).find(({ rule }) => rule === 'failing')).toBeUndefined();
});

it('a login of one account sees its signals alone, and one without the account none', async () => {
  const [job, other] = [await loaded(), await loaded()];
  await look();
  const client = await ledger.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('CREATE ROLE searchmill_test_signals IN ROLE searchmill_account');
    await client.query('INSERT INTO searchmill.account_logins (login, account_id) VALUES ($1, $2)', [
      'searchmill_test_signals',
      job.accountId,
    ]);
    await client.query('SET LOCAL ROLE searchmill_test_signals');
    const { rows } = await client.query(
      'SELECT DISTINCT account_id FROM search_reports.signals UNION SELECT account_id FROM search_reports.signal_rules',
    );
    expect(rows).toEqual([{ account_id: job.accountId }]);
    expect(other.accountId).not.toBe(job.accountId);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

it('rules that find nothing in whole weeks have no signals, and do not count as silent', async () => {
  const accountId = 99_001;
  for (const name of ['ai_search_sentiments', 'ai_search_brands', 'ai_search_response', 'ai_search_citations'] as const) {
    const job = jobOf({ accountId, since: BEFORE, dataset: datasetNamed(name) });
    await recordJob(ledger.pool, job, NOW);
    for (const week of [BEFORE, NOW]) {
      const values = {
        web_property_id: '7',
        ai_search_engine: 'chatgpt',
        prompt: 'p',
        topic: 't',
        brand_or_product_attribution: 'You',
        brand_or_product_name: 'Acme',
        citation_attribution: 'Other',
      };
      await loadWindow(ledger.pool, job, [wireRow(job, values, week)], windowOfWeeks(week, 1));
    }
  }
  await look();
  expect(await readSignals(ledger.pool, String(accountId), NOW)).toEqual([]);
  const { rows } = await ledger.pool.query(
    'SELECT rule FROM searchmill.signal_looks WHERE account_id = $1 AND week = $2 AND silence IS NULL ORDER BY place',
    [accountId, NOW],
  );
  expect(rows.map(({ rule }) => rule)).toEqual([
    'mention-rate-moved',
    'citation-share-moved',
    'cited-page-gone',
    'new-criticism',
    'topic-unnamed',
  ]);
});

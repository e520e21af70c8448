// Databases of several locales and providers: what is one name here is one name there, whatever the database takes for lower case.
import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { bareDomain } from '../../../src/core/bare-domain.ts';
import { Secret } from '../../../src/core/secret.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { adoptSetting, competitorsOf } from '../../../src/reports/account-settings.ts';
import { configuredDomains } from '../../../src/reports/own-domains.ts';
import { finishReports } from '../../../src/reports/refresh.ts';
import { jobOf, WEEK } from '../../support/ledger.ts';
import { asksOf, USUAL } from '../../support/panels.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { createDatabaseWith, type TestDatabase } from '../../support/test-database.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

/** Domains that people and services write in more than one way: each group is one. */
const SPELLINGS: readonly (readonly [string, ...string[]])[] = [
  [
    'xn--mnchen-3ya.example',
    'münchen.example',
    'MÜNCHEN.Example.',
    'www.mu\u0308nchen.example',
    'WWW.XN--MNCHEN-3YA.EXAMPLE',
    'münchen。example',
  ],
  ['xn--diyarbakr-2pb.istanbul', 'diyarbakır.istanbul', 'DIYARBAKır.ISTANBUL'],
  ['xn--80aswg.xn--p1ai', 'сайт.рф', 'САЙТ.РФ', 'www.сайт.рф.'],
  ['xn--nxaslbp.gr', 'βολος.gr', 'ΒΟΛΟς.GR'],
  ['xn--fiqs8s.xn--fiqz9s', '中国.中國'],
  ['xn--strae-oqa.example', 'straße.example', 'STRAẞE.example'],
  ['iii.example', 'III.EXAMPLE', 'www.iii.example...'],
  ['www.com', 'WWW.COM.'],
  // Punycode of nothing that a domain may hold.
  ['xn--.example', 'XN--.example'],
  ['xn--zzzzzzzzzzzzzz99999.example', 'xn--ZZZZZZZZZZZZZZ99999.example'],
];

/** SQLSTATEs of CREATE DATABASE for an option or a locale that the server does not know. */
const UNKNOWN_HERE: ReadonlySet<unknown> = new Set(['42601', '42809', '22023', '0A000']);

const label = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'aAiIzZ09-_ßẞüÜİıŞşΣςσЖжøØ中ก') }),
  fc.string({ maxLength: 70, unit: fc.constantFrom(...'abcÄ') }),
  fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }),
  fc.string({ maxLength: 20, unit: fc.constantFrom(...'abcxyz0189-') }).map((text) => `xn--${text}`),
);
const domains = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));

describe.each([
  ['C', "locale 'C'"],
  ['ICU, Turkish', "locale_provider icu icu_locale 'tr-TR' locale 'C'"],
  ['ICU, German', "locale_provider icu icu_locale 'de-DE-u-ks-level1' locale 'C'"],
  ['libc, Turkish', "locale 'tr_TR.UTF-8'"],
])('a database with the locale %s', (_, locale) => {
  let database: TestDatabase;
  let pool: Pool;
  let missingBecause = '';
  beforeEach(({ skip }) => skip(missingBecause !== '', missingBecause));
  beforeAll(async () => {
    try {
      database = await createDatabaseWith(locale);
    } catch (error) {
      // PostgreSQL 14 has no ICU for databases, and a system only the locales that were generated on it.
      if (!UNKNOWN_HERE.has((error as { code?: unknown }).code)) throw error;
      missingBecause = `this server has no locale ${locale}: ${(error as Error).message}`;
      return;
    }
    await migrate(new Secret(database.url));
    pool = createPool(new Secret(database.url), { applicationName: 'test', max: 3 });
  });
  afterAll(async () => {
    if (missingBecause !== '') return;
    await pool.end();
    await database.drop();
  });
  const inSql = async (given: readonly string[]): Promise<unknown[]> =>
    (
      await pool.query('SELECT search_reports.bare_domain(d) AS bare FROM unnest($1::text[]) WITH ORDINALITY AS s (d, n) ORDER BY n', [
        given,
      ])
    ).rows.map(({ bare }) => bare as unknown);

  it.each(SPELLINGS.map((spellings) => ({ bare: spellings[0], spellings })))(
    'has one spelling of $bare, the same in rows as in settings',
    async ({ bare, spellings }) => {
      expect(spellings.map(bareDomain)).toEqual(spellings.map(() => bare));
      expect(await inSql(spellings)).toEqual(spellings.map(() => bare));
    },
  );

  it('spells whatever is sent as the settings are spelled', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(domains, { minLength: 20, maxLength: 20 }), async (given) => {
        expect(await inSql(given)).toEqual(given.map(bareDomain));
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('spells every letter that has a lower case as the settings are spelled', async () => {
    const letters = Array.from({ length: 0x2000 - 0xa0 }, (_, at) => `${String.fromCodePoint(0xa0 + at)}x.example`);
    expect(await inSql(letters)).toEqual(letters.map(bareDomain));
  });

  it.each([
    [
      'münchen.example',
      ['xn--mnchen-3ya.example', 'www.xn--mnchen-3ya.example', 'MÜNCHEN.EXAMPLE', 'münchen.example.', 'mu\u0308nchen.example'],
    ],
    ['XN--MNCHEN-3YA.example', ['münchen.example', 'xn--mnchen-3ya.example', 'shop.münchen.example']],
    ['IIK.example', ['iik.example', 'IIK.EXAMPLE.']],
  ])('knows %s as ours, and as a competitor, however the service spells it', async (written, served) => {
    const domain = bareDomain(written);
    const job = jobOf({ ownDomains: [domain] });
    for (const setting of [configuredDomains([domain]), competitorsOf([domain])]) await adoptSetting(pool, String(job.accountId), setting);
    const rows = served.map((host, index) =>
      wireRow(job, { query: host, root_domain: host, subdomain: null, rank_standard: String(index + 1) }),
    );
    await loadWindow(pool, job, [...rows, wireRow(job, { query: 'other', root_domain: 'munchen.example', subdomain: null })]);
    const own = await pool.query(
      'SELECT sum(own_results)::integer AS own FROM search_reports.ranking_searches WHERE account_id = $1 AND week = $2',
      [job.accountId, WEEK.start],
    );
    expect(own.rows).toEqual([{ own: served.length }]);
    // Others compare sites with the patterns as they are stored.
    const stored = [domain, domain.replace('xn--mnchen-3ya', 'münchen')];
    const known = await pool.query(
      "SELECT count(*)::integer AS known FROM unnest($2::text[]) AS site WHERE '.' || site LIKE ANY (search_reports.competitor_patterns($1))",
      [job.accountId, stored],
    );
    expect(known.rows).toEqual([{ known: stored.length }]);
  });

  it.each([
    ['İSTANBUL', 'istanbul', 'İstanbul', 'i\u0307stanbul', 'ISTANBUL'],
    ['Straße', 'STRAẞE', 'straße', 'STRASSE'],
    ['МОСКВА', 'Москва', 'москва'],
    ['ΒΟΛΟΣ', 'Βολος', 'βολοσ'],
    ['Ürün I', 'ürün i', 'U\u0308RÜN I'],
  ])('knows the brand %s however it is written: whose sentiments, what prompts ask, what assistants search for', async (own, ...others) => {
    const account = jobOf().accountId;
    const of = (name: string): Job =>
      jobOf({ accountId: account, dataset: datasetNamed(name), filters: { brand_or_product_names: [others.at(-1) ?? own] } });
    const said = { ai_search_engine: 'chatgpt', locode: 'US', language: 'en_US' };
    const names = [own, ...others];
    const [brands, sentiments, fanOut] = [of('ai_search_brands'), of('ai_search_sentiments'), of('ai_search_fan_out')];
    await loadWindow(pool, brands, [
      wireRow(brands, { ...said, prompt: 'p', brand_or_product_name: own, brand_or_product_attribution: 'YOU' }),
    ]);
    const mentions = names.map((name, at) =>
      wireRow(sentiments, {
        ...said,
        prompt: `Is ${name} good?`,
        sentiment_brand: name,
        sentiment_value: 'NEGATIVE',
        sentiment_snippet: `bad ${at}`,
      }),
    );
    await loadWindow(pool, sentiments, [
      ...mentions,
      wireRow(sentiments, { ...said, prompt: 'other?', sentiment_brand: 'other', sentiment_value: 'NEGATIVE', sentiment_snippet: 'bad' }),
    ]);
    await loadWindow(
      pool,
      fanOut,
      names.map((name, at) => wireRow(fanOut, { ...said, prompt: `p${at}`, fan_out_query: name, amount_of_searches: '1' })),
    );

    await finishReports(pool, new AbortController().signal, () => undefined);
    const values = { ...USUAL, account: String(account), keyword: others[0] ?? own };
    const against = await asksOf(() => pool, 'ai-visibility')('against-us', values);
    expect(new Set(against.map(({ brand }) => brand))).toEqual(new Set(names));
    const asked = await asksOf(() => pool, 'search')('asked-by-assistants', values);
    expect(new Set(asked.map(({ prompt }) => prompt))).toEqual(new Set(names.map((_name, at) => `p${at}`)));
    const kinds = await pool.query(
      'SELECT prompt, prompt_type FROM search_reports.prompt_facts WHERE account_id = $1 AND prompt LIKE \'%?\' ORDER BY prompt COLLATE "C"',
      [account],
    );
    expect(kinds.rows.filter(({ prompt_type }) => prompt_type !== 'branded')).toEqual([{ prompt: 'other?', prompt_type: 'unbranded' }]);
    const gaps = await pool.query('SELECT gap FROM search_reports.brand_gaps($1, ARRAY[$2::date])', [account, WEEK.start]);
    expect(gaps.rows.filter(({ gap }) => String(gap).includes('asked for by name'))).toEqual([]);
  });
});

it('a label is written as browsers write it', () => {
  for (const name of ['münchen', 'bücher', 'ελλάδα', '中国', 'сайт', 'عربي', 'ก', 'mañana', 'å1-ö'])
    expect(bareDomain(`${name}.example`)).toBe(domainToASCII(`${name}.example`));
});

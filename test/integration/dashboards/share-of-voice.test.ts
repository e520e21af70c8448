// Share of voice: names of ours and of rivals in the texts of answers, whatever their case and accents, as whole words.
import { expect, it } from 'vitest';
import type { Brand } from '../../../src/config/settings.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { adoptSetting } from '../../../src/reports/account-settings.ts';
import { brandsOf } from '../../../src/reports/brands.ts';
import { prompt } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf, columnsOf } from '../../support/panels.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [BEFORE, NOW] = ['2026-11-01', '2026-11-08'] as const;
const table = asksOf(() => ledger.pool, 'rivals');
const tile = asksOf(() => ledger.pool, 'home', { isWhole: true });

const brand = (name: string, ...spellings: readonly string[]): Brand => ({ name, spellings });
type Names = Readonly<{ own?: readonly Brand[]; rivals?: readonly Brand[] }>;
const adopt = (account: string, { own = [], rivals = [] }: Names): Promise<void> =>
  adoptSetting(ledger.pool, account, brandsOf([{ ownBrands: own, rivalBrands: rivals }]));
const adoptAndStore = async (account: string, names: Names): Promise<void> => {
  await adopt(account, names);
  await storeReports(ledger.pool);
};

type Answer = string | null;
/** An account with answers to prompts p0, p1 and so on, in a week each. */
async function answersOf(...weeks: readonly (readonly Answer[])[]): Promise<string> {
  const job = jobOf({ dataset: datasetNamed('ai_search_response') });
  for (const [at, texts] of weeks.entries()) {
    const week = [BEFORE, NOW].slice(-weeks.length)[at] ?? NOW;
    const rows = texts.map((text, n) => wireRow(job, prompt('chatgpt', { prompt: `p${n}`, ai_response: text }), week));
    await loadWindow(ledger.pool, job, rows, windowOfWeeks(week, 1));
  }
  await storeReports(ledger.pool);
  return String(job.accountId);
}

async function shareOf(account: string): Promise<readonly (string | null | undefined)[]> {
  const rows = await tile('share-of-voice', { account, weeks: '13', compare: 'week' });
  const newest = rows.at(-1);
  return [newest?.figure ? Number(newest.figure).toFixed(1) : null, newest?.reason];
}

/** Whether a text has a name of ours. */
async function finds(name: Brand, texts: readonly string[]): Promise<boolean[]> {
  const account = await answersOf(texts);
  await adoptAndStore(account, { own: [name], rivals: [brand('Zzz')] });
  const { rows } = await ledger.pool.query<{ prompt: string; own: number }>(
    'SELECT prompt, own_voices AS own FROM search_reports.prompt_facts WHERE account_id = $1',
    [account],
  );
  return texts.map((_, at) => rows.find((row) => row.prompt === `p${at}`)?.own === 1);
}

it('counts an answer once for each name that it has, whatever the case and however often', async () => {
  const account = await answersOf(['ACME and acme, then Rival.', 'Rival and Other', 'nothing', 'Acme Pro']);
  await adoptAndStore(account, { own: [brand('Acme'), brand('Acme Pro')], rivals: [brand('Rival'), brand('Other')] });
  // Pairs of an answer and a name: ours in two, Rival in two, Other in one.
  expect(await shareOf(account)).toEqual(['40.0', null]);
  const rows = await table('share-of-voice', { account, weeks: '13', compare: 'week' });
  expect(columnsOf(rows, 'name', 'kind', 'share', 'answers')).toEqual([
    ['Acme, Acme Pro', 'ours', '40.00', '2'],
    ['Rival', 'rival', '40.00', '2'],
    ['Other', 'rival', '20.00', '1'],
  ]);
});

it('of names that begin at one place the longer one is found', async () => {
  const account = await answersOf(['Acme Outdoor is good.', 'Acme is good.', 'Acme Outdoors is good.']);
  await adoptAndStore(account, { own: [brand('Acme')], rivals: [brand('Acme Outdoor')] });
  expect(await shareOf(account)).toEqual(['66.7', null]);
});

it.each<[string, Brand, readonly string[], readonly string[]]>([
  [
    'whole words',
    brand('Acme'),
    ['Acme', 'by Acme.', '(Acme)', '**Acme**', 'Acme-Jacke', "Acme's", 'www.acme.com', '_acme_', 'Acme®'],
    ['Acmes', 'Acme2', '3acme', 'placmeb', 'Äcmeé', 'aсme'],
  ],
  ['accents that only the text has', brand('Nestle'), ['Nestlé', 'NESTLÉ', 'Nestle\u0301', 'ñëstlè'], ['Nestla', 'Nestléé']],
  ['accents that only the name has', brand('Fjällräven'), ['Fjallraven', 'FJÄLLRÄVEN', 'fja\u0308llra\u0308ven'], ['Fjaellraeven']],
  ['letters that are two', brand('Weiß'), ['WEISS', 'weiss', 'WEIẞ', 'Weiß'], ['Weis', 'Weisse']],
  ['letters without accents in Unicode', brand('Ørsted'), ['Orsted', 'ØRSTED'], ['rsted']],
  ['Greek', brand('Οδός'), ['ΟΔΟΣ', 'οδος', 'οδός'], ['οδοσα']],
  ['Cyrillic', brand('Ёлка'), ['елка', 'ЕЛКА', '«Ёлка»'], ['ёлками']],
  ['Turkish', brand('İstikbal'), ['istikbal', 'ISTIKBAL', 'ıstıkbal'], ['stikbal']],
  ['scripts without blanks between words', brand('Acme'), ['我喜欢Acme的产品', 'アウターはAcmeです', 'Acme는 좋다'], ['Acmeя', 'Acmeα']],
  ['names in such scripts', brand('無印良品'), ['私は無印良品が好き', '無印良品'], ['無印']],
  ['Japanese letters with other marks', brand('カ'), ['カ'], ['ガ']],
  ['blanks of any kind', brand('North Trail'), ['North  Trail', 'North\nTrail', 'north\u00a0trail'], ['NorthTrail', 'North-Trail']],
  [
    'other apostrophes and hyphens',
    brand("Arc'teryx-X"),
    ['Arc’teryx-X', 'ARC\u2019TERYX\u2011X', 'Arc\u00adteryx', 'Arc`teryx–X'].filter((text) => !text.includes('\u00ad')),
    ['Arcteryx-X'],
  ],
  ['signs', brand('H&M+'), ['at H&M+ today'], ['HM+', 'H&M']],
  ['signs of regular expressions', brand('a.b*(c)[d]\\'), ['x a.b*(c)[d]\\ y'], ['aXb*(c)[d]\\', 'a.bb(c)[d]\\']],
  ['further spellings', brand('Acme Pro', 'AcmePro', 'A. P.'), ['acmepro', 'ACME PRO', 'the A. P. jacket'], ['Acme', 'AP']],
  [
    'domains with letters of other alphabets',
    brand('münchen.example'),
    ['see xn--mnchen-3ya.example', 'www.MÜNCHEN.example/x'],
    ['muenchen.example', 'altmünchen.example'],
  ],
  ['the same, written for DNS', brand('xn--mnchen-3ya.example'), ['münchen.example', 'XN--MNCHEN-3YA.example'], ['mnchen.example']],
  ['words with invisible characters', brand('Fernweh'), ['Fern\u00adweh', 'Fern\u200bweh', '\ufeffFernweh'], ['Fern weh']],
])('finds %s', async (_, name, found, others) => {
  expect(await finds(name, [...found, ...others])).toEqual([...found.map(() => true), ...others.map(() => false)]);
});

it('an answer without a text counts in nothing, and none with a text is a gap', async () => {
  const names = { own: [brand('Acme')], rivals: [brand('Rival')] };
  const account = await answersOf(['Acme', null, '', 'Rival']);
  await adoptAndStore(account, names);
  expect(await shareOf(account)).toEqual(['50.0', '2 of 4 are left out: the texts of the answers are not there']);
  const silent = await answersOf([null, '']);
  await adoptAndStore(silent, names);
  expect(await shareOf(silent)).toEqual([null, 'the texts of the answers are not there']);
  const unnamed = await answersOf(['neither']);
  await adoptAndStore(unnamed, names);
  expect(await shareOf(unnamed)).toEqual([null, 'no answer has a name of ours or of a rival']);
});

it('is unknown without names of rivals, or without names of ours, never 100 % or 0', async () => {
  const account = await answersOf(['Acme', 'Rival'], ['Acme', 'Rival']);
  expect(await shareOf(account)).toEqual([null, 'no names of ours are configured (own_brands)']);
  await adoptAndStore(account, { own: [brand('Acme')] });
  expect(await shareOf(account)).toEqual([null, 'no names of rivals are configured (rival_brands)']);
  await adoptAndStore(account, { rivals: [brand('Rival')] });
  expect(await shareOf(account)).toEqual([null, 'no names of ours are configured (own_brands)']);
  expect(columnsOf(await table('share-of-voice', { account, weeks: '13', compare: 'week' }), 'name')).toEqual([]);
});

it('other names mark all weeks of answers, which are counted anew; the same names mark none', async () => {
  const account = await answersOf(['Acme', 'Rival', 'Acme'], ['Acme', 'Rival', 'Late']);
  const marks = async (): Promise<string[]> => {
    const { rows } = await ledger.pool.query<{ week: string }>(
      'SELECT DISTINCT week::text FROM searchmill.stale_weeks WHERE account_id = $1 AND subject = $2 ORDER BY 1',
      [account, 'answers'],
    );
    return rows.map(({ week }) => week);
  };
  await adopt(account, { own: [brand('Acme')], rivals: [brand('Rival')] });
  expect(await marks()).toEqual([BEFORE, NOW]);
  await storeReports(ledger.pool);
  expect(await marks()).toEqual([]);
  await adopt(account, { own: [brand('Acme')], rivals: [brand('Rival')] });
  expect(await marks()).toEqual([]);
  const change = async (): Promise<readonly (string | null | undefined)[][]> =>
    columnsOf(await table('share-of-voice', { account, weeks: '13', compare: 'week' }), 'name', 'share', 'share_before', 'change');
  expect(await change()).toEqual([
    ['Acme', '50.00', '66.67', '-16.67'],
    ['Rival', '50.00', '33.33', '16.67'],
  ]);
  await adopt(account, { own: [brand('Acme', 'Late')], rivals: [brand('Rival')] });
  expect(await marks()).toEqual([BEFORE, NOW]);
  await storeReports(ledger.pool);
  expect(await change()).toEqual([
    ['Acme', '66.67', '66.67', '0.00'],
    ['Rival', '33.33', '33.33', '0.00'],
  ]);
});

it('unbranded prompts only, unless branded ones are chosen', async () => {
  const { accountId } = jobOf();
  const load = async (dataset: string, rows: readonly Readonly<Record<string, string>>[]): Promise<void> => {
    const job = jobOf({ accountId, dataset: datasetNamed(dataset) });
    await loadWindow(
      ledger.pool,
      job,
      rows.map((row) => wireRow(job, prompt('chatgpt', row), NOW)),
      windowOfWeeks(NOW, 1),
    );
  };
  await load('ai_search_response', [
    { prompt: 'is acme good', ai_response: 'Acme is.' },
    { prompt: 'good jackets', ai_response: 'Rival' },
  ]);
  await load('ai_search_fan_out', [{ prompt: 'is acme good', prompt_type: 'branded', fan_out_query: 'x' }]);
  await adoptAndStore(String(accountId), { own: [brand('Acme')], rivals: [brand('Rival')] });
  const levels = async (branded: string | undefined): Promise<unknown> =>
    columnsOf(
      await tile('share-of-voice', { account: String(accountId), weeks: '13', compare: 'week', ...(branded && { branded }) }),
      'figure',
    );
  expect(Number(((await levels('unbranded')) as string[][])[0]?.[0])).toBe(0);
  expect(Number(((await levels('branded')) as string[][])[0]?.[0])).toBe(100);
});

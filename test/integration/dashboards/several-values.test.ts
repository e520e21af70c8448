// Several values of a variable: chosen by the boxes of a form, kept in one address, counted as their rows say, and told where they were not asked for.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { isManyName } from '../../../src/dashboards/variables.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { insertCompetitors } from '../../support/account-settings.ts';
import { loadAskedWeeks, prompt } from '../../support/asked-weeks.ts';
import { serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [BEFORE, NOW] = ['2026-11-01', '2026-11-08'] as const;
const rankings = asksOf(() => ledger.pool, 'rankings');
const answers = asksOf(() => ledger.pool, 'ai-visibility');

const search = (query: string, search_engine_country_code: string | null, device: string | null): WireValues => ({
  query,
  search_engine: 'GOOGLE',
  search_engine_country_code,
  device,
  root_domain: 'acme.example',
  rank_standard: '1',
});
const SEARCHES = [
  search('a', 'DE', 'DESKTOP'),
  search('b', 'FR', 'DESKTOP'),
  search('c', 'FR', 'SMARTPHONE'),
  search('d', 'US', 'SMARTPHONE'),
  search('e', 'US', null),
  search('f', 'US', null),
];

describe('the address of a board', () => {
  let served: TestDashboards | undefined;
  let account = '';
  beforeEach(async () => {
    const values = await loadAskedWeeks(ledger.pool, jobOf(), [{ week: NOW, rows: SEARCHES }]);
    account = values.account ?? '';
    served = await serveDashboards(ledger.url);
  });
  afterEach(() => served?.close());

  const get = async (query: string, path = 'rankings'): Promise<{ status: number; text: string; etag: string | null }> => {
    const answer = await fetch(`${served?.url}/boards/${path}?account=${account}&weighted=false&${query}`);
    return { status: answer.status, text: await answer.text(), etag: answer.headers.get('etag') };
  };
  const boxesOf = (text: string, name: string): string[] =>
    [...text.matchAll(/<input type="checkbox" name="(\w+)" value="([^"]*)"( checked)?/g)].flatMap(([, of, value = '', checked]) =>
      of === name ? [`${checked ? '+' : '-'}${value}`] : [],
    );

  it('has several values, each once and in one order: any order in the address leads to the same kept page', async () => {
    const first = await get('country=US&country=FR&country=US');
    const again = await get('country=FR&country=US');
    expect(first.status).toBe(200);
    expect([again.etag, again.text === first.text]).toEqual([first.etag, true]);
    expect(boxesOf(first.text, 'country')).toEqual(['-DE', '+FR', '+US']);
    expect(first.text).toContain('2 of 3 countries');
    // To other boards, to the panel alone, and to its CSV.
    for (const path of ['boards/home', 'boards/rankings/market-share', 'boards/rankings/market-share.csv'])
      expect(first.text).toMatch(new RegExp(`href="/${path}\\?[^"]*country=FR&amp;country=US`));
    const other = await get('country=FR&country=US', 'home');
    expect(boxesOf(other.text, 'country')).toEqual(['-DE', '+FR', '+US']);
  });

  it('comes from the form of the page, without JavaScript', async () => {
    const { text } = await get('country=FR&country=US&device=DESKTOP');
    const [form = ''] = /<form class="filter-line".*?<\/form>/s.exec(text) ?? [];
    const sent = new URLSearchParams();
    for (const [, attributes = ''] of form.matchAll(/<input ([^>]*)>/g)) {
      const [, name = ''] = /name="([^"]*)"/.exec(attributes) ?? [];
      const [, value = ''] = /value="([^"]*)"/.exec(attributes) ?? [];
      if (name && (!attributes.includes('checkbox') || attributes.includes('checked'))) sent.append(name, value);
    }
    expect([sent.getAll('country'), sent.getAll('device'), sent.getAll('engine')]).toEqual([['FR', 'US'], ['DESKTOP'], []]);
    const csv = await get(`${sent}`, 'rankings/market-share.csv');
    expect(csv.text).toMatch(new RegExp(`^${NOW},acme.example,f,10.00,`, 'm'));
  });

  it('says of each value that it is unknown, and shows the others', async () => {
    const { status, text } = await get('country=XX&country=US&country=YY&device=TOASTER');
    expect(status).toBe(400);
    for (const unknown of ['XX', 'YY']) expect(text).toContain(`country: ${unknown} is unknown; expected one of DE, FR, US`);
    expect(text).toContain('device: TOASTER is unknown');
    expect(boxesOf(text, 'country')).toEqual(['-DE', '-FR', '+US']);
    expect((await get('country=XX', 'rankings/market-share.csv')).status).toBe(400);
    expect((await get(Array.from({ length: 101 }, (_, n) => `country=${n}`).join('&'))).text).toContain(
      'country: expected at most 100 values',
    );
  });

  it('may choose rows without a value', async () => {
    const { text } = await get('');
    expect(boxesOf(text, 'device')).toEqual(['-(none)', '-DESKTOP', '-SMARTPHONE']);
    expect(boxesOf(text, 'country')).toEqual(['-DE', '-FR', '-US']);
    const tracked = async (device: string[] | null): Promise<number> => {
      const [row] = await rankings('market-share', { account, device, weeks: '13', rank: 'standard', top_n: '10', weighted: 'false' });
      return Number(row?.searches);
    };
    expect([await tracked(null), await tracked(['(none)']), await tracked(['(none)', 'DESKTOP'])]).toEqual([6, 2, 4]);
  });
});

it('is offered by a board for every variable that takes several', () => {
  const variables = readBoards().flatMap((board) => board.variables.filter(({ name }) => isManyName(name)));
  expect(variables.length).toBeGreaterThan(20);
  for (const { name, plural, allLabel, default: usual } of variables)
    expect([name, plural, allLabel, usual]).toEqual([name, expect.any(String), expect.any(String), null]);
  expect(readBoards().flatMap(({ variables: all }) => all.filter(({ name, plural }) => plural !== undefined && !isManyName(name)))).toEqual(
    [],
  );
});

describe('several values of which some were not asked for', () => {
  const cited = (assistant: string): WireValues => prompt(assistant, { citation_domain: 'acme.example', citation_attribution: 'You' });
  const BOTH = ['chatgpt', 'gemini'];

  it('a sum names those, and is not compared with the week before; it is whole where several jobs together ask for all', async () => {
    const job = jobOf({ dataset: datasetNamed('ai_search_citations') });
    const values = await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, rows: ['chatgpt', 'gemini', 'perplexity'].map(cited) },
      { week: NOW, filters: { ai_search_engines: ['chatgpt', 'perplexity'] }, rows: ['chatgpt', 'perplexity'].map(cited) },
    ]);
    const shown = async (assistant: string[] | null) =>
      (await answers('citation-share', { ...values, assistant, branded: null })).map(({ week, reason }) => [week, reason]);
    expect(await shown(BOTH)).toEqual([
      [BEFORE, null],
      [NOW, 'only 50 % are the same as the week before'],
    ]);
    // For the values that were asked for, both weeks answer the same question; for the others there is no figure.
    expect(await shown(['chatgpt', 'perplexity'])).toEqual([
      [BEFORE, null],
      [NOW, null],
    ]);
    const gemini = await answers('citation-share', { ...values, assistant: ['gemini'], branded: null });
    expect(gemini.find(({ week }) => week === NOW) ?? { percent: null }).toMatchObject({ percent: null });
    const second = jobOf({ dataset: job.dataset, accountId: job.accountId });
    await loadAskedWeeks(ledger.pool, second, [{ week: NOW, filters: { ai_search_engines: ['gemini'] }, rows: [cited('gemini')] }]);
    const [, now = []] = await shown(BOTH);
    expect(now).toEqual([NOW, null]);
  });

  it('a rate over both is a gap where brands of one were not asked for, and no zero', async () => {
    const responses = jobOf({ dataset: datasetNamed('ai_search_response') });
    const brands = jobOf({ dataset: datasetNamed('ai_search_brands'), accountId: responses.accountId });
    const ofUs = { brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' };
    await loadAskedWeeks(ledger.pool, responses, [{ week: NOW, rows: BOTH.map((name) => prompt(name)) }]);
    const values = await loadAskedWeeks(ledger.pool, brands, [
      { week: NOW, filters: { ai_search_engines: ['chatgpt'] }, rows: [prompt('chatgpt', ofUs)] },
    ]);
    const rates = await answers('mention-rate', { ...values, assistant: BOTH, branded: null });
    expect(rates.map(({ assistant, percent, reason }) => [assistant, percent, reason])).toEqual([
      ['chatgpt', '100.0', null],
      ['gemini', null, 'our brands were not asked for, or meet no answer'],
    ]);
    const home = asksOf(() => ledger.pool, 'home');
    const [tile] = await home('mention-rate', { ...values, assistant: BOTH, branded: null, compare: 'week' });
    expect(tile).toMatchObject({ figure: '100.0', reason: expect.stringContaining('left out: our brands were not asked for') });
  });
});

describe('competitors that are chosen beside those of the jobs file', () => {
  const result = (root_domain: string, place: number): WireValues => ({
    ...search('a', 'US', 'DESKTOP'),
    root_domain,
    rank_standard: String(place),
  });
  const sites = Array.from({ length: 12 }, (_, at) => `site${String(at).padStart(2, '0')}.example`);

  it('have their lines in market shares, also where they are not among the leading sites, or not seen in the newest week', async () => {
    const job = jobOf();
    const values = await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, rows: [result('gone.example', 1)] },
      { week: NOW, rows: [...sites.map((site, at) => result(site, at + 1)), result(sites[0] ?? '', 13)] },
    ]);
    const sharesOf = async (competitor: string[] | null) => {
      const rows = await rankings('market-share', { ...values, top_n: '20', competitor });
      return rows.filter(({ week }) => week === NOW).map(({ site, share }) => [site, share]);
    };
    const before = await sharesOf(null);
    expect(before.map(([site]) => site)).toEqual(sites.slice(0, 10));
    expect(await sharesOf(['gone.example', 'site00.example', 'site11.example'])).toEqual([
      ['gone.example', '0.00'],
      ['site11.example', '5.00'],
      ...before,
    ]);
    const served = await serveDashboards(ledger.url);
    try {
      const get = async (board: string, query: string) => {
        const answer = await fetch(`${served.url}/boards/${board}?account=${values.account}&${query}`);
        return [answer.status, await answer.text()] as const;
      };
      const [status, text] = await get('rankings', 'competitor=site11.example&competitor=gone.example');
      expect(status).toBe(200);
      expect(text).toContain('name="competitor" value="site11.example" checked');
      expect(text).toMatch(/href="\/boards\/ai-visibility\?[^"]*competitor=gone.example&amp;competitor=site11.example/);
      // Competitors do not filter rows.
      expect(text).not.toContain('regardless of: Competitors');
      expect(await get('rankings', 'competitor=nobody.example')).toEqual([
        400,
        expect.stringContaining('competitor: nobody.example is unknown'),
      ]);
    } finally {
      await served.close();
    }
  });

  it('are named where an assistant cites them rather than us, also where citations attribute nothing to competitors', async () => {
    const responses = jobOf({ dataset: datasetNamed('ai_search_response') });
    const { accountId } = responses;
    const prompt = { ai_search_engine: 'chatgpt', locode: 'US', language: 'en_US', topic: 'shoes', prompt: 'best shoes' };
    const cited = (citation_domain: string): WireValues => ({ ...prompt, citation_domain, citation_attribution: 'Other' });
    await loadAskedWeeks(ledger.pool, responses, [{ week: NOW, rows: [prompt] }]);
    await loadAskedWeeks(ledger.pool, jobOf({ dataset: datasetNamed('ai_search_brands'), accountId }), [
      { week: NOW, rows: [{ ...prompt, brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' }] },
    ]);
    const values = await loadAskedWeeks(ledger.pool, jobOf({ dataset: datasetNamed('ai_search_citations'), accountId }), [
      {
        week: NOW,
        rows: ['magazine.example', 'magazine.example', 'rival.example', 'other.example'].map((domain, page) => ({
          ...cited(domain),
          citation_url: `https://${domain}/${page}`,
        })),
      },
    ]);
    const best = async (competitor: string[] | null) => {
      const [row] = await answers('topic-gap', { ...values, branded: null, competitor });
      return [row?.best_competitor, row?.competitor_citation_percent];
    };
    expect(await best(null)).toEqual([null, null]);
    expect(await best(['rival.example'])).toEqual(['rival.example', '25.0']);
    // A competitor of the jobs file stays one.
    await insertCompetitors(ledger.pool, accountId, 'magazine.example');
    expect(await best(['rival.example'])).toEqual(['magazine.example', '50.0']);
  });
});

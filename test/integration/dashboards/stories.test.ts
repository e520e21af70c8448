// The stories of the demo, each with the news that Home must tell, and the false ones that it must not. Amounts are computed a second time from the
// rows that the sandbox serves.
import { beforeAll, describe, expect, it } from 'vitest';
import type { StoryName } from '../../../sandbox/world/stories.ts';
import { type IsoDate, weeksFromTo } from '../../../src/core/weeks.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { headlineOf } from '../../../src/dashboards/headline.ts';
import { inSnapshot, runPanel } from '../../../src/dashboards/run-panels.ts';
import { useLedger } from '../../support/ledger.ts';
import { asksOf, type PanelRow, USUAL } from '../../support/panels.ts';
import { SEARCH } from '../../support/second-facts.ts';
import { isOurs, isUnbranded, keyOf, OURS, PROMPT, unitOf } from '../../support/story-units.ts';
import { type LoadedStory, loadStory, type StoryRow } from '../../support/story-worlds.ts';

const ledger = useLedger({ keepsInvariants: false });
const ask = asksOf(() => ledger.pool, 'home');
const home = readBoards().find(({ name }) => name === 'home');

/** A story with its weeks loaded, from beforeAll on, and what Home tells of one of them against the week before. */
function useStory(story: StoryName, first: IsoDate, last: IsoDate) {
  let loaded: LoadedStory;
  beforeAll(async () => {
    loaded = await loadStory(ledger.pool, story, weeksFromTo(first, last));
  });
  const valuesIn = (week: IsoDate) => ({ ...USUAL, account: loaded.account, branded: 'unbranded', weeks: `${first}..${week}` });
  return {
    rowsOf: (dataset: string, week: IsoDate) => loaded.rowsOf(dataset, week),
    newsOf: (week: IsoDate, kind = 'unbranded') => ask('news', { ...valuesIn(week), branded: kind }),
    tileOf: async (tile: string, week: IsoDate) => (await ask(tile, valuesIn(week))).at(-1),
    async sentencesOf(week: IsoDate): Promise<string[]> {
      const shown = await inSnapshot(ledger.pool, async (client) => {
        const results = [];
        for (const panel of home?.panels ?? []) results.push({ panel, result: await runPanel(client, panel, valuesIn(week)) });
        return results;
      });
      return headlineOf(shown).map(({ text }) => text);
    },
  };
}

const named = (news: readonly PanelRow[], what: string): PanelRow | undefined => news.find((row) => row.what === what);
const total = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);

const AI = ['ai_search_response', 'ai_search_brands', 'ai_search_citations', 'ai_search_sentiments'];

/** The tracked prompts of a week that any dataset of AI search has. */
const knownIn = (story: Pick<LoadedStory, 'rowsOf'>, week: IsoDate): ReadonlySet<string> =>
  new Set(AI.flatMap((dataset) => story.rowsOf(dataset, week).map(unitOf)));

type Search = { query: string; volume: number; places: number };

/** By search: its volume and how many of the first ten places are ours. */
function searchesOf(rows: readonly StoryRow[]): ReadonlyMap<string, Search> {
  const searches = new Map<string, Search>();
  for (const row of rows) {
    const key = keyOf(row, SEARCH);
    const search = searches.get(key) ?? { query: row.query ?? '', volume: Number(row.average_search_volume), places: 0 };
    if (OURS.includes(row.root_domain ?? '') && row.rank_standard !== null && Number(row.rank_standard) <= 10) search.places += 1;
    searches.set(key, search);
  }
  return searches;
}

/** What each keyword adds to visibility between two weeks of the same searches, by places and not by volumes, in points. */
function changesOfKeywords(before: readonly StoryRow[], now: readonly StoryRow[]): ReadonlyMap<string, number> {
  const [then, today] = [searchesOf(before), searchesOf(now)];
  const [volumeThen, volumeNow] = [then, today].map((of) => total([...of.values()].map(({ volume }) => volume)));
  const changes = new Map<string, number>();
  for (const [key, search] of today) {
    const was = then.get(key);
    if (!was) throw new Error(`${key} is new`);
    const weight = (was.volume / (volumeThen ?? 1) + search.volume / (volumeNow ?? 1)) / 2;
    changes.set(search.query, (changes.get(search.query) ?? 0) + 100 * weight * ((search.places - was.places) / 10));
  }
  return changes;
}

describe('the incident', () => {
  const [BEFORE, BAD, AFTER, BACK] = ['2026-10-04', '2026-10-11', '2026-10-18', '2026-11-01'] as const;
  const story = useStory('incident', BEFORE, BACK);

  it('is told in its week: what was lost by the keywords that lost most, to the digit, and that it is more than chance', async () => {
    const changes = changesOfKeywords(story.rowsOf('keyword_rankings', BEFORE), story.rowsOf('keyword_rankings', BAD));
    const lost = [...changes].filter(([, change]) => change < 0).toSorted((a, b) => a[1] - b[1]);
    const news = named(await story.newsOf(BAD), 'Searches lost');
    expect(news).toMatchObject({ measure: 'visibility', reading: 'less' });
    expect(Number(news?.points)).toBeCloseTo(total(lost.map(([, change]) => change)), 3);
    expect(Number(news?.points)).toBeLessThan(-4);
    const most = lost.slice(0, 3).map(([query, change]) => `“${query}” (−${Math.abs(change).toFixed(2)})`);
    expect(news?.details).toContain(`${lost.length} keywords lost first places: ${most.join(', ')} and ${lost.length - 3} others`);
  });

  it('is told by every assistant that stopped naming us, and by the pages that are cited no more', async () => {
    const news = await story.newsOf(BAD);
    for (const assistant of ['chatgpt', 'gemini', 'google_ai_overview', 'perplexity'])
      expect(named(news, `Prompts lost: ${assistant}`)).toMatchObject({ measure: 'mention_rate', reading: 'less' });
    expect(named(news, 'Pages cited no more')).toMatchObject({ measure: 'citation_share', reading: 'less' });
  });

  /** Negative mentions of ours and all that have a sentiment, of each assistant and of all (''), of branded prompts that both weeks have. */
  function criticismIn(week: IsoDate): ReadonlyMap<string, { negative: number; mentions: number }> {
    const known = [BAD, AFTER].map((each) => knownIn(story, each));
    const ours = story.rowsOf('ai_search_brands', BEFORE).filter(isOurs);
    const names = new Set(ours.map((row) => row.brand_or_product_name?.toLowerCase()));
    const sums = new Map<string, { negative: number; mentions: number }>();
    for (const row of story.rowsOf('ai_search_sentiments', week)) {
      const value = row.sentiment_value?.toLowerCase() ?? '';
      const isMeant = !isUnbranded(row) && names.has(row.sentiment_brand?.toLowerCase()) && /^(positive|neutral|negative)$/.test(value);
      if (!isMeant || !known.every((units) => units.has(unitOf(row)))) continue;
      for (const assistant of ['', unitOf(row).split('|')[0] ?? '']) {
        const sum = sums.get(assistant) ?? { negative: 0, mentions: 0 };
        sums.set(assistant, { negative: sum.negative + Number(value === 'negative'), mentions: sum.mentions + 1 });
      }
    }
    return sums;
  }

  it('is told of criticism by what the branded prompts of an assistant add to that of all, to the digit', async () => {
    const [bad, after] = [criticismIn(BAD), criticismIn(AFTER)];
    const [allBad, allAfter] = [bad.get(''), after.get('')];
    const told = (await story.newsOf(AFTER, 'branded')).filter(({ measure }) => measure === 'criticism');
    expect(told.length).toBeGreaterThan(0);
    for (const { assistant, points, details } of told) {
      const [a, b] = [bad.get(assistant ?? ''), after.get(assistant ?? '')];
      if (!allBad || !allAfter || !a || !b) throw new Error(`${assistant} is not in both weeks`);
      const mean = (allBad.negative / allBad.mentions + allAfter.negative / allAfter.mentions) / 2;
      const [share, shareBefore] = [b.mentions / allAfter.mentions, a.mentions / allBad.mentions];
      const adds = b.negative / allAfter.mentions - a.negative / allBad.mentions - mean * (share - shareBefore);
      expect(Number(points)).toBeCloseTo(100 * adds, 2);
      const own = 100 * (b.negative / b.mentions - a.negative / a.mentions);
      expect(details).toContain(`, ${Math.abs(own).toFixed(1)} points ${own > 0 ? 'more' : 'less'}`);
    }
  });

  it('has no false news: nothing is told to be back, nor the week to be quiet', async () => {
    const sentences = await story.sentencesOf(BAD);
    expect(sentences.filter((text) => /back at|find us; before the fall|quiet week/i.test(text))).toEqual([]);
  });

  it('is told to be over in the week in which most of it is made up for, and not before', async () => {
    const backIn = async (week: IsoDate) => (await story.newsOf(week)).filter(({ what }) => what?.startsWith('Back:'));
    expect(await backIn('2026-10-18')).toEqual([]);
    const back = await backIn(BACK);
    expect(back.map(({ what }) => what)).toContain('Back: Visibility');
    for (const row of back) {
      expect(row.details).toContain(`before the fall in the week of ${BAD}`);
      expect(Number(row.points)).toBeGreaterThan(0);
    }
  });
});

describe('the assistants', () => {
  const [BEFORE, NOW] = ['2026-11-08', '2026-11-15'] as const;
  const story = useStory('assistant', BEFORE, NOW);

  function unitsOf(dataset: string, week: IsoDate, isMeant: (row: StoryRow) => boolean = () => true): ReadonlySet<string> {
    return new Set(
      story
        .rowsOf(dataset, week)
        .filter((row) => isUnbranded(row) && isMeant(row))
        .map(unitOf),
    );
  }

  /** What is known of the prompts that both weeks have: those answered, and those whose answers name us. */
  function keptIn(week: IsoDate) {
    const known = [BEFORE, NOW].map((each) => knownIn(story, each));
    const answered = [...unitsOf('ai_search_response', week)].filter((unit) => known.every((units) => units.has(unit)));
    const naming = unitsOf('ai_search_brands', week, isOurs);
    return { answered, naming: new Set(answered.filter((unit) => naming.has(unit))) };
  }

  /** How many prompts began and stopped, and what each of them is of the mention rate, in points. */
  function movedOf(assistant: string): Record<'began' | 'stopped' | 'each', number> {
    const [then, now] = [keptIn(BEFORE), keptIn(NOW)];
    const both = now.answered.filter((unit) => then.answered.includes(unit) && unit.startsWith(`${assistant}|`));
    return {
      began: both.filter((unit) => now.naming.has(unit) && !then.naming.has(unit)).length,
      stopped: both.filter((unit) => then.naming.has(unit) && !now.naming.has(unit)).length,
      each: (100 / then.answered.length + 100 / now.answered.length) / 2,
    };
  }

  it('are told: one stopped naming us and another began, with the number of prompts and the points, to the digit', async () => {
    const news = await story.newsOf(NOW);
    for (const [assistant, what, sign, reading] of [
      ['perplexity', 'stopped', -1, 'less'],
      ['gemini', 'began', 1, 'more'],
    ] as const) {
      const moved = movedOf(assistant);
      const told = named(news, `Prompts ${sign > 0 ? 'won' : 'lost'}: ${assistant}`);
      expect(told).toMatchObject({ measure: 'mention_rate', assistant, reading });
      expect(told?.details).toMatch(`${assistant} ${what} naming us in answers to ${moved[what]} prompts: “`);
      expect(Number(told?.points)).toBeCloseTo(sign * moved.each * moved[what], 2);
    }
    expect(news.slice(0, 2).map(({ assistant }) => assistant)).toEqual(['perplexity', 'gemini']);
  });

  it('have no false news: of other assistants and of searches nothing is told to be more than chance, and nothing of an incident', async () => {
    const news = await story.newsOf(NOW);
    const others = news.filter(({ assistant }) => !['perplexity', 'gemini'].includes(assistant ?? ''));
    expect(others.filter(({ reading }) => reading === 'more' || reading === 'less')).toEqual([]);
    expect(news.filter(({ what }) => what?.startsWith('Back:'))).toEqual([]);
    for (const tile of ['visibility', 'first-three', 'citing-rate']) expect((await story.tileOf(tile, NOW))?.reading).toBe('within noise');
  });
});

describe('the growth', () => {
  const [BEFORE, NOW] = ['2026-11-08', '2026-11-15'] as const;
  const story = useStory('growth', BEFORE, NOW);

  it('is a third more, and of the old ones every answer and place is as before', () => {
    const queries = (week: IsoDate) => new Set(story.rowsOf('keyword_rankings', week).map((row) => keyOf(row, SEARCH))).size;
    expect(queries(NOW)).toBe((queries(BEFORE) * 4) / 3);
    const prompts = (week: IsoDate) => new Set(story.rowsOf('ai_search_brands', week).map((row) => keyOf(row, PROMPT)));
    expect([...prompts(BEFORE)].filter((key) => !prompts(NOW).has(key))).toEqual([]);
  });

  it('is told as what was added: the figures rise, and like for like is 0', async () => {
    for (const tile of ['visibility', 'first-three', 'mention-rate']) {
      const { figure, before, change, added } = (await story.tileOf(tile, NOW)) ?? {};
      expect(Number(figure)).toBeGreaterThan(1.1 * Number(before));
      expect(Number(change)).toBe(0);
      expect(Number(added)).toBeCloseTo(Number(figure) - Number(before), 1);
    }
  });

  it('has no news of a rise: nothing was won or lost, and Home says so', async () => {
    expect(await story.newsOf(NOW)).toEqual([]);
    const sentences = await story.sentencesOf(NOW);
    expect(sentences[0]).toMatch(/^A quiet week/);
    expect(sentences.filter((text) => /won|began|more often|newly|back at/.test(text))).toEqual([]);
    const { added } = (await story.tileOf('visibility', NOW)) ?? {};
    expect(sentences[1]).toContain(
      `Searches or prompts that were added or dropped since the week of ${BEFORE} move visibility by +${added}, `,
    );
  });
});

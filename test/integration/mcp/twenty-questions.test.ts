// Twenty questions of an analyst, each answered by the tools in at most three calls. Answers are computed a second time from the rows that the sandbox
// serves for the story in which one assistant stops naming us and another begins.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareText } from '../../../src/core/compare-text.ts';
import type { IsoDate } from '../../../src/core/weeks.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import type { OpsServer } from '../../../src/ops/server.ts';
import { serveAssistants } from '../../support/assistant-server.ts';
import { useLedger } from '../../support/ledger.ts';
import { isOurs, isUnbranded, keyOf, OURS, unitOf } from '../../support/story-units.ts';
import { type LoadedStory, loadStory, type StoryRow } from '../../support/story-worlds.ts';

const PASSWORD = 'open sesame';
const [BEFORE, NOW] = ['2026-11-08', '2026-11-15'] as const;
const LOADED = 5;

const ledger = useLedger({ keepsInvariants: false });
let story: LoadedStory;
let server: OpsServer;
let client: Client;

beforeAll(async () => {
  story = await loadStory(ledger.pool, 'assistant', [BEFORE, NOW]);
  server = await serveAssistants(ledger.url, '127.0.0.1', PASSWORD);
  client = new Client({ name: 'analyst', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${PASSWORD}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit }));
});
afterAll(async () => {
  await client.close();
  await server.close();
});

type Told = Readonly<Record<string, unknown>>;
type Call = (tool: string, given?: Told) => Promise<Told>;

/** A question, with how it is asked of the tools and what must come. */
function question(text: string, ask: (call: Call) => Promise<void>): void {
  it(text, async () => {
    let calls = 0;
    await ask(async (name, given = {}) => {
      calls += 1;
      const { content, isError } = await client.callTool({ name, arguments: given });
      const told = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      expect(isError, told).toBeFalsy();
      expect(told.length).toBeLessThanOrEqual(8_000);
      const facts = JSON.parse(/\nBEGIN DATA ([0-9a-f]{18})\n([^\n]*)\nEND DATA \1$/.exec(told)?.[2] ?? '{}') as Told;
      expect(facts).toMatchObject({ means: expect.stringMatching(/^\S.{10,}$/), link: expect.stringMatching(/^\//) });
      const page = await fetch(new URL(String(facts.link), server.url), { headers: { authorization: `Basic ${btoa(`x:${PASSWORD}`)}` } });
      expect(page.status, String(facts.link)).toBe(200);
      return facts;
    });
    expect(calls).toBeLessThanOrEqual(3);
  });
}

const rowsIn = (dataset: string, week: IsoDate = NOW): readonly StoryRow[] => story.rowsOf(dataset, week);
const distinct = (rows: readonly StoryRow[], column: string): string[] =>
  [...new Set(rows.map((row) => String(row[column])))].sort(compareText);
const listOf = (facts: Told, name = 'list'): readonly Told[] => facts[name] as readonly Told[];
const namesOf = (facts: Told): string[] => listOf(facts).map(({ name }) => String(name));
const account = (): Told => ({ account: story.account });

/** Answers of an assistant to unbranded prompts, and those that name us. */
function namingOf(assistant: string, week: IsoDate): Readonly<{ answers: number; naming: number }> {
  const units = (dataset: string, isMeant: (row: StoryRow) => boolean = () => true): string[] =>
    rowsIn(dataset, week)
      .filter((row) => isUnbranded(row) && isMeant(row))
      .map(unitOf)
      .filter((unit) => unit.startsWith(`${assistant}|`));
  const answered = new Set(units('ai_search_response'));
  return { answers: answered.size, naming: new Set(units('ai_search_brands', isOurs).filter((unit) => answered.has(unit))).size };
}

const SEARCH = ['query', 'search_engine', 'search_engine_country_code', 'device', 'locode', 'web_property_id'];

/** Our best place by search; null for one without a result of ours in the list. */
function placesIn(week: IsoDate): ReadonlyMap<string, number | null> {
  const places = new Map<string, number | null>();
  for (const row of rowsIn('keyword_rankings', week)) {
    const [key, best = null] = [keyOf(row, SEARCH), places.get(keyOf(row, SEARCH))];
    const isPlaced = OURS.includes(row.root_domain ?? '') && row.rank_standard !== null;
    const place = isPlaced ? Number(row.rank_standard) : null;
    places.set(key, place === null || (best !== null && best < place) ? best : place);
  }
  return places;
}

/** A keyword with which we are found, whatever else it is tracked with. */
function foundKeyword(): string {
  const [key = ''] = [...placesIn(NOW)].find(([, place]) => place !== null) ?? [];
  return key.split('|')[0] ?? '';
}

/** The places of a search, by what it is tracked with. */
function placesOf(keyword: string, week: IsoDate): Readonly<Record<string, number | null>> {
  const own = [...placesIn(week)].filter(([key]) => key.startsWith(`${keyword}|`));
  return Object.fromEntries(own.map(([key, place]) => [key.slice(keyword.length + 1), place]));
}

const WAY = ['engine', 'country', 'device', 'locode', 'webProperty'];
const wayOf = (row: Told): string => WAY.map((name) => row[name] ?? null).join('|');
const historyOf = (facts: Told, week: IsoDate): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    listOf(facts, 'weeks')
      .filter((row) => row.week === week)
      .map((row) => [wayOf(row), row.place]),
  );

describe('what there is', () => {
  question('1. Which accounts do we have?', async (call) => {
    expect(listOf(await call('list_boards'), 'accounts')).toEqual([{ account: story.account, isConfigured: true }]);
  });

  question('2. Where can I read how assistants speak of us?', async (call) => {
    const boards = listOf(await call('list_boards'), 'boards');
    expect(boards.find(({ name }) => name === 'ai-visibility')?.panels).toContain('mention-rate');
    const panels = listOf(await call('list_boards', { board: 'ai-visibility' }), 'panels');
    expect(panels.find(({ name }) => name === 'mention-rate')?.question).toMatch(/assistants name one of our brands/);
  });

  question('3. Which prompts do we track?', async (call) => {
    const names: string[] = [];
    let next: Told | undefined = {};
    while (next) {
      const facts: Told = await call('list_tracked', { ...account(), kind: 'prompts', ...next });
      names.push(...namesOf(facts));
      next = facts.next as Told | undefined;
    }
    expect(names.sort(compareText)).toEqual(distinct(rowsIn('ai_search_response'), 'prompt'));
  });

  question('4. Which assistants are asked?', async (call) => {
    const facts = await call('list_tracked', { ...account(), kind: 'assistants' });
    expect(namesOf(facts)).toEqual(distinct(rowsIn('ai_search_response'), 'ai_search_engine'));
  });

  question('5. In which countries and on which devices do we look?', async (call) => {
    for (const [kind, column] of [
      ['countries', 'search_engine_country_code'],
      ['devices', 'device'],
    ] as const)
      expect(namesOf(await call('list_tracked', { ...account(), kind }))).toEqual(distinct(rowsIn('keyword_rankings'), column));
  });

  question('6. How many keywords do we track?', async (call) => {
    const { names } = await call('list_tracked', { ...account(), kind: 'searches' });
    expect(names).toBe(distinct(rowsIn('keyword_rankings'), 'query').length);
  });

  question('7. Which tracked keywords have a word?', async (call) => {
    const [word = ''] = foundKeyword().split(' ').reverse();
    const { list, names } = await call('list_tracked', { ...account(), kind: 'searches', contains: word.toUpperCase() });
    const having = distinct(rowsIn('keyword_rankings'), 'query').filter((query) => query.includes(word));
    expect(names).toBe(having.length);
    expect((list as Told[]).length).toBeGreaterThan(0);
  });

  question('8. Is a keyword tracked, and where is its board?', async (call) => {
    const keyword = foundKeyword();
    const [first] = listOf(await call('find', { ...account(), text: keyword.toUpperCase() }));
    expect(first).toMatchObject({ kind: 'keyword', name: keyword, link: expect.stringMatching(/^\/boards\/search\?/) });
  });
});

describe('searches', () => {
  question('9. Where do we stand for a keyword, by engine, country and device?', async (call) => {
    const keyword = foundKeyword();
    const facts = await call('search_history', { ...account(), search: keyword, weeks: 1 });
    expect(historyOf(facts, NOW)).toEqual(placesOf(keyword, NOW));
  });

  question('10. Where did we stand the week before?', async (call) => {
    const keyword = foundKeyword();
    const facts = await call('search_history', { ...account(), search: keyword.toUpperCase(), weeks: '2' });
    expect(historyOf(facts, BEFORE)).toEqual(placesOf(keyword, BEFORE));
  });

  question('11. Which searches do we win or lose, with any place?', async (call) => {
    const panel = { board: 'rankings', panel: 'new-and-lost', variables: account() };
    const found: string[] = [];
    let next: Told | undefined = {};
    while (next) {
      const facts: Told = await call('run_panel', { ...panel, ...next });
      found.push(...listOf(facts, 'rows').flatMap(({ query }) => (query === null ? [] : String(query))));
      next = facts.next as Told | undefined;
    }
    const [then, now] = [placesIn(BEFORE), placesIn(NOW)];
    const changed = [...now].filter(([key, place]) => then.has(key) && (place === null) !== (then.get(key) === null));
    expect(found.sort(compareText)).toEqual(changed.map(([key]) => key.split('|')[0] ?? '').sort(compareText));
  });

  question('12. Did our visibility in search change by more than chance?', async (call) => {
    const { reading, steps } = await call('explain_change', { ...account(), measure: 'visibility' });
    expect(reading).toBe('within noise');
    expect((steps as Told[]).filter(({ kind }) => kind === 'level').map(({ step }) => step)).toEqual([
      `Week of ${BEFORE}`,
      `Week of ${NOW}`,
    ]);
  });
});

describe('assistants', () => {
  question('13. How often does each assistant name us, of how many answers?', async (call) => {
    const facts = await call('run_panel', { board: 'ai-visibility', panel: 'mention-rate', variables: { ...account(), weeks: 1 } });
    const shown = listOf(facts, 'rows').map(({ assistant, answers, answers_naming_us: naming }) => [assistant, { answers, naming }]);
    const assistants = distinct(rowsIn('ai_search_response'), 'ai_search_engine');
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(assistants.map((each) => [each, namingOf(each, NOW)])));
    expect(facts.why).toMatch(/^\/boards\/why\?.*measure=mention_rate/);
  });

  question('14. What is the news of the week?', async (call) => {
    const facts = await call('run_panel', { board: 'home', panel: 'news', variables: account() });
    const told = listOf(facts, 'rows').filter(({ reading }) => reading === 'more' || reading === 'less');
    expect(told.map(({ assistant, reading }) => [assistant, reading])).toEqual([
      ['perplexity', 'less'],
      ['gemini', 'more'],
    ]);
  });

  question('15. Why does an assistant name us less, and is it chance?', async (call) => {
    const given = { ...account(), measure: 'mention rate', week: NOW, variables: { assistant: 'perplexity' } };
    const facts = await call('explain_change', given);
    expect(facts).toMatchObject({ reading: 'less', unit: '%', better: 'higher' });
    const steps = facts.steps as readonly { kind: string; amount: number }[];
    const [before, now] = steps.filter(({ kind }) => kind === 'level').map(({ amount }) => amount);
    for (const [level, week] of [[before, BEFORE] as const, [now, NOW] as const]) {
      const { naming, answers } = namingOf('perplexity', week);
      expect(level).toBeCloseTo((100 * naming) / answers, 2);
    }
    const led = steps.filter(({ kind }) => kind !== 'level').reduce((sum, { amount }) => sum + amount, 0);
    expect(led).toBeCloseTo((now ?? 0) - (before ?? 0), 6);
    const lost = listOf(facts, 'parts').filter(({ contribution }) => Number(contribution) < 0);
    expect(distinct(rowsIn('ai_search_response'), 'prompt')).toEqual(expect.arrayContaining([lost[0]?.name]));
  });

  question('16. What exactly did an assistant answer to a prompt?', async (call) => {
    const row = rowsIn('ai_search_response').find(({ ai_search_engine: assistant }) => assistant === 'gemini');
    const facts = await call('get_answers', { ...account(), assistant: 'GEMINI', prompt_contains: row?.prompt ?? '' });
    const told = listOf(facts, 'answers').map(({ answer }) => answer);
    expect(told).toContain(row?.ai_response);
  });

  question('17. Which page of ours do assistants cite most, and how often?', async (call) => {
    const panel = { board: 'ai-visibility', panel: 'cited-pages-ours', variables: { ...account(), branded: '' } };
    const [most] = listOf(await call('run_panel', panel), 'rows');
    const bare = (url: string | null | undefined): string => (url ?? '').replace(/^https?:\/\/(www\.)?|[?#].*$/g, '').replace(/\/$/, '');
    const times = new Map<string, number>();
    // A row that is sent twice counts once.
    for (const sent of new Set(rowsIn('ai_search_citations').map((row) => JSON.stringify(row)))) {
      const { citation_domain: domain, citation_attribution: whose, citation_url: url } = JSON.parse(sent) as StoryRow;
      if (whose?.toLowerCase() === 'you' || OURS.includes(domain ?? '')) times.set(bare(url), (times.get(bare(url)) ?? 0) + 1);
    }
    expect(most?.citations).toBe(Math.max(...times.values()));
    expect(times.get(bare(String(most?.url)))).toBe(most?.citations);
  });
});

describe('what the figures stand on', () => {
  question('18. How is the mention rate computed, from what, and how sure is it?', async (call) => {
    const given = { board: 'ai-visibility', panel: 'mention-rate', variables: { ...account(), weeks: 2 }, week: NOW };
    const facts = await call('explain_figure', given);
    expect(facts).toMatchObject({ formula: expect.stringContaining('divided by all answers'), gaps: [] });
    expect(listOf(facts, 'asked').map(({ dataset }) => dataset)).toEqual(
      expect.arrayContaining(['ai_search_response', 'ai_search_brands']),
    );
    expect(facts.nColumns).toEqual(expect.arrayContaining(['answers', 'answers_naming_us']));
    for (const row of listOf(facts, 'rows')) expect(Number(row.low)).toBeLessThanOrEqual(Number(row.high));
  });

  question('19. Is the newest week whole, and what came since I last looked?', async (call) => {
    const weeks = listOf(await call('coverage', { weeks: 1 }), 'weeks');
    expect(weeks.map(({ state, week }) => `${state} ${week}`)).toEqual(Array(LOADED).fill(`published ${NOW}`));
    const { cursor, changes } = await call('what_changed', account());
    expect((changes as Told[]).filter(({ kind }) => kind === 'published')).toHaveLength(2 * LOADED);
    expect((await call('what_changed', { ...account(), after_cursor: cursor })).changes).toEqual([]);
  });

  question('20. Does anyone need to act?', async (call) => {
    const { verdict, weeks, problems } = await call('status');
    expect(weeks).toMatchObject({ published: 2 * LOADED });
    expect(verdict).toEqual(expect.any(String));
    expect(problems).toEqual(expect.any(Number));
  });
});

it('has the datasets that the questions are about', () => {
  expect(DATASETS.filter(({ name }) => rowsIn(name).length > 0)).toHaveLength(LOADED);
});

// The board of one prompt by what kind of prompt was answered: personas, intents and prompt groups, several of each.
import { beforeAll, expect, it } from 'vitest';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { chooseValues, type Query } from '../../../src/dashboards/board-view.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { inSnapshot } from '../../../src/dashboards/run-panels.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const ask = asksOf(() => ledger.pool, 'prompt');
const accountId = 4712;
const PROMPT = 'Which tent?';
const HIKER = { prompt: PROMPT, persona: 'Hiker', intent: 'Commercial', prompt_group_names: 'Core, Gear' };
const PARENT = { prompt: PROMPT, persona: 'Parent', intent: 'Informational', prompt_group_names: 'Gear' };
const NOBODY = { prompt: 'Which stove?', intent: 'Commercial' };
const values = { account: String(accountId), prompt: PROMPT, week: WEEK.start, before: null, weeks: '13' };

beforeAll(async () => {
  const load = async (dataset: Parameters<typeof datasetNamed>[0], rows: readonly Record<string, string>[]) => {
    const job = jobOf({ dataset: datasetNamed(dataset), accountId });
    const wire = rows.map((row) =>
      wireRow(job, { ai_search_engine: 'chatgpt', prompt_type: 'unbranded', locode: 'US', language: 'en_US', ...row }, WEEK.start),
    );
    await loadWindow(ledger.pool, job, wire, windowOfWeeks(WEEK.start, 1));
  };
  const of = (name: string, ...kinds: readonly Readonly<Record<string, string>>[]) =>
    kinds.map((kind, at) => ({ ...kind, [name]: `${name} ${at}` }));
  await load('ai_search_response', of('ai_response', HIKER, PARENT, NOBODY));
  await load('ai_search_brands', [{ ...HIKER, brand_or_product_name: 'Acme', brand_or_product_attribution: 'you' }]);
  await load('ai_search_citations', of('citation_url', HIKER, PARENT));
  await load('ai_search_fan_out', of('fan_out_query', HIKER, PARENT));
  await load(
    'ai_search_sentiments',
    of('sentiment_snippet', HIKER, PARENT).map((row) => ({ ...row, sentiment_brand: 'Acme', sentiment_value: 'Negative' })),
  );
  await storeReports(ledger.pool);
});

const KINDS: readonly (readonly [Values, readonly string[]])[] = [
  [{}, ['0', '1']],
  [{ persona: ['Hiker'] }, ['0']],
  [{ persona: ['Hiker', 'Parent'] }, ['0', '1']],
  [{ persona: ['Hiker'], intent: ['Informational'] }, []],
  [{ intent: ['Informational'] }, ['1']],
  [{ prompt_group: ['Core'] }, ['0']],
  [{ prompt_group: ['Core', 'Gear'] }, ['0', '1']],
  [{ prompt_group: ['(none)'] }, []],
];

it.each(KINDS)('shows for %o only the answers to such prompts', async (kinds, expected) => {
  for (const [panel, column] of [
    ['answers', 'answer'],
    ['citations', 'url'],
    ['fan-out', 'query'],
    ['sentiments', 'snippet'],
  ] as const) {
    const rows = await ask(panel, { ...values, ...kinds });
    const found = rows.flatMap((row) => row[column]?.split(' ').at(-1) ?? []).toSorted();
    expect([panel, ...found]).toEqual([panel, ...expected]);
  }
});

it('shows no row for a week whose answers to the prompt are all of other kinds', async () => {
  expect(await ask('answers', { ...values, persona: ['Hiker'], intent: ['Informational'] })).toEqual([]);
});

it('counts answers that name us among those of the kind', async () => {
  const percents = async (kinds: Values) => (await ask('named', { ...values, ...kinds })).map(({ percent, answers }) => [percent, answers]);
  expect(await percents({})).toEqual([['50.0', '2']]);
  expect(await percents({ persona: ['Hiker'] })).toEqual([['100.0', '1']]);
  expect(await percents({ prompt_group: ['Gear'], intent: ['Informational'] })).toEqual([['0.0', '1']]);
});

async function chosenBy(query: Query) {
  const board = readBoards().find(({ name }) => name === 'prompt');
  if (!board) throw new Error('there is no board of prompts');
  const { choices, faults } = await inSnapshot(ledger.pool, (client) =>
    chooseValues(client, board, { account: String(accountId), ...query }),
  );
  const offered = (name: string) => choices.find(({ variable }) => variable.name === name)?.options.map(({ value }) => value);
  return { faults, offered };
}

it('offers kinds, and prompts of those that are chosen', async () => {
  const { offered } = await chosenBy({});
  expect(offered('persona')).toEqual(['(none)', 'Hiker', 'Parent']);
  expect(offered('intent')).toEqual(['Commercial', 'Informational']);
  expect(offered('prompt_group')).toEqual(['Gear', '(none)', 'Core']);
  expect(offered('prompt')).toEqual([PROMPT, 'Which stove?']);
  expect((await chosenBy({ intent: 'Commercial' })).offered('prompt')).toEqual(['Which stove?', PROMPT]);
  expect((await chosenBy({ persona: '(none)' })).offered('prompt')).toEqual(['Which stove?']);
  expect((await chosenBy({ prompt_group: ['Core', 'Gear'] })).offered('prompt')).toEqual([PROMPT]);
});

it('reports an unknown kind', async () => {
  for (const name of ['persona', 'intent', 'prompt_group'])
    expect((await chosenBy({ [name]: 'nobody' })).faults).toMatchObject([expect.stringContaining('nobody is unknown')]);
  expect((await chosenBy({ prompt_group: 'Gear' })).faults).toEqual([]);
});

// A service that spells one engine in three ways, as its own examples do: the built program notices, says what to write, and takes it.
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Problem } from '../../../src/problems/status.ts';
import { type CommandLineResult, runCli } from '../../support/command-line.ts';
import { asksOf } from '../../support/panels.ts';
import { ensureBuilt } from '../../support/program.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';
import { findWrongWeeks } from '../../support/wrong-weeks.ts';

const NEWEST = newestWeek();
const JOBS = jobsSince(NEWEST, {
  answers: 'ai_search_response',
  brands: 'ai_search_brands',
  citations: 'ai_search_citations',
});
const LINES = ['aliases: { engine: { chatgptsearch: chatgpt } }', 'aliases: { engine: { chatgptsearch: "ChatGPT (Search)" } }'];

let stack: TestStack;
const cli = (...args: string[]): Promise<CommandLineResult> => runCli(args, { env: stack.env });
const ask = asksOf(() => stack.pool, 'ai-visibility');
const rateOf = async (assistant: string): Promise<Readonly<Record<string, string | null>> | undefined> =>
  (await ask('mention-rate', { account: '12345', weeks: '1', branded: null })).find((row) => row.assistant === assistant);
async function problems(): Promise<Problem[]> {
  const { problems: all } = JSON.parse((await cli('status', '--json')).out) as { problems: Problem[] };
  return all.filter(({ kind }) => kind === 'spellings-apart');
}

beforeAll(async () => {
  await ensureBuilt();
  const misspell = (operation: string, to: string) => ({ on: { operation }, fault: { kind: 'misspell', from: 'chatgpt', to } }) as const;
  const faults = { rules: [misspell('ai_search_response', 'chatgptsearch'), misspell('ai_search_citations', 'ChatGPT (Search)')] };
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny', faults } });
  expect((await cli('run')).code).toBe(0);
});
afterAll(() => stack.close());

it('a rate of names spelled in two ways is a gap that shows both, status and check print the aliases to add, and an alias mends it without a load', async () => {
  expect(await rateOf('chatgptsearch')).toMatchObject({
    percent: null,
    reason: `own brands have engine chatgpt, answers have chatgptsearch (if both are one: ${LINES[0]})`,
  });
  expect((await problems()).map(({ next }) => next[0]?.split('   ')[0])).toEqual(LINES);
  const check = await cli('check');
  for (const line of LINES) expect(check.out).toContain(line);

  const submits = stack.sandbox.report().submits.length;
  await writeFile(
    stack.env.SEARCHMILL_CONFIG as string,
    `${JOBS}aliases: { engine: { chatgptsearch: chatgpt, "ChatGPT (Search)": chatgpt } }\n`,
  );
  expect((await cli('run')).code).toBe(0);
  expect(stack.sandbox.report().submits).toHaveLength(submits);
  expect(await problems()).toEqual([]);
  const { percent, reason } = (await rateOf('chatgpt')) ?? {};
  expect(reason).toBeNull();
  expect(Number(percent)).toBeGreaterThan(0);
  expect(await findWrongWeeks(stack.pool, [12345], [NEWEST])).toEqual([]);
  const engines = await stack.read('SELECT DISTINCT ai_search_engine AS engine FROM search.ai_search_response');
  expect(engines.map(({ engine }) => engine)).toContain('chatgptsearch');
});

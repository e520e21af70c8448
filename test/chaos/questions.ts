// What the jobs of a run ask for: the jobs file, and how it changes while the run lasts. Everything; less; the same less in
// another case; what nobody has; and everything again.
import { writeFileSync } from 'node:fs';
import { DATASETS } from '../../src/datasets/index.ts';
import { pick } from './chance.ts';

/** Filters as the jobs file has them; the first asks for everything. */
const RANKING_FILTERS = ['{}', '{ devices: [SMARTPHONE] }', '{ devices: [smartphone] }', '{ domains: [nobody.invalid] }'] as const;
const AI_FILTERS = ['{}', '{ ai_search_engines: [chatgpt] }', '{ ai_search_engines: [ChatGPT] }', '{ topics: [no such topic] }'] as const;

/** Small pages make many checkpoints, and so many places to be killed at. */
const PAGE_SIZE = 100;

export type Questions = Readonly<{
  /** Writes the jobs file with one job changed by chance; says which and to what. */
  change(random: () => number): string;
  /** Writes the jobs file with the names of two or three jobs gone round among them; says which. */
  passNamesRound(random: () => number): string;
  /** Writes the jobs file with every job asking for everything. */
  askForEverything(): void;
}>;

export type QuestionsOptions = Readonly<{
  /** Where the jobs file is. */
  path: string;
  /** Each for one connection, at the address in the same place. */
  tokens: readonly string[];
  baseUrls: readonly string[];
  since: string;
}>;

/**
 * Writes a jobs file with all seven datasets over all credentials; the schedule fires every minute, so that the newest weeks
 * are read again.
 */
export function openQuestions({ path, tokens, baseUrls, since }: QuestionsOptions): Questions {
  const filters = new Map<string, string>();
  const names = new Map(DATASETS.map(({ name }) => [name, jobOf(name)]));
  const write = (): void => {
    const connections = tokens.map(
      (token, index) => `  c${index}: { base_url: "${baseUrls[index]}", auth: { token: ${token} }, limits: hard }`,
    );
    const jobs = DATASETS.map(
      ({ name }, index) =>
        `  - { name: ${names.get(name)}, dataset: ${name}, connection: c${index % tokens.length}, filters: ${filters.get(name) ?? '{}'} }`,
    );
    writeFileSync(
      path,
      `connections:
${connections.join('\n')}
defaults: { account_id: 12345, since: ${since}, lookback_weeks: 1, page_size: ${PAGE_SIZE}, max_submits: 100, schedule: { cron: "* * * * *", timezone: UTC } }
jobs:
${jobs.join('\n')}
`,
    );
  };
  write();
  return {
    change(random) {
      const { name } = pick(random, DATASETS);
      const asked = pick(random, name.startsWith('ai_') ? AI_FILTERS : RANKING_FILTERS);
      filters.set(name, asked);
      write();
      return `${names.get(name)} asks for ${asked}`;
    },
    passNamesRound(random) {
      const chosen = [...names.keys()].map((dataset) => ({ dataset, at: random() })).toSorted((a, b) => a.at - b.at);
      const datasets = chosen.slice(0, random() < 0.5 ? 2 : 3).map(({ dataset }) => dataset);
      const former = datasets.map((dataset) => names.get(dataset) ?? '');
      for (const [index, dataset] of datasets.entries()) names.set(dataset, former[(index + 1) % former.length] ?? '');
      write();
      return `names go round: ${datasets.map((dataset) => `${names.get(dataset)} loads ${dataset}`).join(', ')}`;
    },
    askForEverything() {
      filters.clear();
      write();
    },
  };
}

function jobOf(dataset: string): string {
  return dataset.replaceAll('_', '-');
}

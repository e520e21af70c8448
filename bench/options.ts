// The command line of npm run bench.
import { parseArgs } from 'node:util';
import type { Mode } from './support/bench.ts';
import type { Figure } from './support/figure.ts';

export type Options = Readonly<{ mode: Mode; figures: readonly Figure[]; isComplete: boolean }>;

/** What was asked for, or the text to print instead. Throws for a figure that there is not. */
export function readOptions(parameters: readonly string[], all: readonly Figure[]): Options | string {
  const { values } = parseArgs({
    args: [...parameters],
    options: { quick: { type: 'boolean', default: false }, only: { type: 'string' }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return describeUsage(all);
  const names = values.only?.split(',').map((name) => name.trim());
  const unknown = names?.filter((name) => !all.some((figure) => figure.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`there is no figure ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`);
  return {
    mode: values.quick ? 'quick' : 'full',
    figures: names ? all.filter((figure) => names.includes(figure.name)) : all,
    isComplete: names === undefined,
  };
}

function describeUsage(all: readonly Figure[]): string {
  const width = Math.max(...all.map(({ name }) => name.length));
  return `npm run bench [-- --quick] [-- --only name,name]

Measures Searchmill on this machine and compares it with other tools, in the same run. Without --quick it takes up to 20
minutes and needs 30 GB of disk. A complete run without --quick also replaces bench/results/latest.json, docs/bench.svg and
the table in docs/performance.md.

Servers: TEST_DATABASE_URL and TEST_REDIS_URL where set; else the embedded Postgres, and redis-server from the PATH.

Figures:
${all.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`).join('\n')}`;
}

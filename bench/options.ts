// The command line of npm run bench.
import { parseArgs } from 'node:util';
import type { Mode } from './support/bench.ts';
import type { NamedFigure } from './support/figure.ts';

export type Options =
  | Readonly<{ action: 'measure'; mode: Mode; figures: readonly NamedFigure[]; isWhole: boolean }>
  | Readonly<{ action: 'publish'; paths: readonly string[] }>
  | Readonly<{ action: 'help'; text: string }>;

/** The parsed options. Throws for an unknown option or figure. */
export function readOptions(parameters: readonly string[], all: readonly NamedFigure[]): Options {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      quick: { type: 'boolean' },
      only: { type: 'string' },
      peers: { type: 'boolean' },
      publish: { type: 'string', multiple: true },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return { action: 'help', text: describeUsage(all) };
  if (values.publish !== undefined) return { action: 'publish', paths: values.publish };
  const only = values.only?.split(',').map((name) => name.trim());
  const names = values.peers ? [...(only ?? []), 'peers'] : only;
  const unknown = names?.filter((name) => !all.some((figure) => figure.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`there is no figure ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`);
  return {
    action: 'measure',
    mode: values.quick ? 'quick' : 'full',
    isWhole: names === undefined,
    figures: names ? all.filter((figure) => names.includes(figure.name)) : all.filter(({ isOptIn }) => !isOptIn),
  };
}

function describeUsage(all: readonly NamedFigure[]): string {
  const width = Math.max(...all.map(({ name }) => name.length));
  return `npm run bench [-- --quick] [-- --only name,name]
npm run bench -- --peers [--quick]
npm run bench -- --publish bench/results/<run>.json [--publish <run> --publish <run>]

Measures Searchmill on this machine and compares it with other tools, in the same run. --peers compares it with
dlt, Singer and PyAirbyte, which pip installs into a folder of the user's cache. Without --quick it takes about 20
minutes and needs 30 GB of disk. The run is kept in bench/results, as JSON and as a picture; --publish makes a kept run the
one that docs/performance.md and docs/bench.svg show, or, for a run of some figures, puts their tables there. Of several runs it publishes the medians.

Servers: TEST_DATABASE_URL and TEST_REDIS_URL where set; else the embedded Postgres, and redis-server from the PATH.

Figures:
${all.map(({ name, title, isOptIn }) => `  ${name.padEnd(width)}  ${title}${isOptIn ? ' (only if named)' : ''}`).join('\n')}`;
}

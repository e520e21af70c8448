// searchmill promote: makes a column of a key of _extra.
import { Argument, InvalidArgumentError, Option } from 'commander';
import { SECOND } from '../core/clock.ts';
import { count, formatNumber } from '../core/numbers.ts';
import { DATASETS, findDataset, type KnownDataset } from '../datasets/index.ts';
import {
  fillColumn,
  makeColumn,
  PROMOTED_TYPES,
  type PromotedType,
  type Promotion,
  type PromotionProgress,
  requirePromotable,
} from '../tables/promotions.ts';
import { actorOfProcess } from './actor.ts';
import { printJson, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

const TELL_EVERY_MS = 5 * SECOND;

type Options = Readonly<{ type: PromotedType; dryRun?: boolean; force?: boolean; json?: boolean }>;

export function promoteVerb(terminal: Terminal): Verb {
  return new Verb('promote')
    .description('make a column of a key of _extra, which has columns that the service sends and the table does not know')
    .addArgument(new Argument('<dataset>', 'the table').argParser(parseDataset))
    .argument('<column>', 'the key, which becomes the name of the column')
    .addOption(new Option('--type <type>', 'type of the column').choices(PROMOTED_TYPES).default('text'))
    .option('--dry-run', 'only count the values, and show those that are none of the type')
    .option('--force', 'also if no row has the key yet')
    .option('--json', 'as JSON')
    .more(`Makes the column in the table and all its partitions, fills it in rows that are
there, week by week, and from then on in everything that is loaded. The key
stays in _extra. A value that is none of the type is NULL in the column. It may
be stopped at any moment: run it again, and it goes on. Run it as the owner of
the tables, like migrate. Loads continue meanwhile.

Examples:
  searchmill promote keyword_rankings serp_features --dry-run
  searchmill promote ai_search_brands mention_position --type bigint`)
    .action((dataset: KnownDataset, column: string, options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool, environment) => {
        const promotion = { dataset, column, type: options.type };
        const { stopping: signal } = terminal;
        const isThere = await requirePromotable(pool, promotion, { isForced: options.force === true, signal });
        const isTrial = options.dryRun === true;
        if (!isTrial && !isThere) {
          await makeColumn(requireDatabase(environment), promotion, { promotedBy: actorOfProcess().name, tell: terminal.warn });
        }
        const progress = await fillColumn(pool, promotion, { signal, isTrial, onProgress: showProgress(terminal, isTrial) });
        if (options.json) printJson(terminal, { dataset: dataset.name, column, type: options.type, isTrial, ...progress });
        else terminal.print(describe(promotion, progress, isTrial));
      }),
    );
}

function showProgress(terminal: Terminal, isTrial: boolean): (progress: PromotionProgress) => void {
  let toldAt = performance.now();
  return ({ weeks, of, rows }) => {
    if (performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    terminal.warn(`${isTrial ? 'looked at' : 'filled'} ${formatNumber(weeks)} of ${count(of, 'week')}, ${count(rows, 'row')}`);
  };
}

function describe(
  { dataset, column, type }: Promotion,
  { rows, odd, filled, weeks, examples }: PromotionProgress,
  isTrial: boolean,
): string {
  const name = `${column} of search.${dataset.name}`;
  const done = isTrial
    ? `${count(rows, 'row')} in ${count(weeks, 'week')} have a value for ${name}.`
    : `${name} is a column of type ${type}; ${count(filled, 'row')} in ${count(weeks, 'week')} were filled.`;
  if (odd === 0) return isTrial ? `${done} Each is a ${type}.` : done;
  const what = `${count(odd, 'value')} ${odd === 1 ? 'is' : 'are'} no ${type}: NULL in the column, and as sent in _extra.`;
  const where = examples.map(
    ({ account, week, key, value }) => `  account ${account}, week ${week}, _key ${key}: ${JSON.stringify(value)}`,
  );
  return [done, what, ...where].join('\n');
}

function parseDataset(name: string): KnownDataset {
  const dataset = findDataset(name);
  if (dataset) return dataset;
  throw new InvalidArgumentError(`Expected one of ${DATASETS.map((each) => each.name).join(', ')}.`);
}

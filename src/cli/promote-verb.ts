// searchmill promote: makes a column of a key of _extra, takes it back, and lists such columns.
import { Argument, InvalidArgumentError, Option } from 'commander';
import type { Environment } from '../config/settings.ts';
import { ConfigurationError } from '../core/errors.ts';
import { count, formatNumber } from '../core/numbers.ts';
import { DATASETS, findDataset, type KnownDataset } from '../datasets/index.ts';
import type { Pool } from '../postgres/pool.ts';
import { readRows } from '../postgres/statements.ts';
import { dropColumn, giveBack, requireUndoable } from '../tables/promotion-undo.ts';
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
import { paced } from './paced.ts';
import { formatTable } from './table.ts';
import { printJson, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ type: PromotedType; dryRun?: boolean; force?: boolean; undo?: boolean; json?: boolean }>;

export function promoteVerb(terminal: Terminal): Verb {
  return new Verb('promote')
    .description('make a column of a key of _extra, which has columns that the service sends and the table does not know')
    .addArgument(new Argument('[dataset]', 'the table').argParser(parseDataset))
    .argument('[column]', 'the key, which becomes the name of the column')
    .addOption(new Option('--type <type>', 'type of the column').choices(PROMOTED_TYPES).default('text'))
    .option('--dry-run', 'only count the values, and show those that are none of the type')
    .option('--force', 'also if no row has the key yet')
    .addOption(new Option('--undo', 'remove the column again; its values are in _extra').conflicts(['force']))
    .option('--json', 'as JSON')
    .more(`Makes the column in the table, all its partitions and the view with arrays,
fills it in rows that are there, week by week, and from then on in everything
that is loaded. The key stays in _extra. A value that is none of the type is
NULL in the column. It may be stopped at any moment: run it again, and it goes
on. Run it as the owner of the tables, like migrate. Loads continue meanwhile.
Without arguments it lists the columns that were promoted.

Examples:
  searchmill promote keyword_rankings serp_features --dry-run
  searchmill promote ai_search_brands mention_position --type bigint
  searchmill promote ai_search_brands mention_position --undo
  searchmill promote`)
    .action((dataset: KnownDataset | undefined, column: string | undefined, options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool, environment) => {
        const about = { terminal, pool, environment, options };
        if (dataset === undefined) return list(about);
        if (column === undefined) throw new ConfigurationError(`name the column of ${dataset.name}, too`);
        return options.undo ? undo(about, { dataset, column }) : promote(about, { dataset, column, type: options.type });
      }),
    );
}

type About = Readonly<{ terminal: Terminal; pool: Pool; environment: Environment; options: Options }>;

async function promote({ terminal, pool, environment, options }: About, promotion: Promotion): Promise<void> {
  const { stopping: signal } = terminal;
  const { dataset, column, type } = promotion;
  const isThere = await requirePromotable(pool, promotion, { isForced: options.force === true, signal });
  const isTrial = options.dryRun === true;
  if (!isTrial && !isThere) {
    await makeColumn(requireDatabase(environment), promotion, { promotedBy: actorOfProcess().name, tell: terminal.warn });
  }
  const progress = await fillColumn(pool, promotion, { signal, isTrial, onProgress: showProgress(terminal, isTrial) });
  if (options.json) printJson(terminal, { dataset: dataset.name, column, type, isTrial, ...progress });
  else terminal.print(describe(promotion, progress, isTrial));
}

async function undo({ terminal, pool, environment, options }: About, promoted: Omit<Promotion, 'type'>): Promise<void> {
  const isTrial = options.dryRun === true;
  await requireUndoable(pool, promoted);
  const { weeks, rows } = await giveBack(pool, promoted, { signal: terminal.stopping, isTrial });
  if (!isTrial) await dropColumn(requireDatabase(environment), promoted, { tell: terminal.warn });
  const { dataset, column } = promoted;
  if (options.json) return printJson(terminal, { dataset: dataset.name, column, isTrial, weeks, rows });
  const name = `${column} of search.${dataset.name}`;
  const lacking =
    rows === 0
      ? ''
      : ` ${count(rows, 'row')} in ${count(weeks, 'week')} had a value that _extra lacked${isTrial ? '' : ', and has it there now'}.`;
  terminal.print(isTrial ? `${name} can be taken back.${lacking}` : `${name} is a key of _extra again.${lacking}`);
}

async function list({ terminal, pool, options }: About): Promise<void> {
  const found = await readRows(pool, 'promotions/list');
  if (options.json) return printJson(terminal, found);
  if (found.length === 0) return terminal.print('No column was promoted.');
  const day = (at: Date): string => at.toISOString().slice(0, 10);
  const rows = found.map(({ dataset, column, type, promotedAt, promotedBy, filledAt, adoptedAt }) => [
    `search.${dataset}`,
    column,
    type,
    day(promotedAt),
    promotedBy,
    adoptedAt ? 'known by this release' : filledAt ? 'filled' : 'being filled: run it again if it was stopped',
  ]);
  terminal.print(formatTable(['table', 'column', 'type', 'since', 'by', 'state'], rows));
}

const showProgress = (terminal: Terminal, isTrial: boolean) =>
  paced(({ weeks, of, rows }: PromotionProgress) =>
    terminal.warn(`${isTrial ? 'looked at' : 'filled'} ${formatNumber(weeks)} of ${count(of, 'week')}, ${count(rows, 'row')}`),
  );

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

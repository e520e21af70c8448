// searchmill distribute, searchmill undistribute: the seven tables and their summaries over a Citus cluster, and back.
import type { Secret } from '../core/secret.ts';
import { type DistributionOptions, distributeTables, type Moved, undistributeTables } from '../tables/citus/citus.ts';
import { type GlobalOptions, printJson, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

export function distributeVerb(terminal: Terminal): Verb {
  return new Verb('distribute')
    .description('spread the tables and their summaries over the nodes of a Citus cluster, by account')
    .option('--json', 'as JSON')
    .more(`DATABASE_URL must name the coordinator; run "migrate" first. Each account's rows
go to one node. Safe to repeat: distributed tables are left alone. Loads and
readers of a table wait while its rows move. "undistribute" moves them back.

Example:
  DATABASE_URL=postgres://me:secret@coordinator/warehouse searchmill distribute`)
    .action((_: Options, command: Verb) => moveTables(terminal, command, distributeTables, 'distributed by account_id'));
}

export function undistributeVerb(terminal: Terminal): Verb {
  return new Verb('undistribute')
    .description('move the tables and their summaries back to the coordinator of a Citus cluster')
    .option('--json', 'as JSON')
    .more(`The coordinator needs room for all rows. Loads and readers of a table wait
while its rows move. Safe to repeat.

Example:
  DATABASE_URL=postgres://me:secret@coordinator/warehouse searchmill undistribute`)
    .action((_: Options, command: Verb) => moveTables(terminal, command, undistributeTables, 'on the coordinator'));
}

type Options = GlobalOptions & Readonly<{ json?: boolean }>;
type Move = (url: Secret, options: DistributionOptions) => Promise<Moved>;

function moveTables(terminal: Terminal, command: Verb, move: Move, where: string): Promise<void> {
  const { json } = command.opts<Options>();
  return withLedger(terminal, command, async (_, environment) => {
    const { moved, already } = await move(requireDatabase(environment), { tell: terminal.warn });
    if (json) return printJson(terminal, { moved, already });
    if (moved.length > 0) terminal.print(`Now ${where}: ${moved.join(', ')}.`);
    if (moved.length === 0) terminal.print(`All tables were already ${where}.`);
    else if (already.length > 0) terminal.print(`Already ${where}: ${already.join(', ')}.`);
  });
}

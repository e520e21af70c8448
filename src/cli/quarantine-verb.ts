// searchmill quarantine: rows that did not decode, kept as received.

import { count } from '../core/numbers.ts';
import { readJobs } from '../ledger/coverage.ts';
import { listQuarantine, readQuarantine, replayQuarantine } from '../publishing/quarantine.ts';
import { parseCount } from './arguments.ts';
import { requireKnownJob } from './choose-jobs.ts';
import { tabulateQuarantine } from './quarantine-table.ts';
import { formatTable } from './table.ts';
import { printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

export function quarantineVerb(terminal: Terminal): Verb {
  const list = new Verb('list')
    .description('loads with rows in quarantine')
    .argument('[job]', 'one job; default: all')
    .option('--json', 'as JSON')
    .more('Example:\n  searchmill quarantine list acme-rankings')
    .action((job: string | undefined, options: { json?: boolean }, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        if (job !== undefined) requireKnownJob(await readJobs(pool), job);
        const loads = await listQuarantine(pool, job);
        if (options.json) return printJson(terminal, { loads });
        if (loads.length === 0) return terminal.print('Quarantine is empty.');
        const rows = loads.map((load) => [
          load.executionId,
          load.job,
          `${load.windowStart}..${load.windowEnd}`,
          load.state,
          load.rows,
          load.rowsReceived,
          load.columns.join(', '),
          load.exampleReason,
        ]);
        terminal.print(formatTable(['execution', 'job', 'window', 'state', 'rows', 'of', 'columns', 'such as'], rows));
      }),
    );

  const show = new Verb('show')
    .description('the quarantined rows of a load, and why they are there')
    .argument('<execution>', 'number of the execution, as "quarantine list" shows it', parseCount)
    .option('--limit <rows>', 'most rows shown', parseCount, 20)
    .option('--json', 'as one JSON object, with the whole rows')
    .more(`A table with the place of each row, the column and its value that did not
decode, why, and the beginning of the row. --json has the rows as they came.

Examples:
  searchmill quarantine show 42 --limit 5
  searchmill quarantine show 42 --json | jq '.rows[0].row'`)
    .action((execution: number, options: { limit: number; json?: boolean }, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        // One more than shown, to see whether there are more.
        const found = await readQuarantine(pool, execution, options.limit + 1);
        const rows = found.slice(0, options.limit);
        if (options.json) {
          // Unchanged: parsing and writing it again would alter numbers that are too large for JavaScript.
          const objects = rows.map(({ raw, ...row }) => `${JSON.stringify(row).slice(0, -1)},"row":${raw}}`);
          return terminal.print(`{"execution":${execution},"rows":[${objects.join(',')}]}`);
        }
        if (rows.length === 0)
          return terminal.print(
            `Execution ${execution} has no rows in quarantine; "searchmill quarantine list" shows the loads that have some.`,
          );
        terminal.print(tabulateQuarantine(rows, terminal.width));
        if (found.length > rows.length) terminal.print(`and more; --limit ${10 * options.limit} shows more of them`);
        terminal.print(`"searchmill quarantine show ${execution} --json" has whole rows.`);
      }),
    );

  const replay = new Verb('replay')
    .description('decode the quarantined rows of a load again and add those that decode now')
    .argument('<execution>', 'number of the execution, as "quarantine list" shows it', parseCount)
    .option('--json', 'as JSON')
    .more(`For use after an upgrade that can decode them. A held load is audited again
afterwards.

Example:
  searchmill quarantine replay 42`)
    .action((execution: number, options: { json?: boolean }, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        const { replayed, remaining, replaced, state } = await replayQuarantine(pool, execution);
        if (options.json) return printJson(terminal, { execution, replayed, remaining, replaced, state });
        const where = state === 'staged' ? 'joined their load, which is audited again within seconds' : 'joined their table';
        terminal.print(`${count(replayed, 'row')} decoded${replayed > 0 ? ` and ${where}` : ''}; ${count(remaining, 'row')} still do not.`);
        if (replaced > 0)
          terminal.print(`${count(replaced, 'row')} more decode, but their week has been published again since, with all its rows.`);
      }),
    );

  return new Verb('quarantine')
    .description('rows that did not decode: list, show, replay')
    .more('Examples:\n  searchmill quarantine list\n  searchmill quarantine show 42\n  searchmill quarantine replay 42')
    .addCommand(list)
    .addCommand(show)
    .addCommand(replay);
}

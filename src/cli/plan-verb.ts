// searchmill plan: what a start would load now, without loading it.
import { chooseJobs } from './choose-jobs.ts';
import { chooseBySchedule, describePlan, planAsJson, previewPlan } from './plan-preview.ts';
import { printJson, readConfig, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

export function planVerb(terminal: Terminal): Verb {
  return new Verb('plan')
    .description('show what a start would load now, and what it costs; loads nothing')
    .argument('[job...]', 'jobs; all of them when none is named')
    .option('--json', 'as JSON, with every window')
    .more(`Shows the windows, the submits and the minutes that they take under the limits,
and how many published weeks and rows are replaced. Writes nothing to the ledger
and spends no call. A new week is shown from the time its schedule fires; "run"
does not wait for that: "run --dry-run" and "backfill --dry-run" show theirs.

Examples:
  searchmill plan
  searchmill plan acme-rankings --json`)
    .action((names: string[], options: { json?: boolean }, command: Verb) =>
      withLedger(terminal, command, async (pool, environment) => {
        const config = readConfig(terminal, environment);
        const plan = await previewPlan(pool, config, chooseJobs(config, names), chooseBySchedule);
        if (options.json) printJson(terminal, planAsJson(plan));
        else terminal.print(describePlan(plan));
      }),
    );
}

// searchmill acknowledge: ends the telling of a problem that stays true, until something of its kind happens anew.
import { expectOneOf } from '../config/nearest.ts';
import { ConfigurationError } from '../core/errors.ts';
import { acknowledge } from '../ledger/acknowledgements.ts';
import { LONGEST_REASON } from '../ledger/actions.ts';
import { readJobs } from '../ledger/coverage.ts';
import { ACKNOWLEDGEABLE, isAcknowledgeable } from '../problems/acknowledged.ts';
import { actorOfProcess, parseReason } from './actor.ts';
import { requireKnownJob } from './choose-jobs.ts';
import { printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

export function acknowledgeVerb(terminal: Terminal): Verb {
  return new Verb('acknowledge')
    .description('stop telling of a problem until something of its kind happens anew')
    .argument('<kind>', `what is told: ${ACKNOWLEDGEABLE.join(', ')}`)
    .argument('[job]', 'of one job; default: of all')
    .option('--reason <text>', `why, for history; at most ${LONGEST_REASON} characters`, parseReason)
    .option('--json', 'as JSON')
    .more(`For what stays true: rows that no version can decode, a column that was added, a
week that was discarded on purpose. Status, pages, metrics and messages leave
out what happened until now. Nothing else changes.

Examples:
  searchmill acknowledge quarantine acme-rankings --reason "support ticket 17"
  searchmill acknowledge drift`)
    .action((kind: string, job: string | undefined, options: { reason?: string; json?: boolean }, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        if (!isAcknowledgeable(kind))
          throw new ConfigurationError(`"${kind}" is nothing to acknowledge; ${expectOneOf(ACKNOWLEDGEABLE, kind)}`);
        if (job !== undefined) requireKnownJob(await readJobs(pool), job);
        await acknowledge(pool, kind, job, actorOfProcess(options.reason));
        if (options.json) return printJson(terminal, { kind, job: job ?? null });
        terminal.print(`What is told as "${kind}" ${job === undefined ? 'of all jobs' : `of ${job}`} is acknowledged, until more happens.`);
      }),
    );
}

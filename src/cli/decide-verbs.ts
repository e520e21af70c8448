// searchmill approve and discard: decide about slices that the audit holds.
import { ConfigurationError } from '../core/errors.ts';
import { formatWindow, windowOf } from '../core/weeks.ts';
import { type Actor, LONGEST_REASON } from '../ledger/actions.ts';
import { readJobs } from '../ledger/coverage.ts';
import { approveHeld, type DecidedSlice, discardHeld, type Held } from '../ledger/endings.ts';
import { readInstances } from '../ledger/instances.ts';
import type { Pool } from '../postgres/pool.ts';
import { hasWorker } from '../problems/standstills.ts';
import { actorOfProcess, parseReason } from './actor.ts';
import { requireKnownJob } from './choose-jobs.ts';
import { printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ job?: boolean; json?: boolean; reason?: string }>;

/** How a verb decides, and what it reports about each slice: its new state, and what comes next. */
type Decision = Readonly<{
  decide: (pool: Pool, held: Held, by: Actor) => Promise<DecidedSlice[]>;
  next: (pool: Pool) => Promise<string>;
  as: 'approved' | 'discarded';
}>;

export function approveVerb(terminal: Terminal): Verb {
  return decideVerb(terminal, 'approve', 'publish a held slice, or all held slices of a job, despite the audit', {
    decide: approveHeld,
    as: 'approved',
    next: describePublishing,
  });
}

export function discardVerb(terminal: Terminal): Verb {
  return decideVerb(terminal, 'discard', 'drop the held rows of a slice or a job; published rows stay', {
    decide: discardHeld,
    as: 'discarded',
    next: async () => 'it is loaded again when its schedule next fires, when its filters change, or with "searchmill run".',
  });
}

function decideVerb(terminal: Terminal, name: string, description: string, decision: Decision): Verb {
  return new Verb(name)
    .description(description)
    .argument('<slice|job>', 'number of a slice, as "searchmill status" shows it; or a job, for all its held slices')
    .option('--job', 'the number is the name of a job')
    .option('--reason <text>', `why, for history; at most ${LONGEST_REASON} characters`, parseReason)
    .option('--json', 'as JSON')
    .more(`Examples:\n  searchmill ${name} 17 --reason "asked the service"\n  searchmill ${name} acme-rankings`)
    .action((held: string, options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        const slices = await decideHeld(pool, decision, held, options);
        const asJson = slices.map(({ sliceId, job, windowStart: from, windowEnd: to }) => ({ slice: sliceId, job, from, to }));
        if (options.json) return printJson(terminal, { [decision.as]: asJson });
        const next = await decision.next(pool);
        for (const slice of slices)
          terminal.print(`Slice ${slice.sliceId} is ${decision.as} (${slice.job} ${formatWindow(windowOf(slice))}); ${next}`);
      }),
    );
}

async function describePublishing(pool: Pool): Promise<string> {
  return hasWorker(await readInstances(pool))
    ? 'a running worker publishes it within seconds.'
    : 'no worker is running: the next one publishes it, or run "searchmill run".';
}

/** A number is a slice, unless no such slice is held and a job has this name. Throws ConfigurationError when nothing is held. */
async function decideHeld(
  pool: Pool,
  { decide }: Decision,
  held: string,
  { job: isJob = false, reason }: Options,
): Promise<DecidedSlice[]> {
  const by = actorOfProcess(reason);
  const slice = !isJob && /^[1-9]\d{0,14}$/.test(held) ? Number(held) : undefined;
  const decided = slice === undefined ? [] : await decide(pool, slice, by);
  if (decided.length > 0) return decided;
  const jobs = await readJobs(pool);
  if (slice !== undefined && !jobs.some(({ name }) => name === held))
    throw new ConfigurationError(`slice ${slice} is not held; "searchmill status" lists held slices`);
  requireKnownJob(jobs, held);
  const ofJob = await decide(pool, held, by);
  if (ofJob.length === 0) throw new ConfigurationError(`job "${held}" has no held slices; "searchmill status" lists held slices`);
  return ofJob;
}

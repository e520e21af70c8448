// searchmill pause and resume: while a job or connection is paused, nothing is planned, submitted, polled or read for it.
import { Option } from 'commander';
import { loadJobsConfig } from '../config/jobs-config.ts';
import { nearestName } from '../config/nearest.ts';
import type { Environment } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { formatDuration } from '../core/relative-time.ts';
import { LONGEST_REASON } from '../ledger/actions.ts';
import { type PauseKind, pause, readPausables, resume } from '../ledger/pauses.ts';
import type { Pool } from '../postgres/pool.ts';
import { actorOfProcess, parseReason } from './actor.ts';
import { printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ job?: boolean; connection?: boolean; reason?: string; json?: boolean }>;

export function pauseVerb(terminal: Terminal): Verb {
  return named(new Verb('pause'))
    .description('stop planning, submitting, polling and reading for a job or a connection')
    .option('--reason <text>', `why, for status; at most ${LONGEST_REASON} characters`, parseReason)
    .more(`Every process obeys within seconds, until "searchmill resume". Loads that are
already staged are still published. Queries that run at the service stay valid
for 7 days.

Examples:
  searchmill pause acme-rankings --reason "account is being moved"
  searchmill pause main --connection`)
    .action((name: string, options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool, environment) => {
        const { kind, names } = await chooseNames(pool, name, options, () => readConfigured(terminal, environment));
        const told: unknown[] = [];
        for (const one of names) {
          const { pausedAt, reason, isNew } = await pause(pool, kind, one, actorOfProcess(options.reason));
          told.push({ kind, name: one, pausedSince: pausedAt, reason });
          const since = isNew ? 'is paused' : `has been paused since ${pausedAt.toISOString()}`;
          const why = reason === null ? '' : ` (${reason})`;
          if (!options.json) terminal.print(`${kind} ${one} ${since}${why}; "searchmill resume ${flagged(name, kind, options)}" ends it.`);
        }
        if (options.json) printJson(terminal, names[0] === name ? told[0] : { jobs: told });
      }),
    );
}

export function resumeVerb(terminal: Terminal): Verb {
  return named(new Verb('resume'))
    .description('continue a job or a connection that was paused')
    .option('--reason <text>', `why, for history; at most ${LONGEST_REASON} characters`, parseReason)
    .more(`Continues where it stopped; queries whose 7 days are over are submitted again.
Weeks that became due in the meantime are planned within minutes.

Example:
  searchmill resume acme-rankings`)
    .action((name: string, options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool, environment) => {
        const { kind, names } = await chooseNames(pool, name, options, () => readConfigured(terminal, environment));
        const told: unknown[] = [];
        for (const one of names) {
          const pausedAt = await resume(pool, kind, one, actorOfProcess(options.reason));
          told.push({ kind, name: one, pausedSince: pausedAt ?? null });
          const text = pausedAt
            ? `${kind} ${one} continues; it was paused for ${formatDuration(systemClock.now().getTime() - pausedAt.getTime())}.`
            : `${kind} ${one} was not paused.`;
          if (!options.json) terminal.print(text);
        }
        if (options.json) printJson(terminal, names[0] === name ? told[0] : { jobs: told });
      }),
    );
}

function named(command: Verb): Verb {
  return command
    .argument('<name>', 'a job, an entry with account_ids, or a connection')
    .addOption(new Option('--job', 'it is a job').conflicts('connection'))
    .option('--connection', 'it is a connection')
    .option('--json', 'as JSON');
}

function flagged(name: string, kind: PauseKind, { job, connection }: Options): string {
  return job || connection ? `${name} --${kind}` : name;
}

type Pausable = Readonly<{ kind: PauseKind; name: string }>;

type Chosen = Readonly<{ kind: PauseKind; names: readonly string[] }>;

/** What a name refers to: itself, or all jobs of an entry with account_ids. Throws ConfigurationError if it is unknown, or both a job and a connection and no flag decides. */
async function chooseNames(pool: Pool, name: string, { job, connection }: Options, readFile: () => readonly Pausable[]): Promise<Chosen> {
  const wanted = job ? ['job'] : connection ? ['connection'] : ['job', 'connection'];
  const inLedger = (await readPausables(pool)).filter(({ kind }) => wanted.includes(kind));
  // A job that was never planned is only in the file, which is read only for this case.
  const known = inLedger.some((one) => one.name === name)
    ? inLedger
    : [...inLedger, ...readFile().filter(({ kind }) => wanted.includes(kind))];
  const kinds = [...new Set(known.filter((one) => one.name === name).map(({ kind }) => kind))];
  const [kind] = kinds;
  if (kinds.length > 1) throw new ConfigurationError(`"${name}" is both a job and a connection; choose with --job or --connection`);
  if (kind) return { kind, names: [name] };
  const names = known.map((one) => one.name);
  const ofEntry = new Set(known.filter((one) => one.kind === 'job' && isOfEntry(one.name, name)).map((one) => one.name));
  if (ofEntry.size > 0) return { kind: 'job', names: [...ofEntry] };
  const nearest = nearestName(name, names);
  throw new ConfigurationError(
    `there is no ${wanted.join(' or ')} "${name}"; ${nearest ? `did you mean "${nearest}"?` : '"searchmill status" shows what there is'}`,
  );
}

/** Whether a job was made by an entry with account_ids: its name ends in an account. */
function isOfEntry(job: string, entry: string): boolean {
  return job.startsWith(`${entry}-`) && /^\d+$/.test(job.slice(entry.length + 1));
}

function readConfigured({ env }: Terminal, { configPath }: Environment): readonly Pausable[] {
  const { config } = loadJobsConfig(configPath, env);
  return [
    ...config.jobs.map(({ name }) => ({ kind: 'job', name }) as const),
    ...[...config.connections.keys()].map((name) => ({ kind: 'connection', name }) as const),
  ];
}

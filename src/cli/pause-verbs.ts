// searchmill pause and resume: while a job or connection is paused, nothing is planned, submitted, polled or read for it.
import { Option } from 'commander';
import { loadJobsConfig } from '../config/jobs-config.ts';
import { nearestName } from '../config/nearest.ts';
import type { Environment } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { formatDuration } from '../core/relative-time.ts';
import { LONGEST_REASON } from '../warehouse/actions.ts';
import { type PauseKind, pause, readPausables, resume } from '../warehouse/pauses.ts';
import type { Pool } from '../warehouse/pool.ts';
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
        const kind = await chooseKind(pool, name, options, () => readConfigured(terminal, environment));
        const { pausedAt, reason, isNew } = await pause(pool, kind, name, actorOfProcess(options.reason));
        if (options.json) return printJson(terminal, { kind, name, pausedSince: pausedAt, reason });
        const since = isNew ? 'is paused' : `has been paused since ${pausedAt.toISOString()}`;
        terminal.print(
          `${kind} ${name} ${since}${reason === null ? '' : ` (${reason})`}; "searchmill resume ${flagged(name, kind, options)}" ends it.`,
        );
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
        const kind = await chooseKind(pool, name, options, () => readConfigured(terminal, environment));
        const pausedAt = await resume(pool, kind, name, actorOfProcess(options.reason));
        if (options.json) return printJson(terminal, { kind, name, pausedSince: pausedAt ?? null });
        terminal.print(
          pausedAt
            ? `${kind} ${name} continues; it was paused for ${formatDuration(systemClock.now().getTime() - pausedAt.getTime())}.`
            : `${kind} ${name} was not paused.`,
        );
      }),
    );
}

function named(command: Verb): Verb {
  return command
    .argument('<name>', 'a job or a connection')
    .addOption(new Option('--job', 'it is a job').conflicts('connection'))
    .option('--connection', 'it is a connection')
    .option('--json', 'as JSON');
}

function flagged(name: string, kind: PauseKind, { job, connection }: Options): string {
  return job || connection ? `${name} --${kind}` : name;
}

type Pausable = Readonly<{ kind: PauseKind; name: string }>;

/** What a name refers to. Throws ConfigurationError if it is unknown, or both a job and a connection and no flag decides. */
async function chooseKind(pool: Pool, name: string, { job, connection }: Options, readFile: () => readonly Pausable[]): Promise<PauseKind> {
  const wanted = job ? ['job'] : connection ? ['connection'] : ['job', 'connection'];
  const inLedger = (await readPausables(pool)).filter(({ kind }) => wanted.includes(kind));
  // A job that was never planned is only in the file, which is read only for this case.
  const known = inLedger.some((one) => one.name === name)
    ? inLedger
    : [...inLedger, ...readFile().filter(({ kind }) => wanted.includes(kind))];
  const kinds = [...new Set(known.filter((one) => one.name === name).map(({ kind }) => kind))];
  const [kind] = kinds;
  if (kinds.length > 1) throw new ConfigurationError(`"${name}" is both a job and a connection; choose with --job or --connection`);
  if (kind) return kind;
  const names = known.map((one) => one.name);
  const nearest = nearestName(name, names);
  throw new ConfigurationError(
    `there is no ${wanted.join(' or ')} "${name}"; ${nearest ? `did you mean "${nearest}"?` : '"searchmill status" shows what there is'}`,
  );
}

function readConfigured({ env }: Terminal, { configPath }: Environment): readonly Pausable[] {
  const { config } = loadJobsConfig(configPath, env);
  return [
    ...config.jobs.map(({ name }) => ({ kind: 'job', name }) as const),
    ...[...config.connections.keys()].map((name) => ({ kind: 'connection', name }) as const),
  ];
}

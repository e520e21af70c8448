// Which of the chosen jobs may be loaded by hand: not those that are disabled or paused.
import type { Job } from '../config/settings.ts';
import { ConfigurationError } from '../core/errors.ts';
import { type Pausable, type PauseKind, readPausables } from '../ledger/pauses.ts';
import type { Pool } from '../postgres/pool.ts';

/** A job that is left alone, and why: a sentence's end and what to do. */
export type IdleJob = Readonly<{ job: string; because: string; advice: string }>;

/** Separates jobs that are loaded from those that are not. */
export async function sortOutIdle(pool: Pool, jobs: readonly Job[]): Promise<{ loadable: Job[]; idle: IdleJob[] }> {
  const pausables = await readPausables(pool);
  const idle = jobs.flatMap((job) => findReason(job, pausables) ?? []);
  return { loadable: jobs.filter(({ name }) => !idle.some(({ job }) => job === name)), idle };
}

/** Throws ConfigurationError that names every job of `idle`: the user named them. */
export function refuseIdle(idle: readonly IdleJob[]): void {
  if (idle.length === 0) return;
  throw new ConfigurationError(idle.map(({ job, because, advice }) => `job "${job}" ${because}; ${advice}`).join('\n'));
}

function findReason(job: Job, pausables: readonly Pausable[]): IdleJob | undefined {
  if (!job.isEnabled) return { job: job.name, because: 'is disabled (enabled: false)', advice: 'enable it in the jobs file first' };
  for (const [kind, name] of [['job', job.name] as const, ['connection', job.connection] as const]) {
    const pause = pausables.find((one) => one.kind === kind && one.name === name);
    if (!pause?.pausedAt) continue;
    return {
      job: job.name,
      because: describePause(kind, name, pause.pausedAt, pause.reason),
      advice: `"searchmill resume ${name} --${kind}" ends it`,
    };
  }
  return undefined;
}

/** The end of a sentence that begins with the job. */
function describePause(kind: PauseKind, name: string, at: Date, reason: string | null): string {
  const why = reason === null ? '' : ` (${reason})`;
  const since = `has been paused since ${at.toISOString()}${why}`;
  return kind === 'job' ? since : `asks through connection ${name}, which ${since}`;
}

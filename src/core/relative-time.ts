// Times as people say them: how long ago, in how long.

/** `3 h`, from milliseconds, in the unit that gives a small number. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** Milliseconds since then; 0 for a future time. */
export function ageOf(since: Date | null, now: Date): number {
  return since === null ? 0 : now.getTime() - since.getTime();
}

/** `3 h ago`, or `never`. */
export function ago(at: Date | null | undefined, now: Date): string {
  return at ? `${formatDuration(ageOf(at, now))} ago` : 'never';
}

/** `in 3 h`; `now` for a past time; `soon` for an unknown one. */
export function until(at: Date | null | undefined, now: Date): string {
  if (!at) return 'soon';
  return at <= now ? 'now' : `in ${formatDuration(at.getTime() - now.getTime())}`;
}

/** The first of some times; undefined when there is none. */
export function earliest(times: readonly (Date | null)[]): Date | undefined {
  const known = times.flatMap((at) => at?.getTime() ?? []);
  return known.length === 0 ? undefined : new Date(Math.min(...known));
}

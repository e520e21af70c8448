// Live progress per job: a display that redraws itself on a terminal (listr2), nothing elsewhere, where the log has a
// line per state change.
import { Listr } from 'listr2';
import { formatWindow } from '../core/weeks.ts';
import type { WatchedSlice } from '../warehouse/coverage.ts';
import { count } from './table.ts';
import type { Terminal } from './terminal.ts';
import { isSettled } from './watch.ts';

export interface Progress {
  /** Shows how things stand. */
  update(slices: readonly WatchedSlice[]): void;
  /** Draws the last state and leaves it on the screen. */
  finish(): Promise<void>;
}

/** Shows the progress of jobs, one line each. */
export function showProgress(terminal: Terminal, jobs: readonly string[]): Progress {
  if (!terminal.isInteractive) return { update: () => undefined, finish: async () => undefined };
  const lines = new Map(jobs.map((job) => [job, new JobLine(job, Math.max(...jobs.map((name) => name.length)))]));
  const shown = new Listr(
    [...lines.values()].map((line) => ({
      title: line.describe([]),
      task: (_: unknown, task: { title: string }) => {
        line.onChange = (title) => {
          task.title = title;
        };
        return line.ended;
      },
    })),
    { concurrent: true, exitOnError: false, rendererOptions: { collapseErrors: false } },
  );
  const drawn = shown.run().then(
    () => undefined,
    () => undefined,
  );
  const bySlices = (slices: readonly WatchedSlice[]): void => {
    for (const [job, line] of lines) line.update(slices.filter((slice) => slice.job === job));
  };
  return {
    update: bySlices,
    async finish() {
      for (const line of lines.values()) line.end();
      await drawn;
    },
  };
}

class JobLine {
  readonly ended: Promise<void>;
  onChange: (title: string) => void = () => undefined;
  readonly #job: string;
  readonly #width: number;
  #end: (error?: Error) => void = () => undefined;

  constructor(job: string, width: number) {
    this.#job = job;
    this.#width = width;
    this.ended = new Promise((resolve, reject) => {
      this.#end = (error) => (error ? reject(error) : resolve());
    });
    this.ended.catch(() => undefined);
  }

  update(slices: readonly WatchedSlice[]): void {
    this.onChange(this.describe(slices));
    const failed = slices.find((slice) => isSettled(slice) && slice.state !== 'published');
    if (slices.length > 0 && slices.every(isSettled)) this.#end(failed ? new Error(describeSlice(failed)) : undefined);
  }

  end(): void {
    this.#end();
  }

  describe(slices: readonly WatchedSlice[]): string {
    const name = this.#job.padEnd(this.#width);
    if (slices.length === 0) return name;
    const done = slices.filter((slice) => slice.state === 'published').length;
    const rows = slices.reduce((sum, slice) => sum + slice.rowsReceived, 0);
    const busy = slices.filter((slice) => !isSettled(slice));
    const now = busy.find((slice) => slice.state === 'loading') ?? busy[0];
    return `${name}  ${done}/${slices.length} windows  ${count(rows, 'row')}${now ? `  ${describeSlice(now)}` : ''}`;
  }
}

function describeSlice(slice: WatchedSlice): string {
  const window = formatWindow({ start: slice.windowStart, end: slice.windowEnd });
  const reading = slice.state === 'loading' ? ` page ${slice.pages + 1}` : '';
  return `${window} ${slice.state.replace('_', ' ')}${reading}`;
}

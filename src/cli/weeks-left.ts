// Reports the progress of work on summaries.
import { SECOND } from '../core/clock.ts';
import { describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { count } from '../core/numbers.ts';
import type { Pool } from '../postgres/pool.ts';
import { finishReports } from '../reports/refresh.ts';
import type { Terminal } from './terminal.ts';

const TELL_EVERY_MS = 5 * SECOND;

/** Prints every few seconds how much is left. */
export function tellWeeksLeft(terminal: Terminal, prefix = ''): (left: number) => void {
  let toldAt = performance.now();
  return (left) => {
    if (left === 0 || performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    terminal.warn(`${prefix}${count(left, 'week')} left`);
  };
}

/** Summarises published weeks that are not summarised yet. Never throws: readers compute the rest, and the next process summarises it. */
export async function finishSummaries(terminal: Terminal, pool: Pool, log: Logger): Promise<void> {
  await finishReports(pool, terminal.stopping, tellWeeksLeft(terminal, 'summaries for dashboards: ')).catch((error: unknown) => {
    if (!terminal.stopping.aborted) log.warn({ err: describeError(error) }, 'summaries could not be refreshed');
  });
}

// How far work on summaries is, told now and then.
import { SECOND } from '../core/clock.ts';
import { describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { count } from '../core/numbers.ts';
import { finishReports } from '../reports/refresh.ts';
import type { Pool } from '../warehouse/pool.ts';
import type { Terminal } from './terminal.ts';

const TELL_EVERY_MS = 5 * SECOND;

/** Says every few seconds how much is left. */
export function tellWeeksLeft(terminal: Terminal, prefix = ''): (left: number) => void {
  let toldAt = performance.now();
  return (left) => {
    if (left === 0 || performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    terminal.warn(`${prefix}${count(left, 'week')} left`);
  };
}

/** Summarises what is published and not summarised yet. Never throws: readers compute what is left, and the next process summarises it. */
export async function finishSummaries(terminal: Terminal, pool: Pool, log: Logger): Promise<void> {
  await finishReports(pool, terminal.stopping, tellWeeksLeft(terminal, 'summaries for dashboards: ')).catch((error: unknown) => {
    if (!terminal.stopping.aborted) log.warn({ err: describeError(error) }, 'summaries could not be refreshed');
  });
}

// Reports the progress of work on summaries.
import { describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { count } from '../core/numbers.ts';
import type { Pool } from '../postgres/pool.ts';
import { finishReports } from '../reports/refresh.ts';
import { paced } from './paced.ts';
import type { Terminal } from './terminal.ts';

/** Prints every few seconds how much is left. */
export function tellWeeksLeft(terminal: Terminal, prefix = ''): (left: number) => void {
  const tell = paced((left: number) => terminal.warn(`${prefix}${count(left, 'week')} left`));
  return (left) => {
    if (left > 0) tell(left);
  };
}

/** Summarises published weeks that are not summarised yet. Never throws: readers compute the rest, and the next process summarises it. */
export async function finishSummaries(terminal: Terminal, pool: Pool, log: Logger): Promise<void> {
  await finishReports(pool, terminal.stopping, tellWeeksLeft(terminal, 'summaries for dashboards: ')).catch((error: unknown) => {
    if (!terminal.stopping.aborted) log.warn({ err: describeError(error) }, 'summaries could not be refreshed');
  });
}

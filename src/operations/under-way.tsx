// Loads under way, with how far they are and the time left.
import type { JSX } from 'preact';
import { SECOND } from '../core/clock.ts';
import { formatNumber } from '../core/numbers.ts';
import { formatDuration, until } from '../core/relative-time.ts';
import type { LiveExecution } from '../ledger/coverage.ts';
import { Said, Section, State, showWindow, Table, type TableColumn, weekAddress } from './parts.tsx';

/** Loads shown; the rest is counted. */
const MAX_UNDER_WAY = 50;
/** The first pages come together. */
const LEAST_PAGES = 3;
const LEAST_SPENT_MS = 5 * SECOND;

/**
 * Milliseconds, from the pages since the first and the time they took; undefined where nobody can tell: before the third page, when the
 * service has not said how many rows there are, while steps fail.
 */
export function estimateLeft(
  { state, pages, rowsReceived, totalRowCount, stateSince, errorsInRow }: LiveExecution,
  now: Date,
): number | undefined {
  const left = Number(totalRowCount ?? 0) - rowsReceived;
  // A load is in this state since its first page was there.
  const spent = now.getTime() - stateSince.getTime();
  if (state !== 'loading' || errorsInRow > 0 || pages < LEAST_PAGES || left <= 0 || spent < LEAST_SPENT_MS) return undefined;
  return (left * spent) / ((rowsReceived * (pages - 1)) / pages);
}

export function UnderWay({ live, now }: Readonly<{ live: readonly LiveExecution[]; now: Date }>): JSX.Element {
  const columns: readonly TableColumn<LiveExecution>[] = [
    {
      heading: 'Load',
      cell: (execution) => (
        <>
          <a href={weekAddress(execution.job, execution.windowStart)}>
            <bdi>{execution.job}</bdi>
          </a>{' '}
          {showWindow(execution)}
        </>
      ),
    },
    {
      heading: 'State',
      cell: ({ state, stateSince }) => (
        <>
          <State state={state} /> <span class="fine">{formatDuration(now.getTime() - stateSince.getTime())}</span>
        </>
      ),
    },
    { heading: 'Progress', cell: (execution) => <LoadProgress execution={execution} now={now} /> },
  ];
  return (
    <Section id="under-way" title="Under way">
      {live.length === 0 ? (
        <p class="empty">Nothing is running.</p>
      ) : (
        <Table label="Under way, table" columns={columns} rows={live.slice(0, MAX_UNDER_WAY)} />
      )}
      {live.length > MAX_UNDER_WAY && <p class="note">and {live.length - MAX_UNDER_WAY} more</p>}
    </Section>
  );
}

function LoadProgress({ execution, now }: Readonly<{ execution: LiveExecution; now: Date }>): JSX.Element {
  const { state, rowsReceived, totalRowCount, waitingFor, lastError, errorsInRow, isPaused } = execution;
  const left = estimateLeft(execution, now);
  const total = totalRowCount === null ? undefined : Number(totalRowCount);
  if (isPaused && state !== 'staged') return <>paused</>;
  return (
    <>
      {state === 'loading' && (
        <>
          {total !== undefined && total > 0 && (
            <progress max={total} value={Math.min(rowsReceived, total)} aria-label={`Rows of ${execution.job}`} />
          )}{' '}
          {formatNumber(rowsReceived)}
          {total === undefined ? '' : ` of ${formatNumber(total)}`} rows{left === undefined ? '' : `, about ${formatDuration(left)} left`}
        </>
      )}
      {state === 'in_progress' && `the service works on it; polled again ${until(execution.dueAt, now)}`}
      {waitingFor && <span class="fine"> waits for {waitingFor}</span>}
      {errorsInRow > 0 && lastError && <Said text={lastError} kind="warning" />}
    </>
  );
}

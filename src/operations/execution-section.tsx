// One execution of a week: how it went and ended, what it called, counted and changed, and how it was asked.
import type { ComponentChildren, JSX } from 'preact';
import { count, formatNumber } from '../core/numbers.ts';
import type { ExecutionHistory } from '../ledger/execution-histories.ts';
import type { QuarantinedRow } from '../publishing/quarantine.ts';
import { Ago, Facts, overcomeError, Said, Section, State, showMs, showWindow, Table, type TableColumn, Time } from './parts.tsx';
import type { WeekView } from './read-week.ts';

const REASONS: Readonly<Record<ExecutionHistory['reason'], string>> = {
  newest: 'the newest week',
  lookback: 'loaded again, as recent weeks are restated',
  catch_up: 'it was missing',
  backfill: 'asked for by hand',
};

export function ExecutionSection({
  execution,
  number,
  view,
}: Readonly<{ execution: ExecutionHistory; number: number; view: WeekView }>): JSX.Element {
  const { state, reason, endReason, lastError, waitingFor } = execution;
  const drift = view.drift.get(execution.executionId) ?? [];
  const quarantined = view.quarantined.get(execution.executionId) ?? [];
  const isLive = execution.endedAt === null;
  return (
    <Section id={`execution-${execution.executionId}`} title={`Execution ${number}: ${REASONS[reason]}`}>
      <p>
        <State state={state} /> {showWindow(execution)}
        {execution.isInTable && ' · its rows are in the table'}
      </p>
      {endReason && <Said text={endReason} kind={state === 'failed' ? 'problem' : 'notice'} />}
      {isLive && lastError && execution.errorsInRow > 0 && <Said text={lastError} kind="problem" />}
      {isLive && waitingFor && <p class="notice">It waits for {waitingFor}.</p>}
      <Timeline execution={execution} />
      <Facts facts={figuresOf(execution)} />
      <details>
        <summary>What was asked for</summary>
        <Facts
          facts={{
            Connection: execution.connection,
            'Execution of the service': execution.remoteExecutionId,
            'Request of the service': execution.remoteRequestId,
            'Valid until': execution.expiresAt ? <Time at={execution.expiresAt} /> : undefined,
            Filters: <bdi>{describeRequest(execution.request)}</bdi>,
            'Filters now':
              execution.filtersDigest === view.job.filtersDigest ? 'the same' : <bdi class="warning">{describeRequest(view.filters)}</bdi>,
          }}
        />
      </details>
      {drift.length > 0 && (
        <details>
          <summary>{count(drift.length, 'difference')} from the expected schema</summary>
          <ul class="notes">
            {drift.map(({ kind, column, page, detail }) => (
              <li key={`${kind} ${column}`}>
                <bdi>{detail}</bdi> <span class="fine">page {page}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {quarantined.length > 0 && <Quarantined rows={quarantined} all={execution.rowsQuarantined} />}
      {isLive && (
        <p class="fine">
          In this state since <Ago at={execution.stateSince} now={view.now} />.
        </p>
      )}
    </Section>
  );
}

/** The submit body without what every submit of the job has. */
function describeRequest(request: Readonly<Record<string, unknown>>): string {
  const own = Object.entries(request).filter(([name]) => !/^(?:account_?id|.*_date|time_period_.*)$/i.test(name));
  return own.length === 0 ? 'none' : own.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ');
}

function Timeline({ execution }: Readonly<{ execution: ExecutionHistory }>): JSX.Element {
  const moments: readonly (readonly [string, Date | null])[] = [
    ['planned', execution.plannedAt],
    ['submit sent', execution.submitStartedAt],
    [execution.submitOutcome === 'unreadable' ? 'answered (unreadable)' : 'accepted', execution.submittedAt],
    ['first page', execution.loadStartedAt],
    ['last page', execution.stagedAt],
    ['held', execution.heldAt],
    ['approved', execution.approvedAt],
    [execution.state === 'published' ? 'published' : `ended (${execution.state})`, execution.publishedAt ?? execution.endedAt],
  ];
  const known = moments.flatMap(([name, at]) => (at === null ? [] : [{ name, at }])).sort((a, b) => a.at.getTime() - b.at.getTime());
  return (
    <ol class="timeline">
      {known.map(({ name, at }, number) => (
        <li key={name}>
          <strong>{name}</strong> <Time at={at} />{' '}
          {number > 0 && <span class="fine">+{showMs(at.getTime() - (known[number - 1]?.at.getTime() ?? 0))}</span>}
        </li>
      ))}
    </ol>
  );
}

/** What it counted, changed and called, and how long its stages took. */
function figuresOf(execution: ExecutionHistory): Record<string, ComponentChildren> {
  const { rowsQuarantined, totalRowCount, inserted, updated, unchanged, deleted, leaseTakings } = execution;
  const { waitMs, networkMs, decodeMs, copyMs, publishMs } = execution.timings;
  const overcome = overcomeError(execution);
  const announced = totalRowCount === null ? '' : ` of ${formatNumber(totalRowCount)} announced`;
  const changed = Object.entries({ inserted, updated, unchanged, deleted }).map(([name, rows]) => `${formatNumber(rows ?? 0)} ${name}`);
  return {
    'Rows received': `${formatNumber(execution.rowsReceived)}${announced} in ${count(execution.pages, 'page')}`,
    'Rows staged': formatNumber(execution.rowsStaged),
    'Rows in quarantine': rowsQuarantined > 0 ? formatNumber(rowsQuarantined) : undefined,
    'Rows changed': inserted === null ? undefined : changed.join(', '),
    Calls: `${count(execution.submitCalls, 'submit')}, ${count(execution.pollCalls, 'poll')}, ${count(execution.pageCalls, 'page')} after the first, ${formatNumber(execution.bytesReceived / 1e6)} MB`,
    'Taken over': leaseTakings > 0 ? `${count(leaseTakings, 'time')}, because its process died or hung` : undefined,
    'Error overcome': overcome && <bdi>{overcome}</bdi>,
    Stages: `${showMs(waitMs)} waiting for the budget, ${showMs(networkMs)} network, ${showMs(decodeMs)} decoding, ${showMs(copyMs)} copying, ${showMs(publishMs)} publishing`,
  };
}

const QUARANTINED: readonly TableColumn<QuarantinedRow>[] = [
  { heading: 'Page', cell: ({ page }) => page },
  { heading: 'Position', cell: ({ position }) => position },
  { heading: 'Column', cell: ({ column }) => column ?? '(row)' },
  { heading: 'Why', cell: ({ reason }) => reason },
  { heading: 'Row', cell: ({ raw }) => raw },
];

function Quarantined({ rows, all }: Readonly<{ rows: readonly QuarantinedRow[]; all: number }>): JSX.Element {
  return (
    <details>
      <summary>{count(all, 'row')} in quarantine</summary>
      <Table label="Rows in quarantine, table" columns={QUARANTINED} rows={rows} />
      {all > rows.length && <p class="note">The first {rows.length}; "searchmill quarantine list" lists all.</p>}
    </details>
  );
}

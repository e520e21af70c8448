// One execution of a week: how it went and ended, what it called, counted and changed, and how it was asked.
import type { ComponentChildren, JSX } from 'preact';
import { count, formatNumber } from '../core/numbers.ts';
import type { Attempt } from '../warehouse/attempts.ts';
import type { QuarantinedRow } from '../warehouse/quarantine.ts';
import { Ago, Facts, overcomeError, Said, Section, State, showMs, showWindow, Table, type TableColumn, Time } from './parts.tsx';
import type { WeekView } from './read-week.ts';

const REASONS: Readonly<Record<Attempt['reason'], string>> = {
  newest: 'the newest week',
  lookback: 'read again, as recent weeks are restated',
  catch_up: 'it was missing',
  backfill: 'asked for by hand',
};

export function AttemptSection({ attempt, number, view }: Readonly<{ attempt: Attempt; number: number; view: WeekView }>): JSX.Element {
  const { state, reason, endReason, lastError, waitingFor } = attempt;
  const drift = view.drift.get(attempt.executionId) ?? [];
  const quarantined = view.quarantined.get(attempt.executionId) ?? [];
  const isLive = attempt.endedAt === null;
  return (
    <Section id={`execution-${attempt.executionId}`} title={`Execution ${number}: ${REASONS[reason]}`}>
      <p>
        <State state={state} /> {showWindow(attempt)}
        {attempt.isInTable && ' · its rows are in the table'}
      </p>
      {endReason && <Said text={endReason} kind={state === 'failed' ? 'problem' : 'notice'} />}
      {isLive && lastError && attempt.errorsInRow > 0 && <Said text={lastError} kind="problem" />}
      {isLive && waitingFor && <p class="notice">It waits for {waitingFor}.</p>}
      <Timeline attempt={attempt} />
      <Facts facts={figuresOf(attempt)} />
      <details>
        <summary>How it was asked</summary>
        <Facts
          facts={{
            Connection: attempt.connection,
            'Execution of the service': attempt.remoteExecutionId,
            'Request of the service': attempt.remoteRequestId,
            'Valid until': attempt.expiresAt ? <Time at={attempt.expiresAt} /> : undefined,
            Filters: <bdi>{describeRequest(attempt.request)}</bdi>,
            'Filters now':
              attempt.filtersDigest === view.job.filtersDigest ? 'the same' : <bdi class="warning">{describeRequest(view.filters)}</bdi>,
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
      {quarantined.length > 0 && <Quarantined rows={quarantined} all={attempt.rowsQuarantined} />}
      {isLive && (
        <p class="fine">
          In this state since <Ago at={attempt.stateSince} now={view.now} />.
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

function Timeline({ attempt }: Readonly<{ attempt: Attempt }>): JSX.Element {
  const moments: readonly (readonly [string, Date | null])[] = [
    ['planned', attempt.plannedAt],
    ['submit sent', attempt.submitStartedAt],
    [attempt.submitOutcome === 'unreadable' ? 'answered (unreadable)' : 'accepted', attempt.submittedAt],
    ['first page', attempt.loadStartedAt],
    ['last page', attempt.stagedAt],
    ['held', attempt.heldAt],
    ['approved', attempt.approvedAt],
    [attempt.state === 'published' ? 'published' : `ended (${attempt.state})`, attempt.publishedAt ?? attempt.endedAt],
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
function figuresOf(attempt: Attempt): Record<string, ComponentChildren> {
  const { rowsQuarantined, totalRowCount, inserted, updated, unchanged, deleted, leaseTakings } = attempt;
  const { waitMs, networkMs, decodeMs, copyMs, publishMs } = attempt.timings;
  const overcome = overcomeError(attempt);
  const announced = totalRowCount === null ? '' : ` of ${formatNumber(totalRowCount)} announced`;
  const changed = Object.entries({ inserted, updated, unchanged, deleted }).map(([name, rows]) => `${formatNumber(rows ?? 0)} ${name}`);
  return {
    'Rows received': `${formatNumber(attempt.rowsReceived)}${announced} in ${count(attempt.pages, 'page')}`,
    'Rows staged': formatNumber(attempt.rowsStaged),
    'Rows in quarantine': rowsQuarantined > 0 ? formatNumber(rowsQuarantined) : undefined,
    'Rows changed': inserted === null ? undefined : changed.join(', '),
    Calls: `${count(attempt.submitCalls, 'submit')}, ${count(attempt.pollCalls, 'poll')}, ${count(attempt.pageCalls, 'page')} after the first, ${formatNumber(attempt.bytesReceived / 1e6)} MB`,
    'Taken over': leaseTakings > 0 ? `${count(leaseTakings, 'time')}, as its process died or hung` : undefined,
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
      {all > rows.length && <p class="note">The first {rows.length}; "searchmill quarantine list" has them all.</p>}
    </details>
  );
}

// One attempt to load a week: how it went and ended, what it called, counted and changed, and how it was asked.
import type { JSX } from 'preact';
import { count, formatNumber } from '../core/numbers.ts';
import { formatWindow } from '../core/weeks.ts';
import { Scroll } from '../dashboards/result-tables.tsx';
import type { Attempt } from '../warehouse/attempts.ts';
import type { QuarantinedRow } from '../warehouse/quarantine.ts';
import { Ago, Facts, Section, State, showMs, Time } from './parts.tsx';
import type { WeekView } from './read-week.ts';

const REASONS: Readonly<Record<Attempt['reason'], string>> = {
  newest: 'the newest week',
  lookback: 'read again, as recent weeks are restated',
  catch_up: 'it was missing',
  backfill: 'asked for by hand',
};

export function AttemptSection({ attempt, number, view }: Readonly<{ attempt: Attempt; number: number; view: WeekView }>): JSX.Element {
  const { now } = view;
  const { state, reason, endReason, lastError, waitingFor } = attempt;
  const drift = view.drift.get(attempt.executionId) ?? [];
  const quarantined = view.quarantined.get(attempt.executionId) ?? [];
  const filters = describeRequest(attempt.request);
  return (
    <Section id={`attempt-${attempt.executionId}`} title={`Attempt ${number}: ${REASONS[reason]}`}>
      <p>
        <State state={state} /> {formatWindow({ start: attempt.windowStart, end: attempt.windowEnd })}
        {attempt.isInTable && ' · its rows are in the table'}
      </p>
      {endReason && (
        <p class={state === 'failed' ? 'problem' : 'notice'}>
          <bdi>{endReason}</bdi>
        </p>
      )}
      {attempt.endedAt === null && lastError && attempt.errorsInRow > 0 && (
        <p class="problem">
          <bdi>{lastError}</bdi>
        </p>
      )}
      {attempt.endedAt === null && waitingFor && <p class="notice">It waits for {waitingFor}.</p>}
      <Timeline attempt={attempt} />
      <Facts facts={{ ...countsOf(attempt), ...callsOf(attempt), ...stagesOf(attempt) }} />
      <details>
        <summary>How it was asked</summary>
        <Facts
          facts={{
            Connection: attempt.connection,
            'Execution of the service': attempt.remoteExecutionId,
            'Request of the service': attempt.remoteRequestId,
            'Valid until': attempt.expiresAt ? <Time at={attempt.expiresAt} /> : undefined,
            Filters: <bdi>{filters}</bdi>,
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
      {attempt.endedAt === null && (
        <p class="fine">
          In this state since <Ago at={attempt.stateSince} now={now} />.
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
    ['accepted', attempt.submittedAt],
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

function countsOf({
  pages,
  rowsReceived,
  rowsStaged,
  rowsQuarantined,
  totalRowCount,
  ...changed
}: Attempt): Record<string, string | undefined> {
  const { inserted, updated, unchanged, deleted } = changed;
  return {
    'Rows received': `${formatNumber(rowsReceived)}${totalRowCount === null ? '' : ` of ${formatNumber(totalRowCount)} announced`} in ${count(pages, 'page')}`,
    'Rows staged': formatNumber(rowsStaged),
    'Rows in quarantine': rowsQuarantined > 0 ? formatNumber(rowsQuarantined) : undefined,
    'Rows changed':
      inserted === null
        ? undefined
        : `${formatNumber(inserted)} inserted, ${formatNumber(updated ?? 0)} updated, ${formatNumber(unchanged ?? 0)} unchanged, ${formatNumber(deleted ?? 0)} deleted`,
  };
}

function callsOf({ submitCalls, pollCalls, pageCalls, bytesReceived, leaseTakings }: Attempt): Record<string, string | undefined> {
  return {
    Calls: `${count(submitCalls, 'submit')}, ${count(pollCalls, 'poll')}, ${count(pageCalls, 'page')}, ${formatNumber(bytesReceived / 1e6)} MB`,
    'Taken over': leaseTakings > 0 ? `${count(leaseTakings, 'time')}, as its process died or hung` : undefined,
  };
}

function stagesOf({ timings: { waitMs, networkMs, decodeMs, copyMs, publishMs } }: Attempt): Record<string, string> {
  return {
    Stages: `${showMs(waitMs)} waiting for the budget, ${showMs(networkMs)} network, ${showMs(decodeMs)} decoding, ${showMs(copyMs)} copying, ${showMs(publishMs)} publishing`,
  };
}

function Quarantined({ rows, all }: Readonly<{ rows: readonly QuarantinedRow[]; all: number }>): JSX.Element {
  return (
    <details>
      <summary>{count(all, 'row')} in quarantine</summary>
      <Scroll label="Rows in quarantine, table">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">Position</th>
              <th scope="col">Column</th>
              <th scope="col">Why</th>
              <th scope="col">Row</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ page, position, column, reason, raw }) => (
              <tr key={`${page} ${position}`}>
                <td>{page}</td>
                <td>{position}</td>
                <td>
                  <bdi>{column ?? '(row)'}</bdi>
                </td>
                <td>
                  <bdi>{reason}</bdi>
                </td>
                <td>
                  <bdi>{raw}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {all > rows.length && <p class="note">The first {rows.length}; "searchmill quarantine list" has them all.</p>}
    </details>
  );
}

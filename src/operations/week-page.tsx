// All that is known of one week of a job: every attempt with its reason, what it called, counted and changed, and what a held answer
// would change.
import type { JSX } from 'preact';
import { count, formatNumber } from '../core/numbers.ts';
import { formatWindow, type IsoDate } from '../core/weeks.ts';
import type { Session } from '../dashboards/access.ts';
import { type Frame, Layout, writePage } from '../dashboards/layout.tsx';
import { headingOf, Scroll } from '../dashboards/result-tables.tsx';
import type { Attempt } from '../warehouse/attempts.ts';
import type { CoveredWeek, KnownJob } from '../warehouse/coverage.ts';
import type { HeldChanges } from '../warehouse/held-changes.ts';
import type { QuarantinedRow } from '../warehouse/quarantine.ts';
import { ActionForm } from './action-form.tsx';
import { Ago, Facts, jobAddress, OPERATIONS, Section, State, Step, showMs, Time, weekAddress } from './parts.tsx';
import type { WeekView } from './read-week.ts';

export function weekPage(frame: Frame, view: WeekView, session: Session | undefined): string {
  const { job, week, cover, attempts, now } = view;
  const [newest] = attempts;
  return writePage(
    <Layout frame={frame} title={`${job.name}, ${week}`} current="operations" kind="live">
      <nav class="trail" aria-label="Where this page is">
        <a href={OPERATIONS}>Operations</a> ›{' '}
        <a href={jobAddress(job.name)}>
          <bdi>{job.name}</bdi>
        </a>
      </nav>
      <h1>
        <bdi>{job.name}</bdi>, week of {week} {cover && <State state={cover.state} />}
      </h1>
      <Facts
        facts={{
          Dataset: job.dataset,
          Account: String(job.accountId),
          Published: cover?.publishedAt ? <Ago at={cover.publishedAt} now={now} /> : 'never',
          Rows: cover?.sliceRows === null || cover === undefined ? undefined : formatNumber(cover.sliceRows),
          Detail: cover?.detail,
        }}
      />
      <Commands job={job} week={week} cover={cover} newest={newest} />
      <Buttons job={job} week={week} newest={newest} session={session} />
      <Decisions view={view} />
      {view.held && newest && <Held held={view.held} attempt={newest} />}
      {view.heldFailure && <p class="problem">What the held answer would change could not be read: {view.heldFailure}</p>}
      {attempts.length === 0 && <p class="empty">Nothing was planned for this week yet.</p>}
      {attempts.map((attempt, number) => (
        <AttemptSection key={attempt.executionId} attempt={attempt} number={attempts.length - number} view={view} />
      ))}
    </Layout>,
  );
}

type CommandsProps = Readonly<{ job: KnownJob; week: IsoDate; cover: CoveredWeek | undefined; newest: Attempt | undefined }>;

function Commands({ job, week, cover, newest }: CommandsProps): JSX.Element {
  const isLive = newest !== undefined && newest.endedAt === null;
  const steps =
    newest?.state === 'held'
      ? [
          `searchmill approve ${newest.sliceId}   publishes it all the same`,
          `searchmill discard ${newest.sliceId}   drops it; what was published before stays`,
        ]
      : isLive
        ? [`searchmill cancel ${job.name} --from ${newest.windowStart} --to ${newest.windowEnd}   takes it back`]
        : [`searchmill backfill ${job.name} --from ${week} --to ${week} --reload   loads the week ${cover?.publishedAt ? 'again' : 'now'}`];
  return (
    <ul class="steps" aria-label="What can be done">
      {steps.map((step) => (
        <Step key={step} text={step} />
      ))}
    </ul>
  );
}

type ButtonsProps = Readonly<{ job: KnownJob; week: IsoDate; newest: Attempt | undefined; session: Session | undefined }>;

function Buttons({ job, week, newest, session }: ButtonsProps): JSX.Element {
  const common = { session, to: weekAddress(job.name, week) };
  const fields = {
    job: job.name,
    execution: String(newest?.executionId ?? ''),
    from: newest?.windowStart ?? week,
    until: newest?.windowEnd ?? week,
  };
  const isLive = newest !== undefined && newest.endedAt === null;
  if (newest?.state === 'held')
    return (
      <div class="actions">
        <ActionForm {...common} action="approve" label="Approve" fields={fields} />
        <ActionForm {...common} action="discard" label="Discard" fields={fields} isQuiet />
      </div>
    );
  return isLive ? (
    <ActionForm {...common} action="cancel" label="Cancel" fields={fields} isQuiet />
  ) : (
    <ActionForm {...common} action="reload" label="Load again" fields={{ job: job.name, from: week }} isQuiet />
  );
}

function Decisions({ view: { actions, now } }: Readonly<{ view: WeekView }>): JSX.Element | null {
  if (actions.length === 0) return null;
  return (
    <Section id="decisions" title="What people did">
      <ul class="notes">
        {actions.map(({ actedAt, actor, action, reason }) => (
          <li key={actedAt.toISOString()}>
            <strong>{action}</strong> by <bdi>{actor}</bdi>, <Ago at={actedAt} now={now} />
            {reason && <bdi>: {reason}</bdi>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Held({ held, attempt }: Readonly<{ held: HeldChanges; attempt: Attempt }>): JSX.Element {
  return (
    <Section id="held" title="What publishing it would change">
      <ul class="problem">
        {(attempt.objections ?? []).map(({ message }) => (
          <li key={message}>
            <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
      <div class="columns">
        {held.columns.map(({ what, column, values, more }) => (
          <Scroll key={column} label={`Rows by ${what}`}>
            <table class="rows">
              <caption>By {what}</caption>
              <thead>
                <tr>
                  <th scope="col">Value</th>
                  <th scope="col" class="number">
                    Before
                  </th>
                  <th scope="col" class="number">
                    After
                  </th>
                  <th scope="col" class="number">
                    Change
                  </th>
                </tr>
              </thead>
              <tbody>
                {values.map(({ value, before, after }) => (
                  <tr key={value ?? ''} class={after < before ? 'loss' : ''}>
                    <td>{value === null ? <span class="none">none</span> : <bdi>{value}</bdi>}</td>
                    <td class="number">{formatNumber(before)}</td>
                    <td class="number">{formatNumber(after)}</td>
                    <td class="number">{`${after > before ? '+' : ''}${formatNumber(after - before)}`}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {more > 0 && <p class="note">and {count(more, 'value')} that change less</p>}
          </Scroll>
        ))}
      </div>
      <h3>Rows that would vanish, some of them</h3>
      <Vanished vanished={held.vanished} />
    </Section>
  );
}

function Vanished({ vanished }: Pick<HeldChanges, 'vanished'>): JSX.Element {
  if (vanished === undefined) return <p class="note">The answer was staged by an older release, whose row keys cannot be compared.</p>;
  const [first] = vanished;
  if (!first) return <p class="note">None: every row of the table is in the answer, too.</p>;
  // What is the same in all of them does not tell one from another.
  const columns = Object.keys(first).filter((name) => vanished.some((row) => row[name] !== (vanished.length > 1 ? first[name] : null)));
  return (
    <Scroll label="Rows that would vanish, table">
      <table class="rows">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {headingOf(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {vanished.map((row, number) => (
            <tr key={number}>
              {columns.map((name) => (
                <td key={name}>
                  <bdi>{row[name] === null ? '–' : String(row[name])}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

const REASONS: Readonly<Record<Attempt['reason'], string>> = {
  newest: 'the newest week',
  lookback: 'read again, as recent weeks are restated',
  catch_up: 'it was missing',
  backfill: 'asked for by hand',
};

function AttemptSection({ attempt, number, view }: Readonly<{ attempt: Attempt; number: number; view: WeekView }>): JSX.Element {
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

// A job: what it asks for, its weeks, and its latest executions.
import type { JSX } from 'preact';
import { count, formatNumber } from '../core/numbers.ts';
import type { LoginSession } from '../dashboards/access.ts';
import { type Frame, Layout, writePage } from '../dashboards/layout.tsx';
import { describeFilters } from '../dashboards/panel-filters.tsx';
import type { CoveredWeek } from '../ledger/coverage.ts';
import type { ExecutionHistory } from '../ledger/execution-histories.ts';
import { ActionForm } from './action-form.tsx';
import {
  Ago,
  Facts,
  jobAddress,
  overcomeError,
  rowsOf,
  Section,
  State,
  Steps,
  showWindow,
  Table,
  type TableColumn,
  Time,
  Trail,
  weekAddress,
} from './parts.tsx';
import type { JobView } from './read-week.ts';
import { UnderWay } from './under-way.tsx';

/** Weeks shown; the calendar of the overview shows more. */
const MAX_WEEKS = 60;

export function jobPage(frame: Frame, { job, filters, weeks, executions, live, now }: JobView, session: LoginSession | undefined): string {
  const { name } = job;
  const verb = job.pausedSince ? 'resume' : 'pause';
  return writePage(
    <Layout frame={frame} title={name} current="operations" kind="live">
      <Trail />
      <h1>
        <bdi>{name}</bdi>
      </h1>
      {job.removedAt !== null && <p class="notice">This job is no longer configured. Its published rows stay.</p>}
      {!job.isEnabled && job.removedAt === null && <p class="notice">It is disabled (enabled: false): nothing new is planned.</p>}
      {job.pausedSince && (
        <p class="notice">
          It is paused by hand since <Ago at={job.pausedSince} now={now} />
          {job.pauseReason ? <bdi>: {job.pauseReason}</bdi> : null}.
        </p>
      )}
      <Facts
        facts={{
          Dataset: job.dataset,
          Account: String(job.accountId),
          Connection: <bdi>{job.connection}</bdi>,
          Schedule: `${job.cron} (${job.timezone})`,
          Since: job.since,
          Lookback: count(job.lookbackWeeks, 'week'),
          Filters: <bdi>{describeFilters(filters)}</bdi>,
        }}
      />
      <Steps
        label="What can be done"
        steps={[
          `searchmill run ${name}   loads what is missing now`,
          `searchmill ${verb} ${name} --job   ${job.pausedSince ? 'continues where it stopped' : 'stops planning and loading'}`,
          `searchmill history ${name}   shows what each load changed`,
        ]}
      />
      <ActionForm
        session={session}
        action={verb}
        label={job.pausedSince ? 'Resume' : 'Pause'}
        fields={{ job: name }}
        to={jobAddress(name)}
        isQuiet
      />
      <div class="panels">
        {live.length > 0 && <UnderWay live={live} now={now} />}
        <Section id="weeks" title="Weeks" isWide>
          <Weeks weeks={weeks.slice(0, MAX_WEEKS)} now={now} />
          {weeks.length > MAX_WEEKS && <p class="note">and {weeks.length - MAX_WEEKS} older ones</p>}
        </Section>
        <Section id="executions" title="Latest executions" isWide>
          <Executions executions={executions} job={name} />
        </Section>
      </div>
    </Layout>,
  );
}

function Weeks({ weeks, now }: Readonly<{ weeks: readonly CoveredWeek[]; now: Date }>): JSX.Element {
  if (weeks.length === 0) return <p class="empty">No week is expected yet.</p>;
  const columns: readonly TableColumn<CoveredWeek>[] = [
    { heading: 'Week', cell: ({ job, week }) => <a href={weekAddress(job, week)}>{week}</a> },
    { heading: 'State', cell: ({ state }) => <State state={state} /> },
    { heading: 'Rows', isNumber: true, cell: (cover) => rowsOf(cover) ?? '–' },
    { heading: 'Published', cell: ({ publishedAt }) => <Ago at={publishedAt} now={now} /> },
    { heading: 'Detail', cell: ({ detail }) => detail },
  ];
  return <Table label="Weeks, table" columns={columns} rows={weeks} />;
}

function Executions({ executions, job }: Readonly<{ executions: readonly ExecutionHistory[]; job: string }>): JSX.Element {
  if (executions.length === 0) return <p class="empty">Nothing has been planned yet.</p>;
  const columns: readonly TableColumn<ExecutionHistory>[] = [
    { heading: 'Planned', cell: ({ plannedAt }) => <Time at={plannedAt} /> },
    {
      heading: 'Window',
      cell: (execution) => (
        <a href={`${weekAddress(job, execution.windowStart)}#execution-${execution.executionId}`}>{showWindow(execution)}</a>
      ),
    },
    { heading: 'Why', cell: ({ reason }) => reason.replaceAll('_', ' ') },
    { heading: 'State', cell: ({ state }) => <State state={state} /> },
    { heading: 'Rows', isNumber: true, cell: ({ rowsReceived }) => formatNumber(rowsReceived) },
    { heading: 'How it ended', cell: describeEnding },
  ];
  return <Table label="Latest executions, table" columns={columns} rows={executions} />;
}

function describeEnding(execution: ExecutionHistory): string {
  const { endedAt, state, endReason, lastError } = execution;
  const ending = endReason ?? (endedAt === null ? 'not yet' : state);
  const overcome = overcomeError(execution);
  if (overcome) return `${ending}; overcome: ${overcome}`;
  return endedAt === null && lastError ? `${ending}; last error, tried again: ${lastError}` : ending;
}

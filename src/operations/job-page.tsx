// A job: what it asks for, its weeks, and its latest attempts.
import type { JSX } from 'preact';
import { count, formatNumber } from '../core/numbers.ts';
import { formatWindow } from '../core/weeks.ts';
import type { Session } from '../dashboards/access.ts';
import { type Frame, Layout, writePage } from '../dashboards/layout.tsx';
import { describeFilters } from '../dashboards/panel-section.tsx';
import { Scroll } from '../dashboards/result-tables.tsx';
import type { Attempt } from '../warehouse/attempts.ts';
import type { CoveredWeek } from '../warehouse/coverage.ts';
import { ActionForm } from './action-form.tsx';
import { Ago, Facts, jobAddress, OPERATIONS, rowsOf, Section, State, Step, Time, weekAddress } from './parts.tsx';
import type { JobView } from './read-week.ts';
import { UnderWay } from './under-way.tsx';

/** Weeks shown; the calendar of the overview shows more. */
const MAX_WEEKS = 60;

export function jobPage(frame: Frame, { job, filters, weeks, attempts, live, now }: JobView, session: Session | undefined): string {
  const { name } = job;
  const isPaused = job.pausedSince !== null;
  return writePage(
    <Layout frame={frame} title={name} current="operations" kind="live">
      <nav class="trail" aria-label="Where this page is">
        <a href={OPERATIONS}>Operations</a>
      </nav>
      <h1>
        <bdi>{name}</bdi>
      </h1>
      {job.removedAt !== null && <p class="notice">This job is no longer configured. What it has published stays.</p>}
      {!job.isEnabled && job.removedAt === null && <p class="notice">It is switched off (enabled: false): nothing new is planned.</p>}
      {job.pausedSince !== null && (
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
      <ul class="steps" aria-label="What can be done">
        <Step text={`searchmill run ${name}   loads what is missing now`} />
        <Step
          text={
            isPaused
              ? `searchmill resume ${name} --job   goes on where it stopped`
              : `searchmill pause ${name} --job   stops planning and loading`
          }
        />
        <Step text={`searchmill history ${name}   shows what each load changed`} />
      </ul>
      <ActionForm
        session={session}
        action={isPaused ? 'resume' : 'pause'}
        label={isPaused ? 'Resume' : 'Pause'}
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
        <Section id="attempts" title="Latest attempts" isWide>
          <Attempts attempts={attempts} job={name} />
        </Section>
      </div>
    </Layout>,
  );
}

function Weeks({ weeks, now }: Readonly<{ weeks: readonly CoveredWeek[]; now: Date }>): JSX.Element {
  if (weeks.length === 0) return <p class="empty">No week is expected yet.</p>;
  return (
    <Scroll label="Weeks, table">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Week</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Rows
            </th>
            <th scope="col">Published</th>
            <th scope="col">Detail</th>
          </tr>
        </thead>
        <tbody>
          {weeks.map((cover) => (
            <tr key={cover.week}>
              <td>
                <a href={weekAddress(cover.job, cover.week)}>{cover.week}</a>
              </td>
              <td>
                <State state={cover.state} />
              </td>
              <td class="number">{rowsOf(cover) ?? '–'}</td>
              <td>
                <Ago at={cover.publishedAt} now={now} />
              </td>
              <td>{cover.detail && <bdi>{cover.detail}</bdi>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Attempts({ attempts, job }: Readonly<{ attempts: readonly Attempt[]; job: string }>): JSX.Element {
  if (attempts.length === 0) return <p class="empty">Nothing was planned yet.</p>;
  return (
    <Scroll label="Latest attempts, table">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Planned</th>
            <th scope="col">Window</th>
            <th scope="col">Why</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Rows
            </th>
            <th scope="col">How it ended</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt) => (
            <tr key={attempt.executionId}>
              <td class="time">
                <Time at={attempt.plannedAt} />
              </td>
              <td>
                <a href={`${weekAddress(job, attempt.windowStart)}#attempt-${attempt.executionId}`}>
                  {formatWindow({ start: attempt.windowStart, end: attempt.windowEnd })}
                </a>
              </td>
              <td>{attempt.reason.replaceAll('_', ' ')}</td>
              <td>
                <State state={attempt.state} />
              </td>
              <td class="number">{formatNumber(attempt.rowsReceived)}</td>
              <td>{(attempt.endReason ?? attempt.lastError) && <bdi>{attempt.endReason ?? attempt.lastError}</bdi>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

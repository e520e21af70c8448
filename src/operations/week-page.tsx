// All that is known of one week of a job: every attempt with its reason, what it called, counted and changed, and what a held answer
// would change.
import type { JSX } from 'preact';
import type { IsoDate } from '../core/weeks.ts';
import type { Session } from '../dashboards/access.ts';
import { type Frame, Layout, writePage } from '../dashboards/layout.tsx';
import type { Attempt } from '../warehouse/attempts.ts';
import type { CoveredWeek, KnownJob } from '../warehouse/coverage.ts';
import { ActionForm } from './action-form.tsx';
import { AttemptSection } from './attempt-section.tsx';
import { HeldSection } from './held-section.tsx';
import { Ago, Facts, jobAddress, OPERATIONS, rowsOf, Section, State, Step, weekAddress } from './parts.tsx';
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
          Rows: cover && rowsOf(cover),
          Detail: cover?.detail,
        }}
      />
      <Commands job={job} week={week} cover={cover} newest={newest} />
      <Buttons job={job} week={week} newest={newest} session={session} />
      <Decisions view={view} />
      {view.held && newest && <HeldSection held={view.held} attempt={newest} />}
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

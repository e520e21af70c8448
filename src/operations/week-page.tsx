// All that is known of one week of a job: every execution with its reason, what it called, counted and changed, and what a held answer
// would change.
import type { JSX } from 'preact';
import type { LoginSession } from '../dashboards/access.ts';
import { type Frame, Layout, writePage } from '../dashboards/layout.tsx';
import { ActionForm } from './action-form.tsx';
import { ExecutionSection } from './execution-section.tsx';
import { HeldSection } from './held-section.tsx';
import { Ago, Facts, rowsOf, Section, State, Steps, Trail, weekAddress } from './parts.tsx';
import type { WeekView } from './read-week.ts';

export function weekPage(frame: Frame, view: WeekView, session: LoginSession | undefined): string {
  const { job, week, cover, executions, now } = view;
  const [newest] = executions;
  return writePage(
    <Layout frame={frame} title={`${job.name}, ${week}`} current="operations" kind="live">
      <Trail job={job.name} />
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
      <Choices view={view} session={session} />
      <Decisions view={view} />
      {view.held && newest && <HeldSection held={view.held} execution={newest} />}
      {view.heldFailure && <p class="problem">The changes that the held answer would make could not be read: {view.heldFailure}</p>}
      {executions.length === 0 && <p class="empty">Nothing has been planned for this week yet.</p>}
      {executions.map((execution, number) => (
        <ExecutionSection key={execution.executionId} execution={execution} number={executions.length - number} view={view} />
      ))}
    </Layout>,
  );
}

/** What can be done now: as commands, and as buttons where there is a session. */
function Choices({ view, session }: Readonly<{ view: WeekView; session: LoginSession | undefined }>): JSX.Element {
  const { job, week, cover } = view;
  const [newest] = view.executions;
  const isLive = newest?.endedAt === null;
  const [from, until] = isLive ? [newest.windowStart, newest.windowEnd] : [week, week];
  const span = `${job.name} --from ${from} --to ${until}`;
  const reload = {
    action: 'reload',
    label: 'Load again',
    step: `backfill ${span} --reload   loads the week ${cover?.publishedAt ? 'again' : 'now'}`,
  };
  const cancel = { action: 'cancel', label: 'Cancel', step: `cancel ${span}   cancels it` };
  const decide = [
    { action: 'approve', label: 'Approve', step: `approve ${newest?.sliceId}   publishes it anyway` },
    { action: 'discard', label: 'Discard', step: `discard ${newest?.sliceId}   drops it; published rows stay` },
  ];
  const choices = newest?.state === 'held' ? decide : [isLive ? cancel : reload];
  // What is loaded by no plan is loaded by no button.
  const buttons = choices.filter((choice) => choice !== reload || week >= job.since);
  const fields = { job: job.name, execution: String(newest?.executionId ?? ''), from, until };
  const to = weekAddress(job.name, week);
  return (
    <>
      <Steps label="What can be done" steps={choices.map(({ step }) => `searchmill ${step}`)} />
      {session && buttons.length > 0 && (
        <div class="actions">
          {buttons.map(({ action, label }) => (
            <ActionForm key={action} {...{ session, action, label, fields, to }} isQuiet={action !== 'approve'} />
          ))}
        </div>
      )}
    </>
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

// The overview for operators: is all well, what is wrong and what ends it, what is there, what is under way.
import type { JSX } from 'preact';
import { count, formatNumber } from '../core/numbers.ts';
import { until } from '../core/relative-time.ts';
import { CalendarLegend, Heading } from '../dashboards/grid-charts.tsx';
import { type Frame, Layout, writePage } from '../dashboards/layout.tsx';
import { Scroll } from '../dashboards/result-table.tsx';
import type { CalendarWeek, KnownConnection } from '../ledger/coverage.ts';
import { findVerdict } from '../problems/verdict.ts';
import { Ago, Facts, jobAddress, OPERATIONS, Problems, Section, Steps, Table, type TableColumn, weekAddress } from './parts.tsx';
import { JOBS_PER_PAGE, type Overview } from './read-overview.ts';
import { UnderWay } from './under-way.tsx';

export function operationsPage(frame: Frame, overview: Overview): string {
  const { status, problems, notes, now } = overview;
  const verdict = findVerdict(status, problems);
  return writePage(
    <Layout frame={frame} title="Operations" current="operations" kind="live">
      <h1>Operations</h1>
      <p class={`verdict ${verdict.kind}`}>{verdict.text}</p>
      <p class="lead">
        {verdict.published} of {count(verdict.expected, 'expected week')} published, {count(verdict.underWay, 'load')} under way.
      </p>
      {problems.length > 0 && (
        <Section id="problems" title="Problems">
          <Problems problems={problems} />
        </Section>
      )}
      <div class="panels">
        <Coverage overview={overview} />
        <UnderWay live={status.live.filter(({ state }) => state !== 'held')} now={now} />
        <Budgets connections={status.connections} now={now} />
        <Processes overview={overview} />
        {notes.length > 0 && (
          <Section id="notes" title="Worth knowing">
            <ul class="notes">
              {notes.map(({ title, next }) => (
                <li key={title}>
                  <bdi>{title}</bdi>
                  <Steps steps={next} />
                </li>
              ))}
            </ul>
          </Section>
        )}
      </div>
    </Layout>,
  );
}

function Coverage({ overview: { calendar, weeks, jobs, matching, choice, status } }: Readonly<{ overview: Overview }>): JSX.Element {
  const cells = new Map(calendar.map((cell) => [`${cell.job}\n${cell.week}`, cell]));
  const pages = Math.ceil(matching / JOBS_PER_PAGE);
  const states = [...new Set(calendar.map(({ state }) => state))].sort();
  return (
    <section id="coverage" class="panel wide" aria-labelledby="coverage-title">
      <header>
        <h2 id="coverage-title">Coverage</h2>
        <p class="question">Which weeks of each job are loaded, and which are not? Each cell links to the details of the week.</p>
      </header>
      <form class="choices" method="get" action={OPERATIONS}>
        <div class="choice">
          <label for="weeks">Weeks</label>
          <input id="weeks" name="weeks" type="number" min={1} max={260} value={choice.weeks} required />
        </div>
        <div class="choice">
          <label for="name">Job's name holds</label>
          <input id="name" name="name" value={choice.name} maxLength={100} />
        </div>
        <button type="submit">Show</button>
      </form>
      {jobs.length === 0 ? (
        <p class="empty">{status.jobs.length === 0 ? 'The ledger has no jobs yet.' : 'No job has such a name.'}</p>
      ) : (
        <Scroll label="Coverage, chart">
          <table class="grid calendar">
            <caption class="hidden">Coverage by job and week</caption>
            <thead>
              <tr>
                <th scope="col">Job</th>
                {weeks.map((week) => (
                  <th key={week} scope="col">
                    <Heading text={week} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {jobs.map(({ name }) => (
                <tr key={name}>
                  <th scope="row">
                    <a href={jobAddress(name)}>
                      <bdi>{name}</bdi>
                    </a>
                  </th>
                  {weeks.map((week) => (
                    <CoverageCell key={week} cell={cells.get(`${name}\n${week}`)} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <CalendarLegend states={states} />
      {pages > 1 && <Pages pages={pages} choice={choice} />}
    </section>
  );
}

function CoverageCell({ cell }: Readonly<{ cell: CalendarWeek | undefined }>): JSX.Element {
  if (!cell) return <td class="state" />;
  const { job, week, state, detail, pausedSince } = cell;
  const why = [pausedSince !== null && state !== 'published' ? 'paused' : '', detail ?? ''].filter(Boolean).join('; ');
  return (
    <td class={`state ${state}`} title={why === '' ? state : `${state}: ${why}`}>
      <a href={weekAddress(job, week)}>
        <span aria-hidden="true">{state.charAt(0).toUpperCase()}</span>
        <span class="hidden">
          {state}, {job}, {week}
        </span>
      </a>
    </td>
  );
}

function Pages({ pages, choice }: Readonly<{ pages: number; choice: Overview['choice'] }>): JSX.Element {
  const address = (page: number): string =>
    `${OPERATIONS}?${new URLSearchParams({ weeks: String(choice.weeks), name: choice.name, page: String(page) })}#coverage`;
  return (
    <nav class="pages" aria-label="Pages of jobs">
      {choice.page > 1 && <a href={address(choice.page - 1)}>Before</a>}
      <span>
        Page {choice.page} of {pages}
      </span>
      {choice.page < pages && <a href={address(choice.page + 1)}>Next</a>}
    </nav>
  );
}

function Budgets({ connections, now }: Readonly<{ connections: readonly KnownConnection[]; now: Date }>): JSX.Element {
  const columns: readonly TableColumn<KnownConnection>[] = [
    {
      heading: 'Connection',
      cell: ({ name, baseUrl }) => (
        <>
          <bdi>{name}</bdi>
          <br />
          <bdi class="fine">{baseUrl}</bdi>
        </>
      ),
    },
    {
      heading: 'Submits',
      cell: (one) => <Used used={one.submitsLastMinute} allowed={one.submitsPerMinute} what={`Submits of ${one.name}`} />,
    },
    {
      heading: 'Polls and pages',
      cell: (one) => <Used used={one.readsLastMinute} allowed={one.readsPerMinute} what={`Reads of ${one.name}`} />,
    },
    { heading: 'State', cell: (one) => describeConnection(one, now) },
  ];
  return (
    <Section id="budgets" title="Calls in the last minute">
      <Table label="Calls, table" columns={columns} rows={connections} />
    </Section>
  );
}

function Used({ used, allowed, what }: Readonly<{ used: number; allowed: number; what: string }>): JSX.Element {
  return (
    <>
      <meter min={0} max={allowed} value={used} aria-label={what} />
      <br />
      {formatNumber(used)} of {formatNumber(allowed)}
    </>
  );
}

function describeConnection({ unauthorizedSince, pausedUntil, pausedSince }: KnownConnection, now: Date): string {
  if (unauthorizedSince) return 'credential refused (401)';
  if (pausedSince) return 'paused by hand';
  if (pausedUntil && pausedUntil > now) return `asked for fewer calls (429), continues ${until(pausedUntil, now)}`;
  return 'answers';
}

function Processes({ overview: { status, now } }: Readonly<{ overview: Overview }>): JSX.Element {
  return (
    <Section id="processes" title="Processes">
      {status.instances.length === 0 ? (
        <p class="empty">None is running.</p>
      ) : (
        status.instances.map(({ id, role, host, pid, version, startedAt, seenAt, isAlive }) => (
          <Facts
            key={id}
            facts={{
              Process: `${pid} on ${host}`,
              Does: role === 'all' ? 'everything' : role,
              Version: version,
              Started: <Ago at={startedAt} now={now} />,
              'Seen last': (
                <span class={isAlive ? '' : 'warning'}>
                  <Ago at={seenAt} now={now} />
                </span>
              ),
            }}
          />
        ))
      )}
    </Section>
  );
}

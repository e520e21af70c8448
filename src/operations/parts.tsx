// Small parts that the pages for operators share.
import type { ComponentChildren, JSX } from 'preact';
import { formatNumber } from '../core/numbers.ts';
import { ago, formatDuration } from '../core/relative-time.ts';
import { formatWindow, type IsoDate } from '../core/weeks.ts';
import { Scroll } from '../dashboards/result-table.tsx';
import type { CoveredWeek } from '../ledger/coverage.ts';
import type { ExecutionHistory } from '../ledger/execution-histories.ts';
import type { SliceWindow } from '../ledger/executions.ts';
import type { Problem } from '../problems/status.ts';

export const OPERATIONS = '/operations';

export function jobAddress(job: string): string {
  return `${OPERATIONS}/jobs/${encodeURIComponent(job)}`;
}

export function weekAddress(job: string, week: IsoDate): string {
  return `${jobAddress(job)}/${week}`;
}

export const showWindow = ({ windowStart, windowEnd }: Pick<SliceWindow, 'windowStart' | 'windowEnd'>): string =>
  formatWindow({ start: windowStart, end: windowEnd });

/** How long ago; the title has the time itself. */
export function Ago({ at, now }: Readonly<{ at: Date | null | undefined; now: Date }>): JSX.Element {
  if (!at) return <span class="none">never</span>;
  return (
    <time dateTime={at.toISOString()} title={showTime(at)}>
      {ago(at, now)}
    </time>
  );
}

export function Time({ at }: Readonly<{ at: Date }>): JSX.Element {
  return <time dateTime={at.toISOString()}>{showTime(at)}</time>;
}

/** `2026-11-22 04:30:12 UTC` */
function showTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `0.4 s` below ten seconds, else as elsewhere. */
export function showMs(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms / 100) / 10} s` : formatDuration(ms);
}

/** The last error of a load that got on after it. */
export function overcomeError({ state, endedAt, errorsInRow, lastError }: ExecutionHistory): string | undefined {
  const isOvercome = state === 'published' || (endedAt === null && errorsInRow === 0);
  return isOvercome && lastError !== null ? lastError : undefined;
}

/** Rows of a week; undefined where none are published. */
export function rowsOf({ weekRows, sliceRows }: CoveredWeek): string | undefined {
  if (weekRows !== null) return formatNumber(weekRows);
  return sliceRows === null ? undefined : `${formatNumber(sliceRows)} together with the weeks loaded with it`;
}

export function State({ state }: Readonly<{ state: string }>): JSX.Element {
  return <span class={`badge ${state}`}>{state.replaceAll('_', ' ')}</span>;
}

/** A command that the script gives a button to copy it; what stands behind three spaces explains it. */
function Step({ text }: Readonly<{ text: string }>): JSX.Element {
  const [command = '', ...rest] = text.split(/ {2,}/);
  if (!command.startsWith('searchmill ')) return <li>{text}</li>;
  return (
    <li>
      <code class="command">{command}</code> {rest.length > 0 && <span class="fine">{rest.join(' ')}</span>}
    </li>
  );
}

export function Steps({ steps, label }: Readonly<{ steps: readonly string[]; label?: string }>): JSX.Element {
  return (
    <ul class="steps" aria-label={label}>
      {steps.map((step) => (
        <Step key={step} text={step} />
      ))}
    </ul>
  );
}

export function Problems({ problems }: Readonly<{ problems: readonly Problem[] }>): JSX.Element {
  return (
    <ul class="problems">
      {problems.map((problem) => (
        <li key={problem.title} class={problem.needsYou ? 'problem' : 'notice'}>
          <h3>
            <bdi>{problem.title}</bdi>
          </h3>
          {problem.why.map((why) => (
            <Said key={why} text={why} />
          ))}
          <Steps steps={problem.next} />
        </li>
      ))}
    </ul>
  );
}

/** A paragraph of words that come from elsewhere. */
export function Said({ text, kind }: Readonly<{ text: string; kind?: string }>): JSX.Element {
  return (
    <p class={kind}>
      <bdi>{text}</bdi>
    </p>
  );
}

/** Names and what they are. What is undefined is left out. */
export function Facts({ facts }: Readonly<{ facts: Readonly<Record<string, ComponentChildren>> }>): JSX.Element {
  return (
    <dl class="facts">
      {Object.entries(facts)
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Where a page below the overview is. */
export function Trail({ job }: Readonly<{ job?: string }>): JSX.Element {
  return (
    <nav class="trail" aria-label="Where this page is">
      <a href={OPERATIONS}>Operations</a>
      {job !== undefined && (
        <>
          {' › '}
          <a href={jobAddress(job)}>
            <bdi>{job}</bdi>
          </a>
        </>
      )}
    </nav>
  );
}

type SectionProps = Readonly<{ id: string; title: string; isWide?: boolean; children: ComponentChildren }>;

export function Section({ id, title, isWide = false, children }: SectionProps): JSX.Element {
  return (
    <section id={id} class={isWide ? 'panel wide' : 'panel'} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  );
}

export type TableColumn<Row> = Readonly<{
  heading: string;
  isNumber?: boolean;
  cell: (row: Row) => ComponentChildren;
}>;

type TableProps<Row> = Readonly<{ label: string; caption?: string; columns: readonly TableColumn<Row>[]; rows: readonly Row[] }> &
  Readonly<{ rowClass?: (row: Row) => string; children?: ComponentChildren }>;

/** `children` stand under it and scroll with it. */
export function Table<Row>({ label, caption, columns, rows, rowClass, children }: TableProps<Row>): JSX.Element {
  return (
    <Scroll label={label}>
      <table class="rows stacked">
        {caption && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ heading, isNumber }) => (
              <th key={heading} scope="col" class={isNumber ? 'number' : undefined}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, number) => (
            <tr key={number} class={rowClass?.(row)}>
              {columns.map(({ heading, isNumber, cell }) => (
                <td key={heading} class={isNumber ? 'number' : undefined} data-heading={heading}>
                  {isNumber ? cell(row) : isolate(cell(row))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </Scroll>
  );
}

/** Text in its own direction. */
function isolate(shown: ComponentChildren): ComponentChildren {
  return typeof shown === 'string' ? <bdi>{shown}</bdi> : shown;
}

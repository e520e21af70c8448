// The page of a board: the choices as a form whose state is the address, then its panels.
import type { JSX } from 'preact';
import { compareText } from '../core/compare-text.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { OwnDomain, Source } from '../warehouse/sources.ts';
import { Notes } from './annotations.tsx';
import type { BoardView, Choice, Query } from './board-view.ts';
import { type Frame, Layout, writePage } from './layout.tsx';
import type { Panel } from './panel-file.ts';
import { Filters, PanelSection } from './panel-section.tsx';

type Shown = Readonly<{
  query: Query;
  now: Date;
  /** The panel that has the page for itself. */
  alone?: Panel | undefined;
}>;

export function boardPage(frame: Frame, view: BoardView, { query, now, alone }: Shown): string {
  const { board, choices, faults, panels, values, sources, ownDomains, annotations } = view;
  const search = searchOf(choices);
  const home = `/boards/${board.name}`;
  return writePage(
    <Layout frame={frame} title={alone ? `${alone.title} · ${board.title}` : board.title} current={board.name} kind="board">
      <header class="board">
        {alone ? (
          <p class="lead">
            <a href={`${home}${search}#${alone.name}`}>{board.title}</a>
          </p>
        ) : (
          <>
            <h1>{board.title}</h1>
            <p class="lead">{board.question}</p>
          </>
        )}
      </header>
      {faults.length > 0 && (
        <div class="problem" role="alert">
          <p>The address says what cannot be shown; the default is shown instead.</p>
          <ul>
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </div>
      )}
      {choices.length > 0 && <Choices action={alone ? `${home}/${alone.name}` : home} choices={choices} />}
      <AsOf sources={sources} now={now} />
      {ownDomains && <OwnSites ownDomains={ownDomains} />}
      <div class={alone ? 'panels alone' : 'panels'}>
        {panels.map((shown) => (
          <PanelSection
            key={shown.panel.name}
            {...{ shown, choices, values, search, sources, annotations, query }}
            isAlone={alone !== undefined}
          />
        ))}
        {values.account && <Notes accountId={values.account} notesAddress={frame.notesAddress} annotations={annotations} />}
      </div>
    </Layout>,
  );
}

/** The address of what is shown, complete, so that it shows the same to a colleague. */
function searchOf(choices: readonly Choice[]): string {
  if (choices.length === 0) return '';
  return `?${new URLSearchParams(choices.map(({ variable, value }) => [variable.name, value ?? '']))}`;
}

function Choices({ action, choices }: Readonly<{ action: string; choices: readonly Choice[] }>): JSX.Element {
  return (
    <form class="choices" method="get" action={action}>
      {choices.map((choice) => (
        <div key={choice.variable.name} class="choice">
          <label for={`choice-${choice.variable.name}`}>{choice.variable.label}</label>
          <Field choice={choice} />
        </div>
      ))}
      <button type="submit">Show</button>
    </form>
  );
}

function Field({ choice: { variable, value, options } }: Readonly<{ choice: Choice }>): JSX.Element {
  const { name, choice, allLabel } = variable;
  const id = `choice-${name}`;
  if (choice.kind === 'range')
    return <input id={id} name={name} type="number" min={choice.min} max={choice.max} value={value ?? ''} required />;
  const isKnown = value === null || options.some((option) => option.value === value);
  return (
    <select id={id} name={name}>
      {allLabel !== undefined && (
        <option value="" selected={value === null}>
          {allLabel}
        </option>
      )}
      {!isKnown && (
        <option value={value ?? ''} selected>
          {value}
        </option>
      )}
      {options.map((option) => (
        <option key={option.value} value={option.value} selected={option.value === value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

const newestWeek = (sources: readonly Source[]): IsoDate | undefined =>
  sources
    .flatMap((source) => source.newestWeek ?? [])
    .toSorted(compareText)
    .at(-1);

/** How new the data is, and the filters behind it. */
function AsOf({ sources, now }: Readonly<{ sources: readonly Source[]; now: Date }>): JSX.Element {
  const newest = newestWeek(sources);
  const published = Math.max(0, ...sources.map(({ publishedAt }) => publishedAt?.getTime() ?? 0));
  return (
    <details class="as-of">
      <summary>
        {newest === undefined ? (
          'Nothing has been published yet'
        ) : (
          <>
            Data through the week of <time>{newest}</time>, last published <time>{showTime(new Date(published))}</time>
          </>
        )}
      </summary>
      <p class="fine">Read {showTime(now)}, all panels at one moment. These jobs load it, with these filters:</p>
      <Filters sources={sources} />
    </details>
  );
}

const MAX_SITES = 10;

/** Rankings do not say which sites are ours. */
function OwnSites({ ownDomains }: Readonly<{ ownDomains: readonly OwnDomain[] }>): JSX.Element {
  const shown = ownDomains.slice(0, MAX_SITES).map(({ domain }) => domain);
  const rest = ownDomains.length - shown.length;
  const names = `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  if (shown.length === 0) {
    return <p class="as-of warning">No site is known to be ours, so all searches count as absent: set own_domains in jobs.config.yaml.</p>;
  }
  return (
    <p class="as-of fine">
      Our sites: <bdi>{names}</bdi>.{' '}
      {ownDomains[0]?.source === 'cited' &&
        'They were found in citations attributed to You; set own_domains in jobs.config.yaml to say which they are.'}
    </p>
  );
}

function showTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

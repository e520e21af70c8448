// The page of a board: the choices as a line of filters whose state is the address, then its tiles, its panels, and what happened in its weeks.
import type { JSX } from 'preact';
import { annotationsOf, numberWeeks, WhatHappened } from './annotations.tsx';
import { type BoardView, type Choice, newestWeek, type Query } from './board-view.ts';
import type { Board } from './boards.ts';
import { FilterLine } from './filter-line.tsx';
import { remarksOf } from './headline.ts';
import { type Frame, Layout, writePage } from './layout.tsx';
import { BACK, chosenOf, type Place, writeChoices } from './links.ts';
import type { Panel } from './panel-file.ts';
import { Filters } from './panel-filters.tsx';
import { findWide, PanelSection } from './panel-section.tsx';
import { localPath } from './sessions.ts';
import type { OwnDomain, Source } from './sources.ts';
import { showTime } from './times.ts';
import { WeekState } from './week-state.tsx';

type Shown = Readonly<{
  query: Query;
  now: Date;
  /** The panel that has the page for itself. */
  alone?: Panel | undefined;
}>;

export function boardPage(frame: Frame, view: BoardView, { query, now, alone }: Shown): string {
  const { board, choices, faults, panels, values, sources, ownDomains, week } = view;
  const written = writeChoices(choices, query);
  const search = written.size > 0 ? `?${written}` : '';
  const home = `/boards/${board.name}`;
  const back = findBack(frame, query[BACK]);
  const action = alone ? `${home}/${alone.name}` : home;
  const wide = findWide(panels);
  const chosenFor = (target: string): URLSearchParams =>
    chosenOf(
      choices,
      query,
      board.about,
      frame.boards.find(({ name }) => name === target),
    );
  const subject = choices.find(({ variable }) => variable.name === board.about)?.chosen[0];
  const about = board.about && subject ? { name: board.about, value: subject } : undefined;
  const place: Place = { here: `${action}?${withBack(written, back)}`, chosenFor, about };
  const marks = numberWeeks(marksOfBoard(view));
  const remarks = remarksOf(panels);
  const sectionOf = (shown: BoardView['panels'][number]): JSX.Element => (
    <PanelSection
      key={shown.panel.name}
      {...{ shown, choices, values, search, place, sources, marks, query, now, remarks }}
      isWhole={wide.has(shown.panel.name)}
      isAlone={alone !== undefined}
    />
  );
  const tiles = panels.filter(({ panel }) => panel.chart === 'tiles' && !alone);
  return writePage(
    <Layout
      frame={frame}
      title={alone ? `${alone.title} · ${board.title}` : board.title}
      current={board.name}
      kind="board"
      chosen={chosenOf(choices, query, board.about)}
    >
      {back && (
        <nav class="trail" aria-label="Way back">
          <a href={back.href}>Back to {back.title}</a>
        </nav>
      )}
      <header class="board">
        {alone ? (
          <p class="lead">
            <a href={`${home}${search}#${alone.name}`}>{board.title}</a>
          </p>
        ) : (
          <>
            <h1>{board.title}</h1>
            <Subject choices={choices} name={board.about} />
            <p class="lead">{board.question}</p>
          </>
        )}
      </header>
      {choices.length > 0 && (
        <FilterLine board={board} action={action} choices={choices} kept={withBack(written, back)}>
          {week === undefined ? null : <WeekState states={week} datasets={expectedOf(sources)} />}
        </FilterLine>
      )}
      {faults.length > 0 && (
        <div class="problem" role="alert">
          <p>
            The address contains values that cannot be shown;{' '}
            {panels.length > 0 ? 'they are left out or replaced by the default.' : 'choose others to see figures.'}
          </p>
          <ul>
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </div>
      )}
      {ownDomains?.length === 0 && <NoOwnSite />}
      {tiles.length > 0 && <div class="tile-row">{tiles.map(sectionOf)}</div>}
      <div class={alone ? 'panels alone' : 'panels'}>{panels.filter((shown) => !tiles.includes(shown)).map(sectionOf)}</div>
      <WhatHappened
        marks={marks}
        isOfAll={!values.account}
        notes={values.account && frame.notesAddress ? `${frame.notesAddress}?account=${values.account}` : undefined}
      />
      {(sources.length > 0 || faults.length === 0) && <AsOf sources={sources} ownDomains={ownDomains} now={now} />}
    </Layout>,
  );
}

/** What happened to the data of any of its panels. */
const marksOfBoard = ({ panels, annotations }: BoardView): BoardView['annotations'] =>
  annotationsOf({ datasets: [...new Set(panels.flatMap(({ panel }) => panel.datasets))] }, annotations);

/** The datasets that a job loads. */
const expectedOf = (sources: readonly Source[]): readonly string[] => [
  ...new Set(sources.filter(({ isConfigured, isEnabled }) => isConfigured && isEnabled).map(({ dataset }) => dataset)),
];

type WayBack = Readonly<{ href: string; title: string }>;

/** The board that led here, which the address says. */
function findBack({ boards }: Frame, given: Query[string]): WayBack | undefined {
  const href = typeof given === 'string' ? localPath(given) : '/';
  const [, name] = /^\/boards\/([^/?#]+)/.exec(href) ?? [];
  const board = boards.find((each) => each.name === name);
  return board && { href, title: board.title };
}

function withBack(written: URLSearchParams, back: WayBack | undefined): URLSearchParams {
  return new URLSearchParams([...written, ...(back ? [[BACK, back.href] as [string, string]] : [])]);
}

/** What a board of one thing is about. */
function Subject({ choices, name }: Readonly<{ choices: readonly Choice[]; name: Board['about'] }>): JSX.Element | null {
  const value = choices.find(({ variable }) => variable.name === name)?.chosen[0];
  return value ? (
    <p class="subject">
      <bdi>{value}</bdi>
    </p>
  ) : null;
}

/** How new the data is, which sites are ours, and the filters behind the figures. */
type AsOfProps = Readonly<{ sources: readonly Source[]; ownDomains: readonly OwnDomain[] | undefined; now: Date }>;

function AsOf({ sources, ownDomains, now }: AsOfProps): JSX.Element {
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
      {ownDomains && ownDomains.length > 0 && <OwnSites ownDomains={ownDomains} />}
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
  return (
    <p class="fine">
      Our sites: <bdi>{`${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`}</bdi>.{' '}
      {ownDomains[0]?.source === 'cited' &&
        'They were found in citations attributed to You; those who run Searchmill can define them (own_domains).'}
    </p>
  );
}

const NoOwnSite = (): JSX.Element => (
  <p class="warning">
    No site is known to be ours, so all searches count as absent. Ask those who run Searchmill to name our sites (own_domains in
    jobs.config.yaml).
  </p>
);

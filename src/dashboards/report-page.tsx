// The report: home, why its figures changed, what rules found and what can be won, with their tables, on pages of A4 to print or save, with account,
// filters, weeks, time and definitions. What it shows are panels of the boards, read in one snapshot each.
import type { JSX } from 'preact';
import { annotationsOf, numberWeeks, WhatHappened } from './annotations.tsx';
import { type BoardView, newestWeek, type Query, type ShownPanel } from './board-view.ts';
import type { Board } from './boards.ts';
import { FilterLine, tellChoices } from './filter-line.tsx';
import { Definitions } from './glossary-page.tsx';
import { newsOf, remarksOf } from './headline.ts';
import { type Frame, Layout, writePage } from './layout.tsx';
import { chosenOf, type Place, writeChoices } from './links.ts';
import { readMeasures } from './measures.ts';
import type { Panel } from './panel-file.ts';
import { Filters } from './panel-filters.tsx';
import { findWide, PanelSection } from './panel-section.tsx';
import { isSignal } from './readings.ts';
import { tilesOf } from './tiles.tsx';
import { showTime } from './times.ts';
import { WeekState } from './week-state.tsx';

export const REPORT = '/report';

/** The measures whose change is more than chance, by their tile or a line of news, in the order of the tiles: why each changed is told. */
export function changedMeasures(panels: readonly ShownPanel[]): readonly string[] {
  const changed = panels.flatMap(({ panel, result }) => {
    if ('failure' in result) return [];
    // Of a rival, Rivals tells more.
    if (panel.chart === 'news')
      return newsOf(panel, result).flatMap((line) => (line.isSignal && line.rival === null && line.measure ? [line.measure.name] : []));
    const hasChanged =
      panel.chart === 'tiles' && [...tilesOf(panel, result).values()].some((weeks) => isSignal(weeks.at(-1)?.reading ?? null));
    return hasChanged && panel.measure !== undefined ? [panel.measure] : [];
  });
  return [...new Set(changed)];
}

/** By board: the panels with lists of what to look at and what to do. */
const LISTS: Readonly<Record<string, readonly string[]>> = { signals: ['found'], 'to-win': ['within-reach', 'named-instead', 'sources'] };
/** A list is longer on its board. */
const LISTED_ROWS = 10;

/** The boards of the lists, with these panels only. */
export const listsOf = (boards: readonly Board[]): readonly Board[] =>
  boards.flatMap((board) => {
    const panels = board.panels.filter(({ name }) => LISTS[board.name]?.includes(name));
    return panels.length === 0 ? [] : [{ ...board, panels }];
  });

/** A part of the report, by its heading. */
type Part = Readonly<{ id: string; title: string; firstRows?: number }>;
const whole: Part = { id: 'report', title: 'report' };

type Report = Readonly<{
  home: BoardView;
  /** Another board; of Why, the measure that it is about. */
  parts: readonly Readonly<{ measure?: string; view: BoardView }>[];
}>;

export function reportPage(frame: Frame, { home, parts }: Report, { query, now }: Readonly<{ query: Query; now: Date }>): string {
  const { choices, faults, panels, values, sources, week, annotations } = home;
  const chosenFor = (target: string): URLSearchParams =>
    chosenOf(
      choices,
      query,
      undefined,
      frame.boards.find(({ name }) => name === target),
    );
  const kept = writeChoices(choices, query);
  const place: Place = { here: `${REPORT}?${kept}`, chosenFor };
  const datasets = [
    ...new Set([home, ...parts.map(({ view }) => view)].flatMap((view) => view.panels.flatMap(({ panel }) => panel.datasets))),
  ];
  const marks = numberWeeks(annotationsOf({ datasets }, annotations));
  const sectionsOf = (view: BoardView, part: Part, isIn: (panel: Panel) => boolean): JSX.Element[] => {
    const wide = findWide(view.panels);
    const written = writeChoices(view.choices, query);
    return view.panels
      .filter(({ panel }) => isIn(panel))
      .map((shown) => (
        <PanelSection
          key={shown.panel.name}
          {...{ shown, place, marks, query, now, part }}
          choices={view.choices}
          values={view.values}
          search={written.size > 0 ? `?${written}` : ''}
          sources={view.sources}
          remarks={remarksOf(view.panels)}
          isWhole={wide.has(shown.panel.name)}
          isAlone={false}
        />
      ));
  };
  const measures = readMeasures();
  const told = new Set([...panels.map(({ panel }) => panel.measure), ...parts.map(({ measure }) => measure)]);
  const account = choices.find(({ variable }) => variable.name === 'account');
  const name = account?.options.find(({ value }) => value === values.account)?.label ?? values.account ?? '';
  return writePage(
    <Layout frame={frame} title={`Report, ${name}`} current="report" kind="board" chosen={chosenOf(choices, query, undefined)}>
      <header class="board report-head">
        <h1 id={whole.id}>
          Report of <bdi>{name}</bdi>
        </h1>
        <p class="lead">
          Week of <time>{week?.[0]?.week ?? newestWeek(sources) ?? '–'}</time>. To keep it, print it or save it as a PDF.
        </p>
        <p class="context">
          <bdi>{tellChoices(choices)}</bdi> · read {showTime(now)}
        </p>
      </header>
      <FilterLine board={{}} action={REPORT} choices={choices} kept={kept}>
        {week === undefined ? null : <WeekState states={week} datasets={[...new Set(sources.map(({ dataset }) => dataset))]} />}
      </FilterLine>
      {faults.length > 0 && (
        <div class="problem" role="alert">
          <p>The address contains values that cannot be shown; they are left out or replaced by the default: {faults.join('; ')}</p>
        </div>
      )}
      <div class="tile-row">{sectionsOf(home, whole, ({ chart }) => chart === 'tiles')}</div>
      <div class="panels">{sectionsOf(home, whole, ({ chart }) => chart !== 'tiles')}</div>
      {parts.map(({ measure, view }) => {
        const title = measure
          ? `Why ${measures.find(({ name: each }) => each === measure)?.title.toLowerCase()} changed`
          : view.board.title;
        const part = measure ? { id: `why-${measure}`, title } : { id: view.board.name, title, firstRows: LISTED_ROWS };
        return (
          <section key={part.id} class="why-of" aria-labelledby={part.id}>
            <h2 id={part.id}>{title}</h2>
            <div class="panels">{sectionsOf(view, part, () => true)}</div>
          </section>
        );
      })}
      <WhatHappened marks={marks} isOfAll={!values.account} notes={undefined} />
      <section class="definitions-of" aria-labelledby="definitions">
        <h2 id="definitions">Definitions</h2>
        <Definitions measures={measures.filter((each) => told.has(each.name))} boards={[]} />
      </section>
      <section class="panel" aria-labelledby="loaded">
        <h2 id="loaded">What was loaded</h2>
        <Filters sources={sources} />
      </section>
    </Layout>,
  );
}

// The report: home and why its figures changed, with their tables, on pages of A4 to print or save, with account, filters, weeks, time and
// definitions. What it shows are panels of the boards, read in one snapshot each.
import type { JSX } from 'preact';
import { annotationsOf, numberWeeks, WhatHappened } from './annotations.tsx';
import { type BoardView, newestWeek, type Query, type ShownPanel } from './board-view.ts';
import { FilterLine, tellChoices } from './filter-line.tsx';
import { Definitions } from './glossary-page.tsx';
import { remarksOf } from './headline.ts';
import { type Frame, Layout, writePage } from './layout.tsx';
import { chosenOf, type Place, writeChoices } from './links.ts';
import { readMeasures } from './measures.ts';
import type { Panel } from './panel-file.ts';
import { Filters } from './panel-filters.tsx';
import { findWide, PanelSection } from './panel-section.tsx';
import { tilesOf } from './tiles.tsx';
import { showTime } from './times.ts';
import { WeekState } from './week-state.tsx';

export const REPORT = '/report';

/** The measures of the tiles that changed, in their order: why each did is told. */
export function changedMeasures(panels: readonly ShownPanel[]): readonly string[] {
  return panels.flatMap(({ panel, result }) => {
    if (panel.chart !== 'tiles' || panel.measure === undefined || 'failure' in result) return [];
    const isChanged = [...tilesOf(panel, result).values()].some((weeks) => Number(weeks.at(-1)?.change ?? 0) !== 0);
    return isChanged ? [panel.measure] : [];
  });
}

/** A part of the report, by its heading. */
type Part = Readonly<{ id: string; title: string }>;
const whole: Part = { id: 'report', title: 'report' };

type Report = Readonly<{
  home: BoardView;
  /** The board Why of each measure. */
  whys: readonly Readonly<{ measure: string; view: BoardView }>[];
}>;

export function reportPage(frame: Frame, { home, whys }: Report, { query, now }: Readonly<{ query: Query; now: Date }>): string {
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
    ...new Set([home, ...whys.map(({ view }) => view)].flatMap((view) => view.panels.flatMap(({ panel }) => panel.datasets))),
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
  const told = new Set([...panels.map(({ panel }) => panel.measure), ...whys.map(({ measure }) => measure)]);
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
      {whys.map(({ measure, view }) => {
        const title = `Why ${measures.find((each) => each.name === measure)?.title.toLowerCase()} changed`;
        const part = { id: `why-${measure}`, title };
        return (
          <section key={measure} class="why-of" aria-labelledby={part.id}>
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

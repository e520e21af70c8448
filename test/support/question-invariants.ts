// What must hold of every panel of every board, whatever was asked for, without computing its figures anew: there is no figure of a week that is not
// there, no gap without a reason, no zero without rows that say zero, and no change between weeks of different questions.
import { type Cell, separateReasons } from '../../src/dashboards/cells.ts';
import type { Panel } from '../../src/dashboards/panel-file.ts';
import type { PanelResult } from '../../src/dashboards/run-panels.ts';
import type { Values } from '../../src/dashboards/variables.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { shownWeeks, weekCompared } from './question-choices.ts';
import { NAMED_CAUSES, servedFor } from './question-figures.ts';
import { isSameOf, valuesOf } from './question-lines.ts';
import { PUBLISHED, QUESTION_WEEKS, type World } from './questions.ts';

/** Columns that tell of a change, beside those that a panel names so. */
const OF_CHANGES = ['change', 'against_week_before', 'reading', 'against_mean', 'places_won'];
/** Figures that may be 0 where no row is: what the ledger counts. */
const isOfLedger = ({ datasets }: Panel): boolean => datasets.length === DATASETS.length;
const WEEKS: readonly (string | null | undefined)[] = QUESTION_WEEKS;

type Line = Readonly<Record<string, Cell>>;

/** Panels of measures compare what both weeks have, whatever else was asked for. */
const isOfMeasures = ({ sql }: Panel): boolean =>
  /search_reports\.((site_|attribution_)?levels|changes|contributions(_by_unit)?|rival_sentiments|pooled|shown_weeks|cited_and_ranking|tile_of|measure_(weeks|pair))\(/.test(
    sql,
  );

/** The weeks that a panel may show, by its variables: all that are chosen, or one. */
function weeksOf(panel: Panel, values: Values): readonly number[] {
  const has = (name: string): boolean => panel.variables.some((variable) => variable.name === name);
  const all = QUESTION_WEEKS.map((_, at) => at);
  // The newest week with figures, up to a day, and what it is compared with.
  const isOfPair = /(_pair|most_moved_searches)\(/.test(panel.sql);
  if (has('weeks') && !isOfPair) return shownWeeks(values);
  if (has('weeks')) {
    const until = values.weeks?.split('..')[1];
    return all.filter((at) => !until || (QUESTION_WEEKS[at] ?? '') <= until);
  }
  return has('week') && values.week ? all.filter((at) => QUESTION_WEEKS[at] === values.week) : all;
}

/** Everything that is wrong with what a panel shows, in words. */
export function faultsOfPanel(of: World, panel: Panel, values: Values, result: PanelResult): string[] {
  if (isOfLedger(panel)) return [];
  const [dataset = ''] = panel.datasets;
  const faults: string[] = [];
  const shown = weeksOf(panel, values);
  const whole = result.rows.map((row): Line => Object.fromEntries(result.columns.map(({ name }, at) => [name, row[at] ?? null])));
  const { rows, reasons } = separateReasons(result);
  const place = (row?: Line): string => `${panel.board}/${panel.name} ${JSON.stringify(values)}: ${JSON.stringify(row ?? whole)}`;
  const isThere = (at: number): boolean => PUBLISHED.has(of.weeks[at]?.[dataset]?.state ?? 'none');
  const causes = shown.filter((at) => !isThere(at)).flatMap((at) => NAMED_CAUSES[of.weeks[at]?.[dataset]?.state ?? 'none'] ?? []);
  const isOfTwoWeeks = panel.variables.some(({ name }) => name === 'compare' || name === 'before');
  const told = [...reasons, ...whole.flatMap(({ reason, notice }) => [reason ?? '', notice ?? ''])].join(' ');

  if (whole.length === 0 && !panel.empty) faults.push(`${place()}: nothing, and no reason`);
  if (!shown.some(isThere)) {
    if (rows.length > 0 && (panel.x !== 'week' || whole.some((row) => panel.y.some((column) => row[column] !== null))))
      faults.push(`${place()}: figures although no week is there`);
    if (shown.length > 0 && !causes.some((cause) => cause.test(told))) faults.push(`${place()}: names none of ${causes.join(' ')}`);
    if (shown.length === 0 && !/no week|not loaded/i.test(`${told} ${whole.length === 0 ? panel.empty : ''}`))
      faults.push(`${place()}: does not say that no week is shown`);
  }
  for (const row of whole) {
    if (panel.x === 'week') faults.push(...faultsOfWeek(of, panel, values, row).map((fault) => `${place(row)}: ${fault}`));
    for (const column of isOfMeasures(panel) ? [] : isOfTwoWeeks ? [...panel.changes, ...OF_CHANGES] : OF_CHANGES)
      if ((row[column] ?? null) !== null && !mayCompare(of, panel, values, row))
        faults.push(`${place(row)}: ${column} between weeks that cannot be compared`);
  }
  faults.push(...faultsOfLines(of, panel, values, whole).map((fault) => `${place()}: ${fault}`));
  return faults;
}

function faultsOfWeek(of: World, panel: Panel, values: Values, row: Line): string[] {
  const at = WEEKS.indexOf(row.week);
  const [dataset = ''] = panel.datasets;
  const [column = ''] = panel.y;
  const figure = row[column] ?? null;
  if (at < 0) return figure === null && row.reason ? [] : ['a week that was never asked for'];
  const state = of.weeks[at]?.[dataset]?.state ?? 'none';
  if (!weeksOf(panel, values).includes(at)) return ['a week that is not chosen'];
  if (figure === null && !row.reason) return ['a gap without a reason'];
  if (!PUBLISHED.has(state)) {
    if (figure !== null) return [`a figure, although it is ${state}`];
    return NAMED_CAUSES[state]?.test(row.reason ?? '') ? [] : [`does not name ${NAMED_CAUSES[state]}`];
  }
  if (figure === null) return [];
  const { low, high } = row;
  if (low && high && (Number(low) > Number(figure) + 0.1 || Number(high) < Number(figure) - 0.1)) return ['outside its interval'];
  return Number(figure) === 0 && servedFor(of, dataset, at, valuesOf(panel, values)).length === 0
    ? ['zero, and no row of what is chosen was served']
    : [];
}

/** Whether any two weeks that the row may be of answer the same question. */
function mayCompare(of: World, panel: Panel, values: Values, row: Line): boolean {
  const [dataset = ''] = panel.datasets;
  const has = (name: string): boolean => panel.variables.some((variable) => variable.name === name);
  const isThere = (at: number): boolean => at >= 0 && PUBLISHED.has(of.weeks[at]?.[dataset]?.state ?? 'none');
  const of_ = row.week === undefined || row.week === null ? weeksOf(panel, values) : [WEEKS.indexOf(row.week)];
  return of_.filter(isThere).some((at) => {
    const week = QUESTION_WEEKS[at] ?? '';
    // The mean of four weeks needs more weeks than there are.
    const before = has('before') && values.before ? values.before : has('compare') ? weekCompared(week, values) : weekCompared(week, {});
    const other = WEEKS.indexOf(before);
    return isThere(other) && other < at && isSameOf(of, panel, values, { before: other, at });
  });
}

/** A line with a question is not drawn from one question to another. */
function faultsOfLines(of: World, panel: Panel, values: Values, whole: readonly Line[]): string[] {
  if (panel.x !== 'week' || isOfMeasures(panel) || whole.every(({ question }) => question === undefined)) return [];
  const last = new Map<string, Line>();
  const faults: string[] = [];
  for (const row of whole) {
    if ((row[panel.y[0] ?? ''] ?? null) === null) continue;
    const series = row[panel.series ?? ''] ?? '';
    const before = last.get(series);
    last.set(series, row);
    if (!before || before.question !== row.question) continue;
    const pair = { before: WEEKS.indexOf(before.week), at: WEEKS.indexOf(row.week), series };
    if (!isSameOf(of, panel, values, pair)) faults.push(`${series} is drawn from ${before.week} to ${row.week}: ${row.question}`);
  }
  return faults;
}

// Draws one chart as SVG, with only the parts of echarts that are used. The tooltip is text inside the drawing, so no string of the data
// becomes HTML, and no inline style violates the pages' content security policy.

import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import { BarChart, LineChart } from 'echarts/charts';
import { AriaComponent, GridComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import { type EChartsType, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { ChartSettings, Figures, Line } from './figures.ts';
import { findShifts, isLabelled, LABEL_SIZE, MAX_LABEL, MAX_MARKED_POINTS, widthOf } from './line-names.ts';
import type { Look } from './looks.ts';
import { type Mark, markLines } from './marks.ts';

use([LineChart, BarChart, GridComponent, TooltipComponent, MarkLineComponent, AriaComponent, SVGRenderer]);

export const PLACE = 'place';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MAX_NAME = 36;
/** The series name of bands. No line can have it, and tooltips leave it out. */
const BAND = '\u0000band';
const MAX_TIP_LINES = 14;
const MAX_TIP_MARKS = 3;
const MAX_MARK = 60;
const DIGITS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

export type Drawing = Readonly<{
  chart: EChartsType;
  settings: ChartSettings;
  figures: Figures;
  looks: ReadonlyMap<string, Look>;
  /** Annotations of its weeks. */
  marks: readonly Mark[];
  hidden: ReadonlySet<string>;
}>;

export function createChart(canvas: HTMLElement): EChartsType {
  return init(canvas, null, { renderer: 'svg' });
}

function showNumber(value: number, unit: string | undefined): string {
  return `${DIGITS.format(value)}${unit === '%' ? ' %' : unit && unit !== PLACE ? ` ${unit}` : ''}`;
}

/** The name of a line's colour in the style sheet: in a chart with lines of ours and of others these are grey until they are pointed at. */
export function colourNameOf({ figures, looks }: Pick<Drawing, 'figures' | 'looks'>, { name, isOurs }: Line): string {
  return isOurs || !isBeside(figures) ? `series-${looks.get(name)?.colour}` : 'other';
}

const isBeside = ({ lines }: Figures): boolean => lines.some(({ isOurs }) => isOurs) && lines.some(({ isOurs }) => !isOurs);

/** Draws the chart, or redraws it after a change of colours, size or lines. */
export function draw(drawing: Drawing): void {
  drawOnce(drawing, new Map());
  if (isLabelled(drawing, drawing.chart.getWidth())) drawOnce(drawing, findShifts(drawing));
}

function drawOnce(drawing: Drawing, shifts: ReadonlyMap<string, number>): void {
  const { chart, settings, figures, looks, marks, hidden } = drawing;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const { chart: kind, unit } = settings;
  const isNarrow = chart.getWidth() < 480;
  // Bars are horizontal unless they are weeks, since names of sites are long.
  const isLying = kind === 'bar' && !figures.isByDate;
  const font = getComputedStyle(document.body).fontFamily;
  const text = { color: colour('dim'), fontSize: 12, lineHeight: 16, fontFamily: font };
  const places = {
    type: 'category' as const,
    data: [...figures.places],
    inverse: isLying,
    boundaryGap: kind !== 'line',
    axisLine: { onZero: false, lineStyle: { color: colour('line') } },
    axisTick: { show: false },
    axisLabel: {
      ...text,
      hideOverlap: true,
      formatter: (place: string) => (figures.isByDate ? showDate(place, isNarrow) : shorten(place, isNarrow ? 18 : MAX_NAME)),
    },
  };
  const amounts = {
    type: 'value' as const,
    // Place 1 is the best, so it is at the top.
    ...(unit === PLACE && { inverse: true, min: 1, minInterval: 1 }),
    ...(kind === 'stacked' && unit === '%' && isOfAHundred(figures) && { max: 100 }),
    splitLine: { lineStyle: { color: colour('line'), opacity: 0.6 } },
    splitNumber: isNarrow && isLying ? 3 : 5,
    axisLabel: { ...text, formatter: (value: number) => (unit === '%' ? `${DIGITS.format(value)} %` : SHORT.format(value)) },
  };
  const labelled = isLabelled(drawing, chart.getWidth());
  const isGrey = isBeside(figures);
  const lastOf = (values: readonly (number | null)[]): number => values.findLastIndex((value) => value !== null);
  const series = figures.lines.flatMap((line): (LineSeriesOption | BarSeriesOption)[] => {
    const { name, isOurs, values, parts } = line;
    const look = looks.get(name);
    if (hidden.has(name) || !look) return [];
    const own = colour(`series-${look.colour}`);
    const shown = colour(colourNameOf(drawing, line));
    const common = {
      name,
      data: [...values],
      itemStyle: { color: shown },
      animation: false,
      // Pointed at, it has its own colour.
      emphasis: { focus: 'none' as const, itemStyle: { color: own }, lineStyle: { color: own, width: isOurs ? 3 : 2 } },
      ...(isOurs && { z: 3 }),
    };
    if (kind === 'line') {
      const isMarked = !isGrey || isOurs;
      const last = lastOf(values);
      const label = {
        show: true,
        position: 'right' as const,
        offset: [0, shifts.get(name) ?? 0],
        formatter: shorten(name, MAX_LABEL),
        color: isGrey && !isOurs ? colour('dim') : own,
        fontFamily: font,
        fontSize: LABEL_SIZE,
        fontWeight: isOurs ? (600 as const) : (400 as const),
      };
      // A separate line for each question, so that figures of different questions are not joined.
      return parts.map((part) => ({
        ...common,
        data: part.map((value, at) => {
          const isAlone = value !== null && (part[at - 1] ?? null) === null && (part[at + 1] ?? null) === null;
          const symbol = isMarked || isAlone || at === last ? {} : { symbol: 'none' };
          return labelled && at === last ? { value, label } : { value, ...symbol };
        }),
        type: 'line' as const,
        connectNulls: false,
        triggerLineEvent: true,
        symbol: `path://${look.mark}`,
        symbolSize: 6,
        showSymbol: values.filter((value) => value !== null).length < MAX_MARKED_POINTS,
        lineStyle: { width: isOurs && isGrey ? 3 : 2, color: shown },
      }));
    }
    const edge = { borderColor: colour('surface'), borderWidth: isGrey ? 1 : 0 };
    return [
      {
        ...common,
        itemStyle: { color: shown, ...edge },
        type: 'bar' as const,
        barMaxWidth: 36,
        ...(kind === 'stacked' && { stack: 'all' }),
      },
    ];
  });
  const labelWidth = labelled
    ? Math.max(...figures.lines.filter(({ name }) => !hidden.has(name)).map(({ name }) => widthOf(shorten(name, MAX_LABEL), font)), 0)
    : 0;
  // Drawn behind the lines, but after them in the list, since seriesAt returns the index of a line.
  const bands =
    kind !== 'line'
      ? []
      : figures.lines.flatMap((line) => (hidden.has(line.name) ? [] : bandsOf(line, colour(colourNameOf(drawing, line)))));
  const [first] = series;
  if (first && marks.length > 0) first.markLine = markLines(marks, colour('dim'), font, unit === PLACE);
  chart.setOption(
    {
      textStyle: { fontFamily: font },
      grid: {
        left: 8,
        right: 16 + labelWidth,
        top: marks.length > 0 ? 24 : 16,
        bottom: 8,
        outerBoundsMode: 'same',
        outerBoundsContain: 'axisLabel',
      },
      tooltip: {
        trigger: 'axis',
        renderMode: 'richText',
        confine: true,
        axisPointer: { type: kind === 'line' ? 'line' : 'shadow' },
        backgroundColor: colour('surface'),
        borderColor: colour('line'),
        textStyle: { color: colour('text'), fontSize: 13, fontFamily: font },
        formatter: (points: unknown) => describe(points as readonly Point[], unit, marks),
      },
      xAxis: isLying ? amounts : places,
      yAxis: isLying ? places : amounts,
      series: [...series, ...bands],
    },
    { notMerge: true },
  );
}

/** Confidence bands, drawn lightly as two stacked lines without width: `low`, and the height up to `high` with its area filled. */
function bandsOf({ name, bounds }: Line, colour: string): LineSeriesOption[] {
  return bounds.flatMap(({ low, high }, number) => {
    const common = {
      type: 'line' as const,
      name: BAND,
      stack: `${name} ${number}`,
      stackStrategy: 'all' as const,
      connectNulls: false,
      symbol: 'none',
      silent: true,
      animation: false,
      z: 1,
      lineStyle: { width: 0 },
    };
    const heights = high.map((end, index) => (end === null ? null : end - (low[index] ?? 0)));
    return [
      { ...common, data: [...low] },
      { ...common, data: heights, areaStyle: { color: colour, opacity: 0.1 } },
    ];
  });
}

/** The index of the first drawn series with a figure at a place; -1 if there is none. Hidden lines have no series. */
export function seriesAt({ settings, figures, hidden }: Pick<Drawing, 'settings' | 'figures' | 'hidden'>, place: number): number {
  const drawn = figures.lines
    .filter(({ name }) => !hidden.has(name))
    .flatMap(({ values, parts }) => (settings.chart === 'line' ? parts : [values]));
  return drawn.findIndex((values) => values[place] !== null);
}

/** Whether the lines are shares of a whole. The sum may be slightly above 100, since each share is rounded. */
function isOfAHundred({ places, lines }: Figures): boolean {
  return places.every((_, at) => lines.reduce((sum, { values }) => sum + (values[at] ?? 0), 0) < 101);
}

/** `marker` is echarts' markup for a square in the colour of the line. */
type Point = Readonly<{ name: string; seriesName?: string; value: number | null; marker?: string }>;

/** The text of the tooltip, also announced when the chart is read with the keyboard. */
export function describe(points: readonly Point[], unit: string | undefined, marks: readonly Mark[]): string {
  const known = points.filter(({ seriesName, value }) => seriesName !== BAND && value !== null && value !== undefined);
  const lines = [...known]
    .sort((a, b) => Number(b.value) - Number(a.value))
    .map(({ seriesName = '', value, marker = '' }) => `${marker}${shorten(seriesName, MAX_NAME)}: ${showNumber(Number(value), unit)}`);
  const shown = lines.slice(0, MAX_TIP_LINES);
  const rest = lines.length - shown.length;
  const place = points[0]?.name ?? '';
  const happened = marks.flatMap(({ number, week, texts }) =>
    week === place ? texts.map((text) => `(${number}) ${shorten(text, MAX_MARK)}`) : [],
  );
  const told = [
    ...happened.slice(0, MAX_TIP_MARKS),
    ...(happened.length > MAX_TIP_MARKS ? [`and ${happened.length - MAX_TIP_MARKS} more below`] : []),
  ];
  return [
    shorten(place, MAX_NAME),
    ...(lines.length === 0 ? ['no figure'] : shown),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    ...told,
  ].join('\n');
}

/** Cuts a text, and replaces invisible characters and the braces that echarts takes for styles. */
function shorten(name: string, most: number): string {
  const clean = name
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replaceAll('{', '(')
    .replaceAll('}', ')');
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean;
}

function showDate(date: string, isShort: boolean): string {
  const [year = '', month = '', day = ''] = date.split('-');
  const name = MONTHS[Number(month) - 1] ?? month;
  return `${Number(day)}${isShort ? '\n' : ' '}${name}${isShort ? '' : `\n${year}`}`;
}

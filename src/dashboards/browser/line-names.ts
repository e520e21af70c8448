// Names at the ends of lines, where there is room for them: they need no legend, and none covers another.
import type { EChartsType } from 'echarts/core';
import type { ChartSettings, Figures } from './figures.ts';

/** With more lines, or on less room, names stand in a legend. */
const MAX_LABELLED = 6;
const MIN_LABELLED_WIDTH = 520;
/** Of a name at the end of a line. */
export const MAX_LABEL = 22;
export const LABEL_SIZE = 12;
/** With more points, marks would cover the line. */
export const MAX_MARKED_POINTS = 60;

/** Whether names stand at the ends of lines instead of in a legend. */
export function isLabelled({ settings, figures }: Readonly<{ settings: ChartSettings; figures: Figures }>, width: number): boolean {
  const { places, lines, isByDate } = figures;
  const isOfLines = settings.chart === 'line' && isByDate && lines.length > 1 && lines.length <= MAX_LABELLED;
  return isOfLines && places.length < MAX_MARKED_POINTS && width >= MIN_LABELLED_WIDTH;
}

/** The width of a name, in pixels. */
export function widthOf(text: string, font: string): number {
  const measure = document.createElement('canvas').getContext('2d');
  if (measure) measure.font = `600 ${LABEL_SIZE}px ${font}`;
  return measure?.measureText(text).width ?? text.length * 7;
}

/** In pixels. */
const LABEL_HEIGHT = 15;

type Shown = Readonly<{ chart: EChartsType; figures: Figures; hidden: ReadonlySet<string> }>;

/** By how many pixels each name at the end of a line moves, so that none covers another. */
export function findShifts({ chart, figures, hidden }: Shown): ReadonlyMap<string, number> {
  const ends = figures.lines
    .filter(({ name }) => !hidden.has(name))
    .flatMap(({ name, values }) => {
      const last = values.findLast((value) => value !== null);
      return last === undefined || last === null ? [] : [{ name, y: Number(chart.convertToPixel({ yAxisIndex: 0 }, last)) }];
    })
    .toSorted((a, b) => a.y - b.y);
  const placed: { name: string; y: number; at: number }[] = [];
  for (const { name, y } of ends) placed.push({ name, y, at: Math.max(y, (placed.at(-1)?.at ?? Number.NEGATIVE_INFINITY) + LABEL_HEIGHT) });
  // Those that are close move up and down alike.
  for (const group of groupClose(placed)) {
    const shift = group.reduce((sum, { y, at }) => sum + at - y, 0) / group.length;
    for (const each of group) each.at -= shift;
  }
  for (const [index, each] of placed.entries())
    each.at = Math.max(each.at, (placed[index - 1]?.at ?? Number.NEGATIVE_INFINITY) + LABEL_HEIGHT);
  // None stands below the lines, where the axis has its names.
  let lowest = findBottom(chart);
  for (const each of placed.toReversed()) {
    each.at = Math.min(each.at, lowest);
    lowest = each.at - LABEL_HEIGHT;
  }
  return new Map(placed.map(({ name, y, at }) => [name, at - y]));
}

/** Where the lines of a chart end below, in pixels. */
function findBottom(chart: EChartsType): number {
  const middle = chart.getWidth() / 2;
  let bottom = chart.getHeight();
  while (bottom > 0 && !chart.containPixel({ gridIndex: 0 }, [middle, bottom])) bottom -= 1;
  return bottom;
}

/** Runs of names without room between them. */
function groupClose<T extends Readonly<{ at: number }>>(placed: readonly T[]): T[][] {
  const groups: T[][] = [];
  for (const each of placed) {
    const group = groups.at(-1);
    if (group && each.at - (group.at(-1)?.at ?? 0) <= LABEL_HEIGHT) group.push(each);
    else groups.push([each]);
  }
  return groups;
}

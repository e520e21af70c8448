// The brief: an account's newest week in words, from the panels of the home board. It has the headline, each figure, what moved most, and
// what is missing, for people who read it on a phone.
import { SECOND } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { cutText, onOneLine } from '../core/invisible.ts';
import { type ShownPanel, viewBoard } from '../dashboards/board-view.ts';
import type { Board } from '../dashboards/boards.ts';
import { type Column, digitsOf, NOTICE_COLUMN, REASON_COLUMN, type Row, separateReasons, showCell } from '../dashboards/cells.ts';
import { findNewestWeek, headlineOf } from '../dashboards/headline.ts';
import type { Panel } from '../dashboards/panel-file.ts';
import { tellReading } from '../dashboards/readings.ts';
import type { PanelResult } from '../dashboards/run-panels.ts';
import { isPlace, type TileWeek, tilesOf } from '../dashboards/tiles.tsx';
import type { Pool } from '../postgres/pool.ts';

/** The home board takes about a second over 50 million rows. */
const MAX_READ_MS = 20 * SECOND;
const MOST_ROWS = 5;
const MAX_TEXT = 300;
/** The column that says why a week is missing or not compared. */
const WHY_COLUMN = 'why';

export type BriefTable = Readonly<{
  title: string;
  page: string | null;
  rows: readonly string[];
  /** Number of rows that are not in `rows`. */
  more: number;
  /** Text to show when there are no rows. */
  empty: string;
}>;

export type Brief = Readonly<{
  facts: readonly Readonly<{ text: string; page: string | null }>[];
  figures: readonly Readonly<{ title: string; text: string; page: string | null }>[];
  /** Empty since 1.1.0, in which facts tell what moved; kept for receivers that read it. */
  movers: readonly never[];
  missing: BriefTable;
  /** A sentence for each panel that could not be read, with the reason. */
  unread: readonly string[];
}>;

/** Reads the brief of an account. `page` returns the address of a panel, or null. Throws StoreError. */
export async function readBrief(pool: Pool, home: Board, account: string, page: (panel: string) => string | null): Promise<Brief> {
  using deadline = openDeadline(MAX_READ_MS);
  const panels = await viewBoard(pool, home, { account }, deadline.signal).then(
    (view) => view.panels,
    (error: unknown): ShownPanel[] => {
      if (!deadline.signal.aborted) throw error;
      // Retrying would take as long again and delay the briefs of other accounts.
      return home.panels.map((panel) => ({ panel, result: { failure: `home took more than ${MAX_READ_MS / SECOND} s` } }));
    },
  );
  const read = panels.flatMap(({ panel, result }) => ('failure' in result ? [] : [{ panel, result }]));
  const newest = findNewestWeek(panels);
  const tableOf = (name: string): BriefTable => tellTable(panels, name, page(name));
  return {
    facts: headlineOf(panels).map(({ panel, text }) => ({ text: tidy(text), page: page(panel) })),
    figures: read
      .filter(({ panel }) => panel.chart === 'tiles')
      .flatMap(({ panel, result }) => {
        const text = tellTile(panel, result, newest);
        return text === undefined ? [] : [{ title: panel.title, text, page: page(panel.name) }];
      }),
    movers: [],
    missing: tableOf('missing'),
    unread: panels
      .flatMap(({ panel, result }) => ('failure' in result ? [`${panel.title} could not be read: ${tidy(result.failure)}`] : []))
      .slice(0, MOST_ROWS),
  };
}

/** `31.0 %, +1.2 points against 2026-11-01, more than noise`. A named tile has its name in front; an older week is named too. */
function tellTile(panel: Panel, result: PanelResult, newestWeek: string | undefined): string | undefined {
  const told = [...tilesOf(panel, result)].flatMap(([name, weeks]) => {
    const newest = weeks.at(-1);
    const digits = digitsOf(weeks.map(({ figure }) => figure));
    if (!newest) return [];
    const about = [name, newest.week === newestWeek ? '' : `week of ${newest.week}`].filter(Boolean).join(', ');
    return [`${about === '' ? '' : `${about}: `}${tellWeek(panel, newest, digits)}`];
  });
  return told.length === 0 ? undefined : tidy(told.join('; '));
}

function tellWeek(
  panel: Panel,
  { week, figure, reason, change, compared_with: before, reading, uncompared }: TileWeek,
  digits: number,
): string {
  if (figure === null) return `no figure in the week of ${week}: ${reason ?? 'there is no data'}`;
  const shown = `${showCell(figure, 'number', digits)}${panel.unit === '%' ? ' %' : ''}`;
  if (change === null) return uncompared === null ? shown : `${shown}, not compared: ${uncompared}`;
  const by = showCell(String(Math.abs(Number(change))), 'number', digits);
  const direction = Number(change) > 0 ? '+' : Number(change) < 0 ? '−' : '±';
  const unit = isPlace(panel) ? 'places (fewer is better)' : 'points';
  return `${shown}, ${direction}${by} ${unit} against ${before}, ${tellReading(reading, change)}`;
}

function tellTable(panels: readonly ShownPanel[], name: string, page: string | null): BriefTable {
  const shown = panels.find(({ panel }) => panel.name === name);
  const none = { title: shown?.panel.title ?? name, page, rows: [], more: 0, empty: shown?.panel.empty ?? 'None.' };
  if (!shown || 'failure' in shown.result) return { ...none, empty: 'Not known.' };
  const { columns } = shown.result;
  const { rows, reasons } = separateReasons(shown.result);
  const told = rows.map((row) => tellRow(columns, row));
  return {
    ...none,
    rows: [...told, ...reasons].slice(0, MOST_ROWS).map(tidy),
    more: Math.max(0, told.length + reasons.length - MOST_ROWS),
  };
}

/** `citations, 2026-11-08: held (acme-citations)` */
function tellRow(columns: readonly Column[], row: Row): string {
  const cellsOf = (isShown: (name: string) => boolean): string[] =>
    row.flatMap((cell, at) => (cell !== null && isShown(columns[at]?.name ?? '') ? [cell] : []));
  const about = cellsOf((name) => ![WHY_COLUMN, NOTICE_COLUMN, REASON_COLUMN].includes(name));
  return [about.join(', '), ...cellsOf((name) => name === WHY_COLUMN)].join(': ');
}

const tidy = (text: string): string => cutText(onOneLine(text), MAX_TEXT);

// Quarantined rows as a table for people. A row can have megabytes, so texts are cut.
import { parseRow } from '../core/exact-json.ts';
import { cutText, showInvisible } from '../core/invisible.ts';
import type { QuarantinedRow } from '../publishing/quarantine.ts';
import { type Cell, formatTable } from './table.ts';

const HEADER = ['page', 'row', 'column', 'value', 'reason', 'begins with'];
const MAX_VALUE = 40;
const MAX_REASON = 80;
/** The beginning of a row has at least this many characters, and otherwise what is left of the terminal's width. */
const MIN_BEGINNING = 40;

/** One line per row: where it stood in the answer, the column that did not decode with its value, why, and how the row begins. */
export function tabulateQuarantine(rows: readonly QuarantinedRow[], width: number): string {
  const described = rows.map((row): Cell[] => [row.page, row.position, row.column, rejectedValue(row), shorten(row.reason, MAX_REASON)]);
  const used = formatTable(HEADER.slice(0, -1), described).split('\n')[1]?.length ?? 0;
  const room = Math.max(MIN_BEGINNING, width - used - 2);
  const table = described.map((cells, at) => [...cells, shorten(rows[at]?.raw ?? '', room)]);
  return formatTable(HEADER, table);
}

/** The value in the column that did not decode, as it came; null if the row has no such value. */
function rejectedValue({ raw, column, schemaNames }: QuarantinedRow): string | null {
  const at = column === null ? -1 : schemaNames.indexOf(column);
  if (at < 0) return null;
  const parsed: unknown = parseIfPossible(raw);
  const value: unknown = Array.isArray(parsed) ? parsed[at] : undefined;
  return value === undefined ? null : shorten(typeof value === 'string' ? value : String(JSON.stringify(value)), MAX_VALUE);
}

function parseIfPossible(raw: string): unknown {
  try {
    return parseRow(raw);
  } catch {
    return undefined;
  }
}

/** Cut before it is searched for what is invisible, and again after that has grown. */
function shorten(text: string, length: number): string {
  return cutText(showInvisible(cutText(text, 4 * length)), length);
}

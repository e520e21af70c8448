// Texts of a panel, cut in the database: an answer or a title of a megabyte is neither read nor sent for a page that shows its beginning.
// The CSV of a panel has them whole.
import type { Row, Rows } from './cells.ts';

/** Most characters of a text on a page, in a message or in an answer. Answers of AI assistants are rarely as long. */
const MAX_TEXT = 8_000;
/** The end of a text that was cut. */
const CUT_MARK = '… (cut here; the CSV has all of it)';

export function isCutText(text: string): boolean {
  return text.endsWith(CUT_MARK);
}

/** The statement with its texts cut after one character more than is shown; undefined if it has no texts. `columns` are its own. */
export function cuttingStatement(text: string, columns: Rows['columns']): string | undefined {
  if (!columns.some(({ kind }) => kind === 'text')) return undefined;
  const names = columns.map((_, at) => `c${at}`);
  const cut = columns.map(({ kind }, at) => (kind === 'text' ? `left(c${at}::text, ${MAX_TEXT + 1})` : `c${at}`));
  // Columns go by numbers, since two may have one name. A materialized part gives its rows in the order in which it makes them, and as they
  // are asked for.
  return `WITH searchmill_panel (${names.join(', ')}) AS MATERIALIZED (\n${text.replace(/;\s*$/, '')}\n) SELECT ${cut.join(', ')} FROM searchmill_panel`;
}

/** Rows of such a statement with a mark at the end of what was cut. */
export function markCuts(rows: readonly Row[], columns: Rows['columns']): readonly Row[] {
  const texts = columns.map(({ kind }) => kind === 'text');
  return rows.map((row) => (row.some(isTooLong) ? row.map((cell, at) => (texts[at] && isTooLong(cell) ? markCut(cell) : cell)) : row));
}

const isTooLong = (cell: string | null): cell is string => cell !== null && cell.length > MAX_TEXT;

/** Postgres counts characters, not their units in UTF-16. */
function markCut(cell: string): string {
  const characters = [...cell];
  return characters.length > MAX_TEXT ? `${characters.slice(0, MAX_TEXT).join('')}${CUT_MARK}` : cell;
}

// A panel's result as CSV (RFC 4180). streamCsv writes rows while it reads them, so its memory does not grow with their number, and to a file,
// so its connection is free when the rows are read, however slowly they are taken.

import { Readable } from 'node:stream';
import { SECOND } from '../core/clock.ts';
import { joinSignals } from '../core/deadline.ts';
import { groupBy } from '../core/group-by.ts';
import { readAnnotations } from '../ledger/annotations.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { ANNOTATIONS_COLUMN, annotationsOf, hasWeeks, tellAnnotation } from './annotations.tsx';
import type { Cell, Column, ColumnKind, Rows } from './cells.ts';
import { labelOf, nameAssistant } from './labels.ts';
import { readMeasures } from './measures.ts';
import type { Panel } from './panel-file.ts';
import { inSnapshot, readRows } from './run-panels.ts';
import { openSpool } from './spool.ts';
import type { Values } from './variables.ts';

/** Text that starts like this is a formula for spreadsheets, which could send data out or run programs. */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/u;
/**
 * The same inside a cell, after a character that a spreadsheet may take for a separator: with decimal commas it splits at semicolons, and
 * pasted text is split at tabs. In both cases our quotes have no effect.
 */
const LATER_FORMULA = /(?<=[;\t\r\n])(?=["\s\p{Cc}\p{Cf}]*[=+\-@\uff0b\uff0d\uff1d\uff20])/gu;
/** Without it Excel reads UTF-8 as its regional encoding. */
const BYTE_ORDER_MARK = '\ufeff';

/** Puts an apostrophe before text that a spreadsheet would run. Numbers stay as they are, even negative ones. */
function writeCell(cell: Cell, kind: ColumnKind): string {
  if (cell === null) return '';
  if (kind === 'number') return cell;
  const safe = (FORMULA.test(cell) ? `'${cell}` : cell).replaceAll(LATER_FORMULA, "'");
  return /[",;\t\r\n]/.test(safe) || /^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function writeHead(columns: readonly Column[]): string {
  return `${BYTE_ORDER_MARK}${columns.map(({ name }) => writeCell(name, 'text')).join(',')}\r\n`;
}

function writeRows({ columns, rows }: Rows): string {
  return rows.map((row) => `${columns.map(({ kind }, at) => writeCell(row[at] ?? null, kind)).join(',')}\r\n`).join('');
}

/** When the file is full and a reader takes no data for this long, its database connection is given back. */
const MAX_IDLE_MS = 30 * SECOND;

async function* writeAll(client: Client, panel: Panel, values: Values): AsyncGenerator<string> {
  let isFirst = true;
  const annotate = await readAnnotator(client, panel, values);
  for await (const read of readRows(client, panel, values)) {
    const batch = annotate(nameNews(panel, read));
    yield isFirst ? writeHead(batch.columns) + writeRows(batch) : writeRows(batch);
    isFirst = false;
  }
}

/** Adds a column of annotations of each week to the rows of a panel of weeks. */
async function readAnnotator(client: Client, panel: Panel, values: Values): Promise<(rows: Rows) => Rows> {
  if (!hasWeeks(panel)) return (rows) => rows;
  const found = annotationsOf(panel, await readAnnotations(client, values.account ?? null));
  const byWeek = groupBy(found, ({ week }) => week);
  const told = new Map([...byWeek].map(([week, own]) => [week, own.map((each) => tellAnnotation(each, !values.account)).join('; ')]));
  return ({ columns, rows }) => {
    const at = columns.findIndex(({ name }) => name === panel.x);
    return {
      columns: [...columns, { name: ANNOTATIONS_COLUMN, kind: 'text' }],
      rows: rows.map((row) => [...row, told.get(row[at] ?? '') ?? null]),
    };
  };
}

/** News have the names of assistants in their sentences, and those of measures and assistants in columns beside the values. */
function nameNews({ chart }: Panel, all: Rows): Rows {
  if (chart !== 'news') return all;
  const { columns, rows } = all;
  const at = (column: string): number => columns.findIndex(({ name }) => name === column);
  const [measure, assistant] = [at('measure'), at('assistant')];
  const sentences = new Set([at('what'), at('details')]);
  return {
    columns: [...columns, ...['measure_title', 'assistant_name'].map((name) => ({ name, kind: 'text' as const }))],
    rows: rows.map((row) => [
      ...row.map((cell, place) => (cell !== null && sentences.has(place) ? nameAssistant(cell, row[assistant] ?? null) : cell)),
      readMeasures().find(({ name }) => name === row[measure])?.title ?? null,
      labelOf('assistant', row[assistant] ?? null),
    ]),
  };
}

/** `searchmill-12345-rankings-market-share-13-weeks.csv`: the account and the weeks only if the panel has these variables. */
export function nameCsv({ board, name, variables }: Pick<Panel, 'board' | 'name' | 'variables'>, values: Values): string {
  const given = (variable: 'account' | 'weeks'): string[] =>
    variables.some((each) => each.name === variable) ? [values[variable] ?? 'all'] : [];
  const weeks = given('weeks').map((count) => `${count}-weeks`);
  return `${['searchmill', ...given('account'), board, name, ...weeks].join('-')}.csv`;
}

/** The whole CSV of a panel; undefined when it is longer than `maxLength` characters. Throws what pg throws. */
export async function readCsv(client: Client, panel: Panel, values: Values, maxLength: number): Promise<string | undefined> {
  let text = '';
  const annotate = await readAnnotator(client, panel, values);
  for await (const read of readRows(client, panel, values)) {
    const batch = annotate(nameNews(panel, read));
    text += (text === '' ? writeHead(batch.columns) : '') + writeRows(batch);
    if (text.length > maxLength) return undefined;
  }
  return text;
}

export type CsvStreaming = Readonly<{
  /** Aborts when the reader is gone. */
  gone: AbortSignal;
  /** Called when the database is not needed any more. */
  onRead?: () => void;
  maxIdleMs?: number;
  maxAheadBytes?: number;
}>;

/**
 * The CSV of a panel as a stream. Resolves when the first rows have been read; rejects with StoreError before that. A later failure breaks
 * the stream off, so that a part is not taken for the whole. Aborting `gone` gives the database connection back.
 */
export async function streamCsv(
  pool: Pool,
  panel: Panel,
  values: Values,
  { gone, onRead, maxIdleMs = MAX_IDLE_MS, maxAheadBytes }: CsvStreaming,
): Promise<Readable> {
  const idle = new AbortController();
  const onIdle = (): void => idle.abort(new Error(`nobody has read it for ${maxIdleMs / SECOND} s`));
  const joined = joinSignals(gone, idle.signal);
  const spool = await openSpool({ maxAheadBytes, maxIdleMs, onIdle });
  const body = Readable.from(spool.read(), { objectMode: false });
  body.on('error', () => undefined);
  // What is waiting for the reader must not wait for ever: the stop has to reach the transaction.
  joined.signal.addEventListener('abort', () => spool.end(joined.signal.reason as Error), { once: true });
  return new Promise((resolve, reject) => {
    const write = async (client: Client): Promise<void> => {
      for await (const text of writeAll(client, panel, values)) {
        joined.signal.throwIfAborted();
        await spool.write(text);
        resolve(body);
      }
    };
    inSnapshot(pool, write, joined.signal)
      .then(
        () => {
          spool.end();
          onRead?.();
        },
        (error: Error) => {
          reject(error);
          spool.end(error);
          body.destroy(error);
        },
      )
      .finally(() => joined[Symbol.dispose]());
  });
}

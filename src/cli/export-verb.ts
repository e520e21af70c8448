// searchmill export: the tables as Parquet or CSV files, for warehouses that are not Postgres.
import { InvalidArgumentError, Option } from 'commander';
import { SECOND } from '../core/clock.ts';
import { count, formatNumber } from '../core/numbers.ts';
import { type Exported, type ExportProgress, exportTables } from '../export/export-tables.ts';
import { FORMATS, type Format } from '../export/table-files.ts';
import { LiveLines } from './live-lines.ts';
import { paced } from './paced.ts';
import { printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

const DRAW_EVERY_MS = 0.1 * SECOND;
const MEGABYTE = 1_000_000;

type Options = Readonly<{ format: Format; to: string; since?: number; account?: string; points: boolean; json?: boolean }>;

export function exportVerb(terminal: Terminal): Verb {
  return new Verb('export')
    .description('write the tables, the points of charts and the changed weeks as Parquet or CSV files')
    .addOption(new Option('--format <format>', 'format of the files').choices(FORMATS).default('parquet'))
    .requiredOption('--to <folder>', 'folder of the files and of manifest.json')
    .option('--since <cursor>', 'only weeks that changed after it, instead of after the last export to this folder', parseCursor)
    .option('--account <id>', 'only this account', parseAccount)
    .option('--no-points', 'without the points of charts, which are read as a whole each time')
    .option('--json', 'as JSON')
    .more(`Writes the weeks that have changed since the last export to this folder, and
removes files of weeks that are gone. Each file and the manifest are replaced as
a whole. Stopped half-way, it goes on from there when it runs again. Run one
export to a folder at a time. It needs only the rights of a reader.

docs/export.md has recipes for DuckDB, BigQuery, Snowflake and Spark.

Examples:
  searchmill export --to /data/searchmill
  searchmill export --format csv --to /data/acme --account 12345`)
    .action(({ format, to, since, account = undefined, points, json }: Options, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        const progress = showExport(terminal, json === true);
        const options = { pool, folder: to, format, account: account ?? null, hasPoints: points, since, signal: terminal.stopping };
        const exported = await exportTables({ ...options, onProgress: progress.update }).finally(progress.finish);
        if (json) printJson(terminal, summarize(exported));
        else terminal.print(describe(exported, to));
      }),
    );
}

/** On a terminal a line that is drawn over, elsewhere a line every few seconds. */
function showExport(terminal: Terminal, isQuiet: boolean): { update: (progress: ExportProgress) => void; finish: () => void } {
  const lines = new LiveLines(terminal);
  const isDrawn = terminal.isInteractive && !isQuiet;
  const show = (progress: ExportProgress): void => {
    const charts = progress.charts > 0 ? `${count(progress.charts, 'chart')}, ` : '';
    const text = `${formatNumber(progress.weeks)} of ${count(progress.of, 'week')}, ${charts}${count(progress.rows, 'row')}`;
    if (isDrawn) lines.draw([text]);
    else terminal.warn(`exported ${text}`);
  };
  const update = paced(show, isDrawn ? DRAW_EVERY_MS : undefined);
  return { update: (progress) => update(progress, progress.weeks >= progress.of), finish: () => lines.finish() };
}

function describe({ weeks, charts, points, rows, bytes, removed, manifest }: Exported, folder: string): string {
  const gone = removed > 0 ? `; ${count(removed, 'file')} of what has no rows removed` : '';
  const drawn = charts > 0 ? ` ${count(charts, 'chart')} with ${count(points, 'point')},` : '';
  const changed = weeks === 0 ? 'No week has changed' : `${count(weeks, 'week')} with ${count(rows, 'row')}`;
  const written = weeks + charts === 0 ? changed : `${changed},${drawn} ${formatNumber(bytes / MEGABYTE)} MB`;
  return `${written}${gone}. ${folder} has ${count(manifest.weeks.length, 'week')}, up to cursor ${manifest.cursor}.`;
}

const summarize = ({ weeks, charts, points, rows, bytes, removed, manifest }: Exported) => ({
  weeks,
  charts,
  points,
  rows,
  bytes,
  removed,
  cursor: manifest.cursor,
  ledger: manifest.ledger,
  weeksInFolder: manifest.weeks.length,
});

function parseCursor(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a cursor, as manifest.json or search_reports.changed_weeks has it.');
}

function parseAccount(text: string): string {
  if (/^\d{1,18}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the number of an account.');
}

// Exports the points of charts: a file for each account, measure and grouping. Points change without a change of a week, when summaries are stored
// or settings change, so each export reads all of them.
import { compareText } from '../core/compare-text.ts';
import type { Pool } from '../postgres/pool.ts';
import { type ExportedColumn, type PointChart, readPointCharts, readPoints } from './exported-rows.ts';
import { moveInto, removeFile, writeFileOf } from './folder-files.ts';
import type { ExportedFile, ExportedPoints } from './manifest.ts';
import type { Format } from './table-files.ts';

type PointsOptions = Readonly<{
  folder: string;
  unfinished: string;
  format: Format;
  account: string | null;
  signal: AbortSignal;
  /** What the folder has. */
  before: readonly ExportedPoints[];
}>;

/** After each file: all that the folder has now. `file` is null for a chart without points. */
type ExportedChart = Readonly<{
  points: ExportedPoints[];
  columns: readonly ExportedColumn[] | undefined;
  file: ExportedFile | null;
  isRemoved: boolean;
}>;

const keyOf = ({ account, measure, groupedBy }: PointChart): string => `${account} ${measure} ${groupedBy}`;

/** Ends when `signal` aborts. Throws StoreError, what the file system throws. */
export async function* exportPoints(
  pool: Pool,
  { folder, unfinished, format, account, signal, before }: PointsOptions,
): AsyncGenerator<ExportedChart> {
  const known = new Map(before.map((each) => [keyOf(each), each]));
  const list = (): ExportedPoints[] => [...known.values()].toSorted((a, b) => compareText(keyOf(a), keyOf(b)));
  const charts = await readPointCharts(pool, account);
  for (const chart of charts) {
    if (signal.aborted) return;
    const { account: of, measure, groupedBy } = chart;
    const place = `points/account=${of}/measure=${measure}/grouped_by=${groupedBy}/rows.${format}`;
    const write = (batches: Parameters<typeof writeFileOf>[0]) => writeFileOf(batches, { unfinished, format, place });
    const { columns, file } = await readPoints(pool, chart, signal, write);
    if (file) await moveInto(folder, unfinished, place);
    const isRemoved = file === null && (await removeFile(folder, place));
    if (file) known.set(keyOf(chart), { account: of, measure, groupedBy, file });
    else known.delete(keyOf(chart));
    yield { points: list(), columns, file, isRemoved };
  }
  const current = new Set(charts.map(keyOf));
  for (const [key, { file }] of known) {
    if (current.has(key)) continue;
    known.delete(key);
    yield { points: list(), columns: undefined, file: null, isRemoved: await removeFile(folder, file.path) };
  }
}

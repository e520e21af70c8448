// Exports the tables as files: one for each dataset, account and week, replaced as a whole when the week has changed. It may be stopped at any
// moment: what was written stays, and the next run goes on from the cursor in the manifest.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SECOND } from '../core/clock.ts';
import { compareText } from '../core/compare-text.ts';
import { CancelledError, ConfigurationError } from '../core/errors.ts';
import { VERSION } from '../core/version.ts';
import type { Pool } from '../postgres/pool.ts';
import { exportPoints } from './export-points.ts';
import {
  type Batch,
  type ChangedWeek,
  type ExportedColumn,
  readChangedWeeks,
  readChanges,
  readLedgerMark,
  readPromotedColumns,
  readWeek,
  type WeekOfTable,
} from './exported-rows.ts';
import { describeColumns, moveInto, type Place, removeFile, sizeOf, writeFileOf } from './folder-files.ts';
import { type ExportedWeek, emptyManifest, type Manifest, readManifest, writeManifest } from './manifest.ts';
import type { Format } from './table-files.ts';

/** Files that are being written. On the same disk, so that they can be renamed, and not found by patterns such as `*.parquet`. */
const UNFINISHED = '.unfinished';
const CHANGED_WEEKS = 'changed_weeks';
/** The manifest names all files, so it is not written after each. */
const MANIFEST_EVERY_MS = 10 * SECOND;

export type ExportOptions = Readonly<{
  pool: Pool;
  folder: string;
  format: Format;
  /** Null for all accounts. */
  account: string | null;
  /** Whether search_reports.points is written, too. */
  hasPoints: boolean;
  /** Go on from this cursor instead of the manifest's. */
  since: number | undefined;
  signal: AbortSignal;
  onProgress: (progress: ExportProgress) => void;
}>;

/** `rows` of weeks of tables; `points` of `charts`; `bytes` of all files. */
export type ExportProgress = Readonly<{ weeks: number; of: number; charts: number; points: number; rows: number; bytes: number }>;
export type Exported = ExportProgress & Readonly<{ removed: number; manifest: Manifest }>;

/**
 * Writes the weeks that have changed since the last export to the folder, and removes files of weeks that are gone. Throws ConfigurationError if
 * the folder holds an export of another kind; CancelledError when `signal` aborts; StoreError; what the file system throws.
 */
export async function exportTables({
  pool,
  folder,
  format,
  account,
  hasPoints,
  since,
  signal,
  onProgress,
}: ExportOptions): Promise<Exported> {
  const ledger = await readLedgerMark(pool);
  const before = readManifest(folder);
  if (before) refuseOther(folder, before, format, account);
  const isSameLedger = before?.ledger === ledger;
  // After a restore numbers may come again, so every week counts as changed.
  const from = since ?? (isSameLedger ? before.cursor : 0);
  const changes = await readChanges(pool, account, from);
  const known = new Map((before?.weeks ?? []).map((week) => [keyOf(week), week]));
  const promoted = await readPromotedColumns(pool);
  const isOfOtherColumns = ({ dataset }: WeekOfTable): boolean => before?.promoted[dataset] !== promoted[dataset];
  const wanted: readonly (WeekOfTable & Partial<Pick<ChangedWeek, 'cursor'>>)[] = [
    ...findStale(folder, isSameLedger ? before.weeks : [], { changes, isOfOtherColumns }),
    ...changes,
  ];
  const unfinished = join(folder, UNFINISHED);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  let manifest: Manifest = {
    ...(before ?? emptyManifest({ searchmill: VERSION, format, account, ledger })),
    searchmill: VERSION,
    ledger,
    cursor: from,
  };
  const columns = { ...manifest.columns };
  const save = async (): Promise<void> => {
    const weeks = [...known.values()].toSorted((a, b) => compareText(keyOf(a), keyOf(b)));
    manifest = { ...manifest, columns: { ...columns }, weeks, writtenAt: new Date().toISOString() };
    await writeManifest(folder, unfinished, manifest);
  };
  let savedAt = performance.now();
  let progress: ExportProgress = { weeks: 0, of: wanted.length, charts: 0, points: 0, rows: 0, bytes: 0 };
  let removed = 0;
  for (const week of wanted) {
    if (signal.aborted) {
      await save();
      throw new CancelledError();
    }
    const place = join(week.dataset, `account=${week.account}`, `week=${week.week}`, `rows.${format}`);
    const written = await writeWeek(pool, week, { unfinished, format, place, signal });
    if (written.columns) columns[week.dataset] = describeColumns(written.columns);
    if (written.week?.file) await moveInto(folder, unfinished, place);
    else if (await removeFile(folder, place)) removed += 1;
    if (written.week) known.set(keyOf(week), written.week);
    else known.delete(keyOf(week));
    if (week.cursor !== undefined) manifest = { ...manifest, cursor: week.cursor };
    const { rows = 0, bytes = 0 } = written.week?.file ?? {};
    progress = { ...progress, weeks: progress.weeks + 1, rows: progress.rows + rows, bytes: progress.bytes + bytes };
    onProgress(progress);
    if (performance.now() - savedAt < MANIFEST_EVERY_MS) continue;
    await save();
    savedAt = performance.now();
  }
  if (before && !isSameLedger && since === undefined) removed += await removeUnknown(folder, known, changes);
  if (hasPoints) {
    const written = exportPoints(pool, { folder, unfinished, format, account, signal, before: manifest.points });
    for await (const { points, columns: named, file, isRemoved } of written) {
      if (named) columns.points = describeColumns(named);
      manifest = { ...manifest, points };
      removed += isRemoved ? 1 : 0;
      if (file) {
        const { charts, points: before, bytes } = progress;
        progress = { ...progress, charts: charts + 1, points: before + file.rows, bytes: bytes + file.bytes };
      }
      onProgress(progress);
      if (!signal.aborted && performance.now() - savedAt < MANIFEST_EVERY_MS) continue;
      await save();
      savedAt = performance.now();
    }
    if (signal.aborted) throw new CancelledError();
  }
  const place = `${CHANGED_WEEKS}.${format}`;
  const list = (batches: AsyncGenerator<Batch>) => writeFileOf(batches, { unfinished, format, place, keepsEmpty: true });
  const changedWeeks = await readChangedWeeks(pool, account, signal, list);
  await moveInto(folder, unfinished, place);
  if (changedWeeks.columns) columns[CHANGED_WEEKS] = describeColumns(changedWeeks.columns);
  manifest = { ...manifest, promoted, changedWeeks: changedWeeks.file };
  await save();
  await rm(unfinished, { recursive: true, force: true });
  return { ...progress, removed, manifest };
}

function refuseOther(folder: string, before: Manifest, format: Format, account: string | null): void {
  if (before.format !== format)
    throw new ConfigurationError(`${folder} holds an export as ${before.format}; choose another folder for ${format}`);
  if (before.account === account) return;
  const held = before.account === null ? 'all accounts' : `account ${before.account}`;
  throw new ConfigurationError(
    `${folder} holds an export of ${held}; choose another folder for ${account === null ? 'all accounts' : `account ${account}`}`,
  );
}

const keyOf = ({ dataset, account, week }: WeekOfTable): string => `${dataset} ${account} ${week}`;

/**
 * Weeks that have not changed, and whose files are gone, have another size, or are of other columns, since one was promoted or taken back: they are written
 * again.
 */
function findStale(
  folder: string,
  weeks: readonly ExportedWeek[],
  { changes, isOfOtherColumns }: Readonly<{ changes: readonly ChangedWeek[]; isOfOtherColumns: (week: WeekOfTable) => boolean }>,
): WeekOfTable[] {
  const changed = new Set(changes.map(keyOf));
  return weeks
    .filter((week) => !changed.has(keyOf(week)) && week.file !== null)
    .filter((week) => isOfOtherColumns(week) || sizeOf(join(folder, week.file?.path ?? '')) !== week.file?.bytes)
    .map(({ dataset, account, week }) => ({ dataset, account, week }));
}

/** Writes a week beside its place; without `week` when the ledger no longer has it. */
async function writeWeek(
  pool: Pool,
  week: WeekOfTable,
  { signal, ...where }: Place & Readonly<{ signal: AbortSignal }>,
): Promise<Readonly<{ columns: readonly ExportedColumn[] | undefined; week: ExportedWeek | undefined }>> {
  return readWeek(pool, week, signal, async (change, batches) => {
    if (change?.publication === null || change?.publication === undefined) {
      await batches.return(undefined);
      return { columns: undefined, week: undefined };
    }
    const { columns, file } = await writeFileOf(batches, where);
    const { dataset, account, week: day } = week;
    return { columns, week: { dataset, account, week: day, publication: change.publication, cursor: change.cursor, file } };
  });
}

/** Weeks of another ledger that this one does not know. */
async function removeUnknown(folder: string, known: Map<string, ExportedWeek>, changes: readonly ChangedWeek[]): Promise<number> {
  const current = new Set(changes.map(keyOf));
  let removed = 0;
  for (const [key, { file }] of known) {
    if (current.has(key)) continue;
    if (file && (await removeFile(folder, file.path))) removed += 1;
    known.delete(key);
  }
  return removed;
}

// Files of an export in their folder: each is written beside its place, and then replaces the one that is there.
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { typeOf } from './column-types.ts';
import type { Batch, ExportedColumn } from './exported-rows.ts';
import type { ExportedFile } from './manifest.ts';
import { type Format, openTableFile } from './table-files.ts';

export const describeColumns = (columns: readonly ExportedColumn[]): { name: string; type: string }[] =>
  columns.map((column) => ({ name: column.name, type: typeOf(column).name }));

export function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

export type Place = Readonly<{ unfinished: string; format: Format; place: string }>;
export type WrittenFile = Readonly<{ columns: readonly ExportedColumn[] | undefined; file: ExportedFile | null }>;

/** Without rows there is no file, unless `keepsEmpty`. */
export async function writeFileOf(
  batches: AsyncGenerator<Batch>,
  { unfinished, format, place, keepsEmpty = false }: Place & Readonly<{ keepsEmpty?: boolean }>,
): Promise<WrittenFile> {
  const path = join(unfinished, place);
  await mkdir(dirname(path), { recursive: true });
  let columns: readonly ExportedColumn[] | undefined;
  let rows = 0;
  let file: ReturnType<typeof openTableFile> | undefined;
  for await (const batch of batches) {
    columns = batch.columns;
    if (batch.rows.length > 0 || keepsEmpty) file ??= openTableFile(format, path, columns);
    await file?.write(batch);
    rows += batch.rows.length;
  }
  if (file === undefined) return { columns, file: null };
  await file.finish();
  return { columns, file: { path: place.replaceAll('\\', '/'), rows, bytes: sizeOf(path) ?? 0, sha256: await digestOf(path) } };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

export async function moveInto(folder: string, unfinished: string, place: string): Promise<void> {
  await mkdir(dirname(join(folder, place)), { recursive: true });
  await rename(join(unfinished, place), join(folder, place));
}

/** Whether there was one. */
export async function removeFile(folder: string, place: string): Promise<boolean> {
  const path = join(folder, place);
  if (sizeOf(path) === undefined) return false;
  await rm(path);
  return true;
}

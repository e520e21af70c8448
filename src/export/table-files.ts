// Writes rows to a file, batch by batch: Parquet, or CSV by RFC 4180. A file is complete when finish() has returned.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { SchemaElement } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { typeOf } from './column-types.ts';
import type { Batch, ExportedColumn } from './exported-rows.ts';

export const FORMATS = ['parquet', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export type TableFile = Readonly<{
  write: (batch: Batch) => Promise<void>;
  /** Closes the file; its content is on the disk afterwards. */
  finish: () => Promise<void>;
}>;

export function openTableFile(format: Format, path: string, columns: readonly ExportedColumn[]): TableFile {
  return format === 'parquet' ? openParquet(path, columns) : openCsv(path, columns);
}

/** Each batch is a row group. */
function openParquet(path: string, columns: readonly ExportedColumn[]): TableFile {
  const types = columns.map(typeOf);
  const fields = columns.map(({ name }, at): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...types[at]?.element }));
  const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...fields];
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'searchmill' });
  return {
    async write({ rows }) {
      if (rows.length === 0) return;
      const columnData = columns.map(({ name }, at) => {
        const parse = types[at]?.parse ?? String;
        return { name, data: rows.map((row) => (row[at] === null || row[at] === undefined ? null : parse(row[at]))) };
      });
      await writer.write({ columnData, rowGroupSize: rows.length });
    },
    async finish() {
      await writer.finish();
      syncFile(path);
    },
  };
}

/** NULL is an empty field, an empty text a quoted one, as COPY of Postgres writes and reads them. */
function openCsv(path: string, columns: readonly ExportedColumn[]): TableFile {
  const file = openSync(path, 'w');
  const isBoolean = columns.map((column) => typeOf(column).name === 'boolean');
  const writeCell = (cell: string | null | undefined, at: number): string => {
    if (cell === null || cell === undefined) return '';
    if (isBoolean[at]) return cell === 't' ? 'true' : 'false';
    return cell === '' || /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  };
  writeAll(file, `${columns.map(({ name }) => name).join(',')}\r\n`);
  return {
    write: async ({ rows }) =>
      writeAll(file, rows.map((row) => `${columns.map((_, at) => writeCell(row[at], at)).join(',')}\r\n`).join('')),
    async finish() {
      fsyncSync(file);
      closeSync(file);
    },
  };
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

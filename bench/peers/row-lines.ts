// The page server's rows in a file for other tools: in the service's order, with the columns that Searchmill adds to the table.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { identityColumns } from '../../src/datasets/dataset.ts';
import { createPageMaker, type PageOptions } from '../service/pages.ts';
import { type Row, rankingRows, type Slice } from '../service/rows.ts';

const { columns } = rankingRows.dataset;
const identity = identityColumns(rankingRows.dataset).map((column) => columns.indexOf(column));

/** All columns that a loader fills, in the order of the lines. */
export const LINE_COLUMNS: readonly string[] = [
  ...columns.map((column) => column.name),
  '_key',
  '_occurrence',
  '_slice',
  '_loaded_at',
  '_changed_at',
];

/** The target table of a query. */
export const TABLE = `search.${rankingRows.dataset.name}`;

/** A row's values with those of Searchmill's columns, which every loader of this table has to compute. */
export function completeRow(row: Row, loadedAt: string): Row {
  const key = createHash('sha256')
    .update(identity.map((index) => row[index]).join('\u001f'))
    .digest('hex')
    .slice(0, 32);
  return [...row, key, '1', '1', loadedAt, loadedAt];
}

/** Represents null in a line. */
export const NULL = '\\N';

/** Writes the rows of each slice as tab-separated lines and flushes them to disk, so that no measurement pays for that. */
export async function writeLines(path: string, slices: readonly Slice[], options: PageOptions): Promise<void> {
  const loadedAt = new Date().toISOString();
  function* pages(): Generator<string, void, undefined> {
    for (const slice of slices) {
      const maker = createPageMaker(rankingRows, slice, options);
      for (let page = 0; page < maker.pages; page += 1) {
        const rows = JSON.parse(`[${maker.makePage(page, 0).toString()}]`) as Row[];
        // The values contain no tab, line end or backslash.
        yield rows
          .map(
            (row) =>
              `${completeRow(row, loadedAt)
                .map((value) => value ?? NULL)
                .join('\t')}\n`,
          )
          .join('');
      }
    }
  }
  await pipeline(Readable.from(pages()), createWriteStream(path, { mode: 0o644, flush: true }));
}

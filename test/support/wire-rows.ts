// Rows as the service sends them, and the pages that they are decoded to.
import { createDecoder, type SchemaEntry } from '../../src/codec/decode.ts';
import type { Job } from '../../src/config/settings.ts';
import { type IsoDate, windowOfWeeks } from '../../src/core/weeks.ts';
import type { Dataset } from '../../src/datasets/dataset.ts';
import type { DecodedPage } from '../../src/publishing/checkpoint.ts';
import { decodePage } from './decode-page.ts';
import { WEEK } from './ledger.ts';

/** A row as the service sends it: strings by column name, the rest NULL. */
export type WireValues = Readonly<Record<string, unknown>>;

/** A row of `job` in the order of its dataset, in the window's first week unless said otherwise. */
export function wireRow(job: Job, values: WireValues, start: IsoDate = WEEK.start): unknown[] {
  const usual: WireValues = {
    account_id: String(job.accountId),
    time_period_start: start,
    time_period_end: windowOfWeeks(start, 1).end,
    ...values,
  };
  return job.dataset.columns.map(({ name }) => usual[name] ?? null);
}

export const schemaOf = (dataset: Dataset): SchemaEntry[] => dataset.columns.map(({ name, wire }) => ({ name, type: wire }));

/** A decoded page, ready to be committed. `nextCursor` is null on the last. */
export function decodedPage(
  dataset: Dataset,
  page: number,
  rows: readonly unknown[],
  { nextCursor = null, schema = schemaOf(dataset) }: { nextCursor?: string | null; schema?: readonly SchemaEntry[] } = {},
): DecodedPage {
  const decoder = createDecoder(dataset, schema);
  const { copyData, staged, rejected } = decodePage(decoder, rows, page);
  return {
    page,
    nextCursor,
    cursorAnchor: null,
    copyData,
    received: rows.length,
    staged,
    rejected,
    columnNames: decoder.columnNames,
    drift: decoder.drift,
    bytes: 1,
    totalRowCount: null,
    pageCalls: 1,
    pollCalls: 0,
    waitMs: 0,
    networkMs: 0,
    decodeMs: 0,
  };
}

/** Decoded pages that follow one another, the last one without a cursor. */
export function decodedPages(dataset: Dataset, pages: readonly (readonly unknown[])[]): DecodedPage[] {
  return pages.map((rows, i) => decodedPage(dataset, i + 1, rows, { nextCursor: i === pages.length - 1 ? null : `cursor-${i + 2}` }));
}

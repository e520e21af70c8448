// What pages of any size show under any flaws, and what soundRows says of them, are the same thing.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyFlaws, type ContentFlaw, flawOfExecution, soundRows } from '../../../../sandbox/faults/content.ts';
import { BAD_VALUES, isOfStage, ODD_VALUES } from '../../../../sandbox/faults/fault.ts';
import type { PageRecord } from '../../../../sandbox/faults/page-record.ts';
import { type FaultPlanInput, parseFaultPlan } from '../../../../sandbox/faults/plan.ts';
import { writeRaw } from '../../../../sandbox/faults/raw-json.ts';
import { createDecoder } from '../../../../src/codec/decode.ts';
import { MAX_DEPTH } from '../../../../src/core/json-size.ts';
import { datasetNamed } from '../../../../src/datasets/index.ts';
import type { WireRow } from '../../../../src/service/wire.ts';
import { decodePage } from '../../../support/decode-page.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const dataset = datasetNamed('ai_search_fan_out');
const GOOD: Readonly<Record<string, string>> = { integer: '7', float: '0.5', date: '2026-11-08', boolean: 'true' };

/** Rows that decode, each different. */
const rowsOf = (count: number): WireRow[] =>
  Array.from({ length: count }, (_, number) => dataset.columns.map(({ wire }) => GOOD[wire] ?? `text ${number}`));

function pageOf(rows: readonly WireRow[], from: number, size: number): PageRecord {
  return {
    executionId: 'id',
    executionState: 'COMPLETED',
    requestId: 'request',
    results: rows.slice(from, from + size),
    schema: dataset.columns.map(({ name, wire }) => ({ name, type: wire })),
    nextPageId: null,
    totalRowCount: rows.length,
  };
}

/** The page as it is sent, with what JSON.stringify cannot write. */
const asSent = (page: PageRecord): PageRecord => JSON.parse(writeRaw(JSON.stringify(page)));

/** Rows by the names of the page's schema, in the dataset's order; what does not decode is left out. */
function decode(page: PageRecord): unknown[][] {
  const decoder = createDecoder(
    dataset,
    page.schema.map(({ name, type = '' }) => ({ name, type })),
  );
  const rejected = new Set(decodePage(decoder, page.results, 1).rejected.map(({ position }) => position));
  const places = dataset.columns.map(({ name }) => page.schema.findIndex((column) => column.name === name));
  // An integer may be written in other ways.
  const mean = (value: unknown, wire: string | undefined): string => (wire === 'integer' ? String(Number(value)) : String(value));
  return page.results
    .filter((_, index) => !rejected.has(index + 1))
    .map((row) => places.map((place, position) => (place < 0 ? null : mean(row[place], dataset.columns[position]?.wire))));
}

type FaultWritten = FaultPlanInput['rules'][number]['fault'];
const rowChoice = fc.oneof(
  fc.record({ rows: fc.integer({ min: 1, max: 1500 }) }),
  fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }) }),
);
const optionalColumn = fc.option(fc.constantFrom(...dataset.columns.map(({ name }) => name)), { nil: undefined });
const fromPage = fc.integer({ min: 1, max: 3 });
const fault: fc.Arbitrary<FaultWritten> = fc.oneof(
  fc.tuple(rowChoice, fromPage).map(([choice, from_page]): FaultWritten => ({ kind: 'missing_rows', ...choice, from_page })),
  fc
    .tuple(rowChoice, fromPage, fc.constantFrom(...BAD_VALUES), fc.constantFrom(MAX_DEPTH, MAX_DEPTH + 1))
    .map(([choice, from_page, value, size]): FaultWritten => ({ kind: 'bad_value', value, size, ...choice, from_page })),
  fc
    .tuple(rowChoice, fromPage, fc.constantFrom(...ODD_VALUES))
    .map(([choice, from_page, value]): FaultWritten => ({ kind: 'odd_value', value, ...choice, from_page })),
  fc
    .constantFrom('all', 'later', 'last', 'without_rows')
    .map((pages): FaultWritten => ({ kind: 'missing_field', field: 'nextPageId', pages })),
  fc.constant<FaultWritten>({ kind: 'drift', change: 'untyped' }),
  fc
    .tuple(fromPage, fc.constantFrom('missing_column', 'renamed_type'), optionalColumn)
    .map(([from_page, change, column]): FaultWritten => ({ kind: 'drift', change, from_page, column })),
  fc
    .tuple(fromPage, fc.constantFrom('new_column', 'reordered'))
    .map(([from_page, change]): FaultWritten => ({ kind: 'drift', change, from_page })),
);

function flawsOf(faults: readonly FaultWritten[]): ContentFlaw[] {
  return parseFaultPlan({ rules: faults.map((one) => ({ fault: one })) }).rules.flatMap(({ fault: parsed }, key) =>
    isOfStage(parsed, 'content') ? [flawOfExecution({ fault: parsed, key })] : [],
  );
}

/** Columns that a table row cannot do without: their absence is for the audit, not for the decoder. */
const isDecodable = ({ fault: flaw }: ContentFlaw): boolean =>
  !(flaw.kind === 'drift' && flaw.change === 'missing_column' && ['account_id', 'time_period_start'].includes(flaw.column ?? ''));

const deepRows: FaultWritten = { kind: 'bad_value', value: 'deep_row', size: MAX_DEPTH };

test('soundRows are the rows that decode, for page sizes that divide a thousand', () => {
  fc.assert(
    fc.property(
      fc.array(fault, { maxLength: 4 }),
      fc.integer({ min: 0, max: 2_300 }),
      fc.constantFrom(1000, 500, 100),
      (faults, count, size) => {
        const flaws = flawsOf(faults).filter(isDecodable);
        const rows = rowsOf(count);
        const decoded: unknown[][] = [];
        for (let from = 0; from < count; from += size) {
          const page = pageOf(rows, from, size);
          applyFlaws(page, { dataset, filters: {} }, from, flaws);
          expect(page.totalRowCount).toBe(count);
          decoded.push(...decode(asSent(page)));
        }
        expect(decoded).toEqual([...soundRows(rows, dataset, flaws)]);
      },
    ),
    { numRuns: propertyRuns(60), examples: [[[deepRows, { kind: 'bad_value', value: 'not_a_number' }], 3, 1000]] },
  );
});

test('a page without flaws stays as it is', () => {
  const rows = rowsOf(5);
  const page = pageOf(rows, 0, 5);
  applyFlaws(page, { dataset, filters: {} }, 0, []);
  expect(page).toEqual(pageOf(rows, 0, 5));
  expect([...soundRows(rows, dataset, [])]).toEqual(rows);
});

test('two oddities of one value apply one after the other, on the wire and in its meaning', () => {
  const rows = rowsOf(1);
  const flaws = flawsOf([
    { kind: 'odd_value', value: 'number_in_text' },
    { kind: 'odd_value', value: 'comma_in_name' },
  ]);
  const page = pageOf(rows, 0, 1);
  applyFlaws(page, { dataset, filters: {} }, 0, flaws);
  expect(page.results[0]?.at(-1)).toBe('1.5, and more');
  expect([...soundRows(rows, dataset, flaws)][0]?.at(-1)).toBe('1.5, and more');
});

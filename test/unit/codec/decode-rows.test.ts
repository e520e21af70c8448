import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../../src/codec/decode.ts';
import { decodePage } from '../../support/decode-page.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { everyType, readPage, rowOf, schemaOf } from './copy-rows.ts';

const decoder = createDecoder(everyType, schemaOf(everyType));

describe('a row', () => {
  it.each([[null], ['a string'], [5], [true], [{}], [{ length: 9 }]])('that is not an array is rejected as a whole: %j', (row) => {
    const page = decodePage(decoder, [row], 1);
    expect(page.rejected).toEqual([{ position: 1, column: null, reason: 'the row is not an array', raw: JSON.stringify(row) }]);
  });

  it.each([0, 1, 8, 10, 100])('of %i values where the schema has 9 is rejected as a whole', (length) => {
    const page = decodePage(decoder, [new Array(length).fill('1')], 1);
    expect(page.rejected).toMatchObject([{ column: null, reason: `the row has ${length} values, its schema has 9 columns` }]);
  });

  it.each(['account_id', 'time_period_start'])('without %s is rejected, since no query would find it', (name) => {
    for (const nothing of [null, '']) {
      expect(decodePage(decoder, [rowOf(everyType, { [name]: nothing })], 1).rejected).toMatchObject([{ position: 1, column: name }]);
    }
  });

  it('that is rejected keeps what it held, in JSON that Postgres can store', () => {
    const row = rowOf(everyType, { title: 'NUL \0, half \ud83d, whole 🙂' });
    const [rejected] = decodePage(decoder, [row], 1).rejected;
    expect(JSON.parse(rejected?.raw ?? '')).toEqual(row);
    expect(rejected?.raw).not.toContain('\0');
    expect(rejected?.raw.isWellFormed()).toBe(true);
  });

  it('that is rejected for a number beyond any double is rejected again on a second decoding', () => {
    for (const huge of ['1e999', '-1e999']) {
      const sent = JSON.stringify(rowOf(everyType, { cpc: 0 })).replace(/(?<=[[,])0(?=[,\]])/, huge);
      const [rejected] = decodePage(decoder, [JSON.parse(sent)], 1).rejected;
      expect(rejected).toMatchObject({ column: 'cpc', raw: sent });
      expect(decodePage(decoder, [JSON.parse(rejected?.raw ?? '')], 1).staged).toBe(0);
    }
  });

  it('is told apart from others by the page and the position it came at', () => {
    const page = decodePage(decoder, [rowOf(everyType), null, rowOf(everyType)], 7);
    expect(readPage(everyType, page).map(({ _page, _position }) => [_page, _position])).toEqual([
      ['7', '1'],
      ['7', '3'],
    ]);
  });
});

describe('a page', () => {
  const value = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('1', '-5', '', '2026-11-08', 'true', '1.5', 'a\tb\n\\N', null) },
    { weight: 1, arbitrary: fc.jsonValue({ stringUnit: 'binary' }) },
  );
  const row = fc.oneof(
    { weight: 8, arbitrary: fc.array(value, { minLength: 9, maxLength: 9 }) },
    { weight: 4, arbitrary: value.map((title) => rowOf(everyType, { title })) },
    { weight: 1, arbitrary: value },
  );

  it('loses no row and makes none up: each is staged or rejected, in order, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), fc.integer({ min: 1, max: 10_000 }), (rows, number) => {
        const page = decodePage(decoder, rows, number);
        const staged = readPage(everyType, page).map(({ _position }) => Number(_position));
        const rejected = page.rejected.map(({ position }) => position);
        expect(page.staged).toBe(staged.length);
        expect([...staged, ...rejected].sort((a, b) => a - b)).toEqual(rows.map((_, i) => i + 1));
        expect(staged).toEqual([...staged].sort((a, b) => a - b));
        for (const { position, raw } of page.rejected) expect(raw).toBe(JSON.stringify(rows[position - 1]));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('decodes every row as if it were alone, whatever came before it', () => {
    const repeating = fc.constantFrom('1', '2', '', '2026-11-08', '2026-11-09', 'true', null, 0, -0, 1, true);
    const good = fc.record({ query: repeating, title: repeating }).map((values) => rowOf(everyType, values));
    fc.assert(
      fc.property(fc.array(fc.oneof(good, fc.array(repeating, { minLength: 9, maxLength: 9 })), { maxLength: 20 }), (rows) => {
        const together = decodePage(createDecoder(everyType, schemaOf(everyType)), rows, 1);
        const alone = rows.map((row, i) => decodePage(createDecoder(everyType, schemaOf(everyType)), [row], 1, i + 1));
        expect(together.copyData).toEqual(Buffer.concat(alone.map(({ copyData }) => copyData)));
        expect(together.rejected).toEqual(alone.flatMap(({ rejected }) => rejected));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('keeps characters that are special in COPY text', () => {
    const hostile = { query: '\\.\n\\.\r\n\t\\N', title: '\n' };
    const row = rowOf(everyType, hostile);
    expect(readPage(everyType, decodePage(decoder, [row, row], 1))).toMatchObject([hostile, hostile]);
  });

  it('without rows has no bytes', () => {
    expect(decodePage(decoder, [], 1)).toEqual({ copyData: Buffer.alloc(0), staged: 0, rejected: [] });
  });
});

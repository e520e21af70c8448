import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';
import { type PageRows, rowAt } from '../../../src/codec/page-rows.ts';
import { splitRows } from '../../../src/codec/split-rows.ts';
import { writeExact } from '../../../src/core/exact-json.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { recordText } from '../../support/record-text.ts';

const buffers = new BufferPool();

const rowsOf = (rows: PageRows): unknown[] => Array.from({ length: rows.length }, (_, index) => rowAt(rows, index));

/** What JSON.parse makes of a text, and what splitting it makes; undefined when it was left to JSON.parse. */
function bothWays(given: string): { whole: unknown; split: unknown } {
  const bytes = Buffer.from(given);
  const text = bytes.toString();
  const split = splitRows(bytes, buffers);
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    whole = 'not JSON';
  }
  return { whole, split: split && { ...split.value, results: JSON.parse(writeExact(rowsOf(split.rows))) as unknown } };
}

describe('rows taken out of an answer', () => {
  it('are what JSON.parse makes of it, and so is the rest, whatever the answer holds', () => {
    let splits = 0;
    const runs = propertyRuns(2_000);
    fc.assert(
      fc.property(recordText, (text) => {
        const { whole, split } = bothWays(text);
        if (split === undefined) return;
        splits += 1;
        expect(split).toEqual(whole);
      }),
      { numRuns: runs, seed: 11 },
    );
    expect(splits).toBeGreaterThan(runs / 4);
  });

  it('are never taken out of text that JSON.parse refuses: cut, lengthened or changed at any byte', () => {
    const edit = fc.record({ at: fc.nat(400), cut: fc.nat(3), put: fc.constantFrom('', ',', '"', '\\', ']', '[', '\n', 'x', 'null', '{') });
    fc.assert(
      fc.property(recordText, edit, (text, { at, cut, put }) => {
        const spoilt = text.slice(0, at) + put + text.slice(at + cut);
        const { whole, split } = bothWays(spoilt);
        if (split !== undefined) expect(split).toEqual(whole);
      }),
      { numRuns: propertyRuns(4_000), seed: 12 },
    );
  });

  it('end where their quote is, whatever stands before it, and are refused with a control character anywhere', () => {
    // Neighbours of the quote, the backslash and the space, and letters of two to four bytes.
    for (const letter of [' ', '!', '#', '[', ']', 'a', '\x7f', 'é', '€', '😀']) {
      for (let length = 0; length <= 9; length += 1) {
        for (const mark of ['', '\\\\', '\\"', '\\u0041', '\x1f', '\n', '"']) {
          const row = `["${letter.repeat(length)}${mark}${letter.repeat(9 - length)}","b",null]`;
          const { whole, split } = bothWays(`{"executionId":"x","results":[${row},${row}],"nextPageId":null}`);
          if (whole === 'not JSON') expect(split).toBeUndefined();
          else expect(split).toEqual(whole);
        }
      }
    }
  });

  it('stay bytes when they are plain, however the answer is spaced', () => {
    const text = '{ "executionState" : "COMPLETED", "results" : [ ["a", "ü", null] , [ "b" ,"" , "c" ]\n], "schema": [] }';
    const split = splitRows(Buffer.from(text), buffers);
    expect(split?.rows.parsed.size).toBe(0);
    expect(split && rowsOf(split.rows)).toEqual([
      ['a', 'ü', null],
      ['b', '', 'c'],
    ]);
    expect(split?.value).toEqual({ executionState: 'COMPLETED', results: [], schema: [] });
  });

  it('are parsed one by one when they are not all strings, and the others stay bytes', () => {
    const rows = [['1', 'say "hi"'], ['2', 'plain'], ['3'], 'none', ['4', 'plain'], [5, 'plain']];
    const split = splitRows(
      Buffer.from(`{"results":[["1","say \\"hi\\""],["2","plain"],["3"],"none",["4","plain"],[5,"plain"]]}`),
      buffers,
    );
    expect([...(split?.rows.parsed.keys() ?? [])]).toEqual([2, 3, 5]);
    expect(split && rowsOf(split.rows)).toEqual(rows);
  });

  it.each(['\\x', '\\u12g4', '\\u12', '\\', '\\u'])('are not JSON with the escape %s', (spelled) => {
    expect(splitRows(Buffer.from(`{"results":[["a","${spelled}"]]}`), buffers)).toBeUndefined();
  });

  it.each([
    ['an answer without rows', '{"executionState":"IN_PROGRESS"}'],
    ['no array', '{"results":{"a":1}}'],
    ['rows of something inside', '{"extra":{"results":[["x"]]},"results":[["y"]]}'],
    ['rows that come twice', '{"results":[["x"]],"results":[["y"]]}'],
    ['rows wider than any dataset', `{"results":[[${'"x",'.repeat(2_000)}"x"]]}`],
    ['an array of answers', '[{"results":[["x"]]}]'],
  ])('are not split in %s', (_what, text) => {
    expect(splitRows(Buffer.from(text), buffers)).toBeUndefined();
  });
});

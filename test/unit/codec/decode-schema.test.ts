import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder, isSameSchema, type SchemaEntry, storableSchema } from '../../../src/codec/decode.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { decodePage } from '../../support/decode-page.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { everyType, readPage, rowOf, schemaOf } from './copy-rows.ts';

const usual = schemaOf(everyType);
const renamed = (from: string, to: SchemaEntry): SchemaEntry[] => usual.map((entry) => (entry.name === from ? to : entry));

/** The first decoded row of one page under `schema`, and its drift. */
function decodeUnder(schema: readonly SchemaEntry[], row: readonly unknown[]) {
  const decoder = createDecoder(everyType, schema);
  const page = decodePage(decoder, [row], 1);
  const [stored] = readPage(everyType, page);
  return { decoder, drift: decoder.drift, rejected: page.rejected, stored, extra: JSON.parse(stored?._extra ?? 'null') as unknown };
}

describe('a schema that is the expected one', () => {
  it.each(DATASETS.map((dataset) => [dataset.name, dataset] as const))('of %s is no drift', (_, dataset) => {
    expect(createDecoder(dataset, schemaOf(dataset)).drift).toEqual([]);
  });

  it('keeps no _extra', () => {
    expect(decodeUnder(usual, rowOf(everyType)).stored?._extra).toBeNull();
  });
});

describe('columns in another order', () => {
  it('are followed by name, and reported once', () => {
    const order = fc.shuffledSubarray([...usual.keys()], { minLength: usual.length });
    const row = rowOf(everyType, { query: 'a', rank: '3', volume: '9', cpc: '1.5', collected: 'true', day: '2026-11-09', title: 't' });
    const expected = decodeUnder(usual, row).stored;
    fc.assert(
      fc.property(order, (positions) => {
        const schema = positions.map((i) => usual[i] as SchemaEntry);
        const shuffled = decodeUnder(
          schema,
          positions.map((i) => row[i]),
        );
        expect(shuffled.stored).toEqual(expected);
        const isUsual = positions.every((position, i) => position === i);
        expect(shuffled.drift.map(({ kind }) => kind)).toEqual(isUsual ? [] : ['changed_order']);
      }),
    );
  });
});

describe('a column the table does not have', () => {
  it('is kept in _extra as it came, and reported', () => {
    const { extra, drift } = decodeUnder([{ name: 'mood', type: 'string' }, ...usual], ['merry \\ "x" \n', ...rowOf(everyType)]);
    expect(extra).toEqual({ mood: 'merry \\ "x" \n' });
    expect(drift).toEqual([{ kind: 'new_column', column: 'mood', detail: expect.stringContaining('position 1') }]);
  });

  it('comes back unchanged for any JSON, or rejects its row when Postgres cannot store it', () => {
    const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    fc.assert(
      fc.property(json, (value) => {
        const { extra, rejected } = decodeUnder([...usual, { name: 'mood', type: 'string' }], [...rowOf(everyType), value]);
        if (isStorable(value)) expect(extra).toEqual({ mood: value });
        else expect(rejected).toEqual([expect.objectContaining({ column: 'mood' })]);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it.each(['\\u0000', '\\\\u0000', '\\ud800', 'C:\\\\users\\u0041'])('that holds the escape %s as plain text is kept', (text) => {
    expect(decodeUnder([...usual, { name: 'mood', type: 'string' }], [...rowOf(everyType), text]).extra).toEqual({ mood: text });
  });

  it('with a name from the prototype of objects is a column like others', () => {
    const { stored } = decodeUnder([...usual, { name: '__proto__', type: 'string' }], [...rowOf(everyType), 'x']);
    expect(stored?._extra).toBe('{"__proto__":"x"}');
  });

  it('has its value for each row, null included', () => {
    expect(decodeUnder([...usual, { name: 'mood', type: 'string' }], [...rowOf(everyType), null]).extra).toEqual({ mood: null });
  });
});

describe('a column that comes twice', () => {
  it('is decoded from the first and kept from the second', () => {
    const { stored, extra, drift } = decodeUnder([...usual, { name: 'rank', type: 'integer' }], [...rowOf(everyType, { rank: '1' }), '2']);
    expect(stored?.rank).toBe('1');
    expect(extra).toEqual({ 'rank#10': '2' });
    expect(drift).toEqual([{ kind: 'new_column', column: 'rank#10', detail: expect.stringContaining('rank again') }]);
  });

  it('keeps all of its values when the table does not have it', () => {
    const mood = { name: 'mood', type: 'string' };
    const { extra, drift } = decodeUnder(
      [...usual, mood, mood, { name: 'mood#11', type: 'string' }, mood],
      [...rowOf(everyType), 'a', 'b', 'c', 'd'],
    );
    expect(Object.values(extra as object).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(new Set(drift.map(({ column }) => column)).size).toBe(4);
  });
});

describe('a column that is missing', () => {
  it('is stored as NULL and reported', () => {
    const { stored, drift } = decodeUnder(
      usual.filter(({ name }) => name !== 'title'),
      rowOf(everyType, { title: 'x' }).slice(0, -1),
    );
    expect(stored?.title).toBeNull();
    expect(drift).toEqual([{ kind: 'missing_column', column: 'title', detail: expect.stringContaining('stored as NULL') }]);
  });

  it('says so when it identifies rows', () => {
    const drift = createDecoder(
      everyType,
      usual.filter(({ name }) => name !== 'query'),
    ).drift;
    expect(drift).toEqual([{ kind: 'missing_column', column: 'query', detail: expect.stringContaining('identifies rows') }]);
  });

  it.each(['account_id', 'time_period_start'])('rejects every row when it is %s', (name) => {
    const at = usual.findIndex((entry) => entry.name === name);
    const page = decodePage(createDecoder(everyType, usual.toSpliced(at, 1)), [rowOf(everyType).toSpliced(at, 1)], 1);
    expect(page).toMatchObject({ staged: 0, copyData: Buffer.alloc(0), rejected: [{ column: name }] });
  });

  it('is missing and new at once when it was renamed', () => {
    const { drift, extra } = decodeUnder(renamed('title', { name: 'headline', type: 'string' }), rowOf(everyType, { title: 'x' }));
    expect(drift.map(({ kind, column }) => `${kind} ${column}`)).toEqual(['new_column headline', 'missing_column title']);
    expect(extra).toEqual({ headline: 'x' });
  });
});

describe('a column whose type has another name', () => {
  it('is decoded as before and reported', () => {
    const { stored, drift } = decodeUnder(renamed('rank', { name: 'rank', type: 'long' }), rowOf(everyType, { rank: '7' }));
    expect(stored?.rank).toBe('7');
    expect(drift).toEqual([{ kind: 'changed_type', column: 'rank', detail: expect.stringContaining('long, expected integer') }]);
  });
});

describe('a column without a type', () => {
  it.each([undefined, null])('(%j) is decoded by its name, and does not count as drift', (type) => {
    const { stored, drift } = decodeUnder(renamed('rank', { name: 'rank', type }), rowOf(everyType, { rank: '7' }));
    expect(stored?.rank).toBe('7');
    expect(drift).toEqual([]);
  });

  it('that the table does not have is reported without one', () => {
    const { drift } = decodeUnder([...usual, { name: 'mood' }], [...rowOf(everyType), 'merry']);
    expect(drift).toMatchObject([{ detail: 'the service sends a column mood at position 10; it is kept in _extra' }]);
  });
});

describe('a schema as the ledger keeps it', () => {
  const name = fc.oneof(
    fc.constantFrom('query', 'rank', 'a\0b', '\ud83d', '\ufffd', 'x'.repeat(300), ''),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  const entry = fc.record({ name, type: fc.oneof(fc.constantFrom(undefined, null), name) });

  it('is stored as it is, and decodes every row as before', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), (more) => {
        const given = [...usual, ...more];
        const kept = storableSchema(given);
        expect(JSON.stringify(kept)).not.toMatch(/\\u(?:0000|d[89a-f])/);
        expect(storableSchema(kept)).toEqual(kept);
        expect(isSameSchema(storableSchema(JSON.parse(JSON.stringify(kept)) as SchemaEntry[]), kept)).toBe(true);
        for (const { name: long, type } of kept) expect(Math.max(long.length, type?.length ?? 0)).toBeLessThanOrEqual(200);
        const [one, other] = [createDecoder(everyType, given), createDecoder(everyType, kept)];
        expect([other.columnNames, other.drift]).toEqual([one.columnNames, one.drift]);
        const row = [...rowOf(everyType, { query: 'a' }), ...more.map((_, at) => String(at))];
        expect(decodePage(other, [row], 1)).toEqual(decodePage(one, [row], 1));
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe('a hostile column name', () => {
  it.each(['a\0b', '\ud83d', 'x'.repeat(5000), '', '"; drop table x; --', 'rank\0'])(
    'becomes one Postgres can store and index: %j',
    (name) => {
      const { decoder, drift, extra } = decodeUnder([...usual, { name, type: `type ${name}` }], [...rowOf(everyType), 'kept']);
      const stored = decoder.columnNames.at(-1) ?? '-';
      for (const text of [stored, ...drift.flatMap(({ column, detail }) => [column, detail])]) {
        expect(text).not.toContain('\0');
        expect(text.isWellFormed()).toBe(true);
        expect(text.length).toBeLessThan(700);
      }
      expect(extra).toEqual({ [stored]: 'kept' });
    },
  );
});

describe('two schemas', () => {
  it('are the same exactly when names, types and order are', () => {
    expect(isSameSchema(usual, schemaOf(everyType))).toBe(true);
    expect(isSameSchema(usual, usual.slice(1))).toBe(false);
    expect(isSameSchema(usual, [...usual].reverse())).toBe(false);
    expect(isSameSchema(usual, renamed('rank', { name: 'rank', type: 'long' }))).toBe(false);
    expect(isSameSchema(usual, renamed('rank', { name: 'rang', type: 'integer' }))).toBe(false);
  });
});

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  // A whole number beyond 2^53 may not be the one that was sent.
  if (typeof value === 'number') return Number.isSafeInteger(value) || !Number.isInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner));
}

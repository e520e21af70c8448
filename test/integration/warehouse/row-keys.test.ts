// The key that the decoder gives a row is the one that Postgres computes from the stored row.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../../src/codec/decode.ts';
import { keyArguments } from '../../../src/codec/row-key.ts';
import type { WireType } from '../../../src/datasets/dataset.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { copyRows, createStaging, dropStaging, stagingTable } from '../../../src/tables/staging.ts';
import { decodePage } from '../../support/decode-page.ts';
import { useLedger } from '../../support/ledger.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { schemaOf } from '../../support/wire-rows.ts';

const ledger = useLedger();

const text = fc.oneof(
  fc.constantFrom('', '-', ':', '1:', '\t', '\\', '\\N', '\r\n', '\u00df', '\u20ac', '\u{1f600}', 'e\u0301', ' ', '12:ab'),
  fc.string({ unit: 'binary', maxLength: 6 }).filter((each) => !each.includes('\u0000')),
);
const day = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((at) => at.toISOString().slice(0, 10));
const VALUES: Readonly<Record<WireType, fc.Arbitrary<string>>> = {
  string: text,
  integer: fc
    .oneof(fc.integer(), fc.integer({ min: -9, max: 9 }))
    .chain((value) => fc.constantFrom(String(value), `${value < 0 ? '-' : ''}00${Math.abs(value)}`)),
  date: day,
  float: fc.constant('1.5'),
  boolean: fc.constantFrom('true', 'false'),
};
const REQUIRED: ReadonlySet<string> = new Set(['account_id', 'time_period_start']);

describe.each(DATASETS.map((dataset) => [dataset.name, dataset] as const))('the key of a row of %s', (_, dataset) => {
  it('is what searchmill.row_key makes of its columns, whatever they hold and however the session writes dates', async () => {
    const row = fc.tuple(
      ...dataset.columns.map(({ name, wire }) => (REQUIRED.has(name) ? VALUES[wire] : fc.oneof(fc.constant(null), VALUES[wire]))),
    );
    const rows = fc.sample(row, { numRuns: propertyRuns(500), seed: 42 });
    const { copyData, staged } = decodePage(createDecoder(dataset, schemaOf(dataset)), rows, 1);
    expect(staged).toBe(rows.length);
    const differing = await inTransaction(ledger.pool, async (client) => {
      await client.query("SET LOCAL DateStyle = 'German'");
      await createStaging(client, dataset, 0);
      await copyRows(client, dataset, 0, [copyData]);
      const found = await client.query(
        `SELECT _position FROM ${stagingTable(0)} WHERE _key IS DISTINCT FROM searchmill.row_key(${keyArguments(dataset)})`,
      );
      await dropStaging(client, 0);
      return found.rows;
    });
    expect(differing).toEqual([]);
  });
});

describe('the key', () => {
  it('can be computed by other programs from its definition', async () => {
    // printf '4:1001-0:12:m\303\274nchen \342\202\254' | sha256sum | cut -c 1-32
    const { rows } = await ledger.pool.query(`SELECT searchmill.row_key('1001', NULL, '', 'm\u00fcnchen \u20ac') AS key`);
    expect(rows).toEqual([{ key: '4f33b0a1-2f29-0b89-1005-b0304e114fde' }]);
  });
});

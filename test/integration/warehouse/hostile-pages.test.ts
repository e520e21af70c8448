import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PgType } from '../../../src/datasets/dataset.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { commitPages } from '../../../src/publishing/checkpoint.ts';
import { stagingTable } from '../../../src/tables/staging.ts';
import { jobOf, LEASE, useLedger } from '../../support/ledger.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { submitWindow } from '../../support/window-steps.ts';
import { decodedPage } from '../../support/wire-rows.ts';

// Writes rows of its own into the ledger, or takes some away.
const ledger = useLedger({ keepsInvariants: false });

/** A value on the wire and what Postgres must have of it; REJECTED when its row must be quarantined. */
type Case = Readonly<{ wire: unknown; stored: string | number | boolean | null }>;
const REJECTED = '\0rejected';

const int = (min: bigint, max: bigint) =>
  fc
    .oneof(fc.constantFrom(min, max, 0n, min + 1n, max - 1n, -1n), fc.bigInt({ min, max }))
    .chain((value) =>
      fc
        .nat(3)
        .map(
          (zeros): Case => ({ wire: `${value < 0n ? '-' : ''}${'0'.repeat(zeros)}${value < 0n ? -value : value}`, stored: String(value) }),
        ),
    );
const spelled = (text: string, stored: string) => fc.constant<Case>({ wire: text, stored });
const empty = fc.constant<Case>({ wire: '', stored: null });
const nothing = fc.constant<Case>({ wire: null, stored: null });
const wrong = (...wires: unknown[]) => fc.constantFrom(...wires.map((wire): Case => ({ wire, stored: REJECTED })));

const float = fc.oneof(
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value): Case => ({ wire: value === 0 ? '0' : String(value), stored: value === 0 ? 0 : value })),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value): Case => ({ wire: value.toExponential(), stored: value === 0 ? 0 : value })),
  fc.constantFrom<Case>(
    { wire: '5e-324', stored: 5e-324 },
    { wire: '3e-324', stored: 5e-324 },
    { wire: '1.7976931348623158e308', stored: Number.MAX_VALUE },
    { wire: '+.5E1', stored: 5 },
    { wire: '7.', stored: 7 },
    { wire: '0e99999999999', stored: 0 },
    { wire: `0.${'0'.repeat(300)}1`, stored: 1e-301 },
    { wire: 1.25, stored: 1.25 },
    { wire: 'NaN', stored: Number.NaN },
    { wire: 'inf', stored: Number.POSITIVE_INFINITY },
    { wire: '-Infinity', stored: Number.NEGATIVE_INFINITY },
  ),
);
const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }).map((at): Case => {
  const day = at.toISOString().slice(0, 10);
  return { wire: day, stored: day };
});
const unit = fc.oneof(
  fc.constantFrom(
    '\t',
    '\n',
    '\r',
    '\\',
    '\\.',
    '\\N',
    '\n\\.\n',
    '\b',
    '\v',
    '\u2028',
    '\uFEFF',
    '🙂',
    '\uffff',
    '\u0001',
    '"',
    "'",
    '{',
    '%',
  ),
  fc.string({ unit: 'grapheme', maxLength: 2 }),
);
const text = fc.oneof(
  { weight: 9, arbitrary: fc.array(unit, { maxLength: 8 }).map((units): Case => ({ wire: units.join(''), stored: units.join('') })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Case>(
      { wire: '\\N', stored: '\\N' },
      { wire: '', stored: '' },
      { wire: 7, stored: '7' },
      { wire: 1.5, stored: '1.5' },
      { wire: true, stored: 'true' },
    ),
  },
);

const VALUES: Readonly<Record<PgType, fc.Arbitrary<Case>>> = {
  bigint: fc.oneof(int(-(2n ** 63n), 2n ** 63n - 1n), spelled('9007199254740993.0', '9007199254740993'), empty),
  integer: fc.oneof(int(-(2n ** 31n), 2n ** 31n - 1n), spelled('12000.0', '12000'), spelled('-1.2E4', '-12000'), empty),
  'double precision': fc.oneof(float, empty),
  boolean: fc.constantFrom<Case>(
    { wire: 'TRUE', stored: true },
    { wire: 'false', stored: false },
    { wire: true, stored: true },
    { wire: '', stored: null },
  ),
  date: fc.oneof(date, empty),
  text,
};
const WRONG: Readonly<Record<PgType, fc.Arbitrary<Case>>> = {
  bigint: wrong('9223372036854775808', '1.5', '1e999999999', 'x', 2 ** 53, {}),
  integer: wrong('2147483648', '-2147483649', '1e-3', []),
  'double precision': wrong('1e309', '1e-400', '+nan', 'infinit', {}),
  boolean: wrong('yes', 1, []),
  date: wrong('2026-02-30', '0000-01-01', 'infinity', 20260101),
  text: wrong('\0', 'a\0b', '\ud800', 'x\udfff', {}, ['a']),
};

/** Reads a column so that nothing of it is lost on the way. */
const exactly = (name: string, pg: PgType): string =>
  pg === 'bigint' || pg === 'integer' || pg === 'date' ? `"${name}"::text` : `"${name}"`;

describe.each(DATASETS.map((dataset) => [dataset.name, dataset] as const))('a page of hostile rows of %s', (_, dataset) => {
  const row = fc.tuple(
    ...dataset.columns.map(({ name, pg }) => {
      const value = VALUES[pg];
      if (name === 'account_id' || name === 'time_period_start') return value.filter(({ stored }) => stored !== null);
      return fc.oneof({ weight: 60, arbitrary: value }, { weight: 10, arbitrary: nothing }, { weight: 1, arbitrary: WRONG[pg] });
    }),
  );

  it('is in Postgres value for value, and values that Postgres cannot store are in quarantine', async () => {
    const { pool } = ledger;
    const job = jobOf({ dataset });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), async (rows) => {
        await pool.query('TRUNCATE searchmill.executions CASCADE');
        const execution = await submitWindow(pool, job);
        const wire = rows.map((cases) => cases.map((each) => each.wire));
        await commitPages(pool, dataset, execution, { ...LEASE, pages: [decodedPage(dataset, 1, wire)] });

        const columns = dataset.columns.map(({ name, pg }) => exactly(name, pg)).join(', ');
        const stored = await pool.query<unknown[]>({
          text: `SELECT ${columns} FROM ${stagingTable(execution.id)} ORDER BY _position`,
          rowMode: 'array',
        });
        const isRejected = (cases: readonly Case[]): boolean => cases.some((each) => each.stored === REJECTED);
        expect(stored.rows).toEqual(rows.filter((cases) => !isRejected(cases)).map((cases) => cases.map((each) => each.stored)));

        const quarantined = await pool.query<{ position: number; raw: string }>(
          'SELECT position, raw FROM searchmill.quarantined_rows WHERE execution_id = $1 ORDER BY position',
          [execution.id],
        );
        const expected = rows.flatMap((cases, i) => (isRejected(cases) ? [{ position: i + 1, raw: JSON.stringify(wire[i]) }] : []));
        expect(quarantined.rows).toEqual(expected);
      }),
      { numRuns: propertyRuns(15), seed: 20_261_116 },
    );
  });
});

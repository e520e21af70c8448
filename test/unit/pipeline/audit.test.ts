import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AuditFacts, auditSlice, type Objection } from '../../../src/pipeline/audit.ts';

type Changes = { execution?: Partial<AuditFacts['execution']>; staged?: Partial<AuditFacts['staged']> } & Partial<
  Pick<AuditFacts, 'shrinkage' | 'missingIdentity'>
>;

/** The objections to a good slice of 100 rows with some facts changed. */
function objectionsTo({ execution, staged, ...rest }: Changes): Objection[] {
  const facts: AuditFacts = {
    execution: {
      rowsReceived: 100,
      rowsStaged: 100,
      rowsQuarantined: 0,
      totalRowCount: '100',
      maxRejectedShare: 0,
      maxRejectedRows: 0,
      minKeepShare: 0.5,
      accountId: 7,
      windowStart: '2026-11-08',
      windowEnd: '2026-11-14',
      request: {},
      ...execution,
    },
    staged: {
      rows: 100,
      outside: 0,
      offPeriod: 0,
      offPeriodExample: null,
      otherAccount: 0,
      first: '2026-11-08',
      last: '2026-11-08',
      weekRows: [100],
      ...staged,
    },
    shrinkage: undefined,
    missingIdentity: [],
    ...rest,
  };
  return auditSlice(facts);
}
const rulesAgainst = (changes: Changes): string[] => objectionsTo(changes).map(({ rule }) => rule);
const messagesOf = (changes: Changes): string[] => objectionsTo(changes).map(({ message }) => message);

/** `rows` rows that arrived in full. */
const arrived = (rows: number, quarantined = 0): Changes => ({
  execution: { rowsReceived: rows, rowsStaged: rows - quarantined, rowsQuarantined: quarantined, totalRowCount: String(rows) },
  staged: { rows: rows - quarantined },
});

describe('the audit', () => {
  it('lets a slice pass that arrived as announced', () => {
    expect(rulesAgainst({})).toEqual([]);
  });

  it('lets an empty answer pass where it takes nothing away', () => {
    expect(rulesAgainst({ ...arrived(0), staged: { rows: 0, first: null, last: null } })).toEqual([]);
  });

  it('states all of its objections at once', () => {
    const everything = rulesAgainst({
      execution: { rowsReceived: 90, rowsStaged: 80, rowsQuarantined: 9, totalRowCount: '100' },
      staged: { rows: 10, outside: 1, offPeriod: 1, otherAccount: 2 },
      missingIdentity: ['query'],
      shrinkage: { weeks: [{ week: '2026-11-08', index: 0, before: 100, after: 10 }], vanishing: [] },
    });
    expect(everything).toEqual(['counts', 'total', 'window', 'period', 'account', 'identity', 'quarantine', 'shrink']);
  });
});

describe('the rule on counts', () => {
  it('objects when staging has any row too many or too few', () => {
    expect(rulesAgainst({ staged: { rows: 99 } })).toEqual(['counts']);
    expect(rulesAgainst({ staged: { rows: 101 } })).toEqual(['counts']);
  });

  it('objects when received rows are neither staged nor quarantined', () => {
    expect(rulesAgainst({ execution: { rowsReceived: 101, totalRowCount: '101' } })).toEqual(['counts']);
  });
});

describe('the rule on the announced total', () => {
  it('objects to a row too many or too few, and never when no total was announced', () => {
    expect(rulesAgainst({ execution: { totalRowCount: '99' } })).toEqual(['total']);
    expect(rulesAgainst({ execution: { totalRowCount: '101' } })).toEqual(['total']);
    expect(rulesAgainst({ execution: { totalRowCount: null } })).toEqual([]);
  });

  it('expects no more rows than the requested limit, and all rows where a dataset has no limit', () => {
    const limited = (totalRowCount: string, limit: number): string[] => rulesAgainst({ execution: { totalRowCount, request: { limit } } });
    expect(limited('5000', 100)).toEqual([]);
    expect(limited('9223372036854775807', 100)).toEqual([]);
    expect(limited('100', 100)).toEqual([]);
    expect(limited('100', 60)).toEqual([]);
    expect(limited('5000', 101)).toEqual(['total']);
    expect(limited('5000', 99)).toEqual(['total']);
    expect(limited('99', 500)).toEqual(['total']);
    expect(limited('101', 500)).toEqual(['total']);
  });

  it('compares exactly beyond 2^53', () => {
    const rows = 2 ** 53;
    const facts = (totalRowCount: string): Changes => ({
      execution: { rowsReceived: rows, rowsStaged: rows, totalRowCount },
      staged: { rows },
    });
    expect(rulesAgainst(facts('9007199254740992'))).toEqual([]);
    expect(rulesAgainst(facts('9007199254740993'))).toEqual(['total']);
  });
});

describe('the rules on place', () => {
  it.each([
    ['window', { staged: { outside: 1, last: '2026-11-15' } }],
    ['period', { staged: { offPeriod: 1, offPeriodExample: '2026-11-08..2026-12-05' } }],
    ['account', { staged: { otherAccount: 1 } }],
    ['identity', { missingIdentity: ['query'] }],
  ])('object to one row or column that breaks them: %s', (rule, changes) => {
    expect(rulesAgainst(changes)).toEqual([rule]);
  });
});

describe('the rule on quarantine', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });

  it('objects exactly above the allowed share', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), share, share, (rows, rejected, maxRejectedShare) => {
        const quarantined = Math.round(rows * rejected);
        const facts = arrived(rows, quarantined);
        const rules = rulesAgainst({ ...facts, execution: { ...facts.execution, maxRejectedShare } });
        expect(rules.includes('quarantine')).toBe(quarantined / rows > maxRejectedShare);
      }),
    );
  });

  it('lets no row pass by default, and 1 in 100 when 0.01 is allowed', () => {
    const one = arrived(100, 1);
    expect(rulesAgainst(one)).toEqual(['quarantine']);
    expect(rulesAgainst({ ...one, execution: { ...one.execution, maxRejectedShare: 0.01 } })).toEqual([]);
    const two = arrived(100, 2);
    expect(rulesAgainst({ ...two, execution: { ...two.execution, maxRejectedShare: 0.01 } })).toEqual(['quarantine']);
  });
});

describe('a number of rows beside the share', () => {
  const allowing = (facts: Changes, maxRejectedShare: number, maxRejectedRows: number): string[] =>
    rulesAgainst({ ...facts, execution: { ...facts.execution, maxRejectedShare, maxRejectedRows } });

  it('lets exactly that many rows pass, whatever their share', () => {
    expect(allowing(arrived(257, 1), 0.001, 5)).toEqual([]);
    expect(allowing(arrived(257, 5), 0.001, 5)).toEqual([]);
    expect(allowing(arrived(257, 6), 0.001, 5)).toEqual(['quarantine']);
  });

  it('does not lower the share', () => {
    expect(allowing(arrived(10_000, 10), 0.001, 5)).toEqual([]);
    expect(allowing(arrived(10_000, 11), 0.001, 5)).toEqual(['quarantine']);
  });

  it('never lets half of the rows or more pass, unless the share allows it', () => {
    expect(allowing(arrived(5, 2), 0.001, 5)).toEqual([]);
    expect(allowing(arrived(4, 2), 0.001, 5)).toEqual(['quarantine']);
    expect(allowing(arrived(1, 1), 0.001, 5)).toEqual(['quarantine']);
    expect(allowing(arrived(4, 2), 0.5, 5)).toEqual([]);
  });
});

describe('what a person reads of an objection', () => {
  it('has the announced rows, and the limit only where it leaves fewer', () => {
    const total = (totalRowCount: string, limit?: number): string[] =>
      messagesOf({ execution: { totalRowCount, request: limit === undefined ? {} : { limit } } });
    expect(total('99')).toEqual(['the service announced 99 rows and sent 100']);
    expect(total('99', 500)).toEqual(['the service announced 99 rows and sent 100']);
    expect(total('500', 500)).toEqual(['the service announced 500 rows and sent 100']);
    expect(total('501', 500)).toEqual(['the service announced 501 rows, of which limit leaves 500, and sent 100']);
  });

  it('has the period that was asked for', () => {
    const period = (request: Record<string, unknown>): string[] =>
      messagesOf({ execution: { request }, staged: { offPeriod: 1, offPeriodExample: 'x' } });
    expect(period({})).toEqual(['the period of 1 of 100 rows is not one week of 2026-11-08..2026-11-14, such as x']);
    expect(period({ collection_frequency: 'DAILY' })).toEqual([
      'the period of 1 of 100 rows is not one day of 2026-11-08..2026-11-14, such as x',
    ]);
  });

  it('has the share of rows that did not decode, and the number that is allowed beside it', () => {
    const facts = arrived(300, 100);
    const allowing = (maxRejectedRows: number): string[] => messagesOf({ ...facts, execution: { ...facts.execution, maxRejectedRows } });
    expect(allowing(0)).toEqual(['100 of 300 rows did not decode, a share of 0.333; max_rejected is 0']);
    expect(allowing(7)).toEqual([
      '100 of 300 rows did not decode, a share of 0.333; max_rejected is 0, or 7 rows while they are fewer than half',
    ]);
  });
});

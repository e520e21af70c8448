import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRenames, type KnownQuestion, type NamedQuestion } from '../../../src/ledger/renames.ts';
import { propertyRuns } from '../../support/property-runs.ts';

type Changes = Partial<KnownQuestion>;
/** A job of the ledger by its name and what it asked. */
const known = (name: string, filtersDigest: string, changes: Changes = {}): KnownQuestion => ({
  name,
  dataset: 'keyword_rankings',
  accountId: 1,
  filters: {},
  filtersDigest,
  removedAt: null,
  isElsewhere: false,
  ...changes,
});
/** A job of the file by its name and what it asks. */
const asks = (name: string, filtersDigest: string, dataset = 'keyword_rankings'): NamedQuestion => ({
  name,
  dataset: { name: dataset },
  accountId: 1,
  filters: {},
  filtersDigest,
  isEnabled: true,
});
const renames = async (before: readonly KnownQuestion[], now: readonly NamedQuestion[]) => {
  const { moves, waiting } = await findRenames(before, now);
  return { moves: Object.fromEntries(moves), waiting: Object.fromEntries(waiting) };
};
const moved = (moves: Record<string, string>) => ({ moves, waiting: {} });

describe('jobs that have other names than in the ledger', () => {
  it('are none while each job asks its old question, or a new one', async () => {
    expect(await renames([known('a', 'A'), known('b', 'B')], [asks('a', 'A'), asks('b', 'C'), asks('c', 'D')])).toEqual(moved({}));
  });

  it('are one job with a new name that asks the question of a name that is gone', async () => {
    expect(await renames([known('old', 'A')], [asks('new', 'A')])).toEqual(moved({ new: 'old' }));
  });

  it('are two that exchange their names, and three whose names go round', async () => {
    expect(await renames([known('a', 'A'), known('b', 'B')], [asks('a', 'B'), asks('b', 'A')])).toEqual(moved({ a: 'b', b: 'a' }));
    const three = [known('a', 'A'), known('b', 'B'), known('c', 'C')];
    expect(await renames(three, [asks('a', 'B'), asks('b', 'C'), asks('c', 'A')])).toEqual(moved({ a: 'b', b: 'c', c: 'a' }));
  });

  it('are one job that takes the question of another, which asks something new and gets the weeks of the first', async () => {
    expect(await renames([known('a', 'A'), known('b', 'B')], [asks('a', 'B'), asks('b', 'C')])).toEqual(moved({ a: 'b', b: 'a' }));
  });

  it('are one job that takes the question of a name that the same change removes; its own weeks stay under that name', async () => {
    expect(await renames([known('a', 'A'), known('b', 'B')], [asks('a', 'B')])).toEqual(moved({ a: 'b', b: 'a' }));
  });

  it('are a chain that begins with a new name', async () => {
    expect(await renames([known('a', 'A'), known('b', 'B')], [asks('new', 'A'), asks('a', 'B'), asks('b', 'C')])).toEqual(
      moved({ new: 'a', a: 'b' }),
    );
  });

  it('do not include a job with weeks of its own that asks the question of a job removed before', async () => {
    const removedAt = new Date('2026-11-01T00:00:00Z');
    expect(await renames([known('a', 'A'), known('old', 'B', { removedAt })], [asks('a', 'B')])).toEqual(moved({}));
    expect(await renames([known('old', 'B', { removedAt })], [asks('a', 'B')])).toEqual(moved({ a: 'old' }));
  });

  it('take the name that asked last, of several that asked the same', async () => {
    const at = (day: number): Changes => ({ removedAt: new Date(Date.UTC(2026, 10, day)) });
    expect(await renames([known('x', 'A', at(1)), known('y', 'A', at(3)), known('z', 'A', at(2))], [asks('new', 'A')])).toEqual(
      moved({ new: 'y' }),
    );
  });

  it('wait, with all that depends on them, while another running process has a name that is given up', async () => {
    const isElsewhere = true;
    expect(await renames([known('old', 'A', { isElsewhere })], [asks('new', 'A')])).toEqual({ moves: {}, waiting: { new: 'old' } });
    expect(await renames([known('a', 'A'), known('b', 'B', { isElsewhere })], [asks('a', 'B')])).toEqual({
      moves: {},
      waiting: { a: 'b', b: 'a' },
    });
    // Both configurations have the names: the one that plans last is right.
    expect(await renames([known('a', 'A', { isElsewhere }), known('b', 'B', { isElsewhere })], [asks('a', 'B'), asks('b', 'A')])).toEqual(
      moved({ a: 'b', b: 'a' }),
    );
  });

  it('may pass names between datasets, but no job gets weeks of another dataset than its own', async () => {
    const brands = 'ai_search_brands';
    const before = [known('a', 'A'), known('b', 'B', { dataset: brands })];
    expect(await renames(before, [asks('a', 'B', brands), asks('b', 'A')])).toEqual(moved({ a: 'b', b: 'a' }));
    expect(await renames(before, [asks('a', 'B', brands), asks('b', 'C', brands)])).toEqual(moved({}));
  });

  describe('that have other filters, too', () => {
    const knew = (name: string, filters: NamedQuestion['filters'], changes: Changes = {}): KnownQuestion =>
      known(name, JSON.stringify(filters), { filters, ...changes });
    const wants = (name: string, filters: NamedQuestion['filters']): NamedQuestion => ({ ...asks(name, JSON.stringify(filters)), filters });
    const [desktop, phone, tablet] = [{ devices: ['DESKTOP'] }, { devices: ['SMARTPHONE'] }, { devices: ['TABLET'] }];
    const before = [knew('a', desktop), knew('b', phone), knew('c', tablet)];

    it('are recognised when they ask for rows of one other name only, which no other job asks for', async () => {
      const max_rank = 5;
      expect(await renames(before, [wants('a', { ...phone, max_rank }), wants('b', { ...desktop, max_rank }), wants('c', tablet)])).toEqual(
        moved({ a: 'b', b: 'a' }),
      );
      expect(
        await renames(before, [
          wants('a', { ...phone, max_rank }),
          wants('b', { ...tablet, max_rank }),
          wants('c', { ...desktop, max_rank }),
        ]),
      ).toEqual(moved({ a: 'b', b: 'c', c: 'a' }));
      // One of them asks what the other asked, to the letter.
      expect(await renames(before, [wants('a', { ...phone, max_rank }), wants('b', desktop), wants('c', tablet)])).toEqual(
        moved({ a: 'b', b: 'a' }),
      );
    });

    it.each([
      ['that ask for rows of several names', [wants('a', { devices: ['SMARTPHONE', 'TABLET'] }), wants('b', { devices: ['CAR'] })]],
      ['whose rows are asked for by several', [wants('a', { ...phone, countries: ['US'] }), wants('b', { ...phone, countries: ['DE'] })]],
      ['that still ask for rows of their own', [wants('a', { devices: ['DESKTOP', 'SMARTPHONE'] }), wants('b', { devices: ['CAR'] })]],
      ['that are new', [wants('a', { ...desktop, max_rank: 5 }), wants('b', { devices: ['CAR'] }), wants('d', { ...phone, max_rank: 5 })]],
    ])('are not recognised %s', async (_, now) => {
      expect(await renames(before, now)).toEqual(moved({}));
    });

    it('are not recognised by rows of a job that was removed before, or of another account', async () => {
      const removedAt = new Date('2026-11-01T00:00:00Z');
      const now = [wants('a', { ...phone, max_rank: 5 })];
      expect(await renames([knew('a', desktop), knew('b', phone, { removedAt })], now)).toEqual(moved({}));
      expect(await renames([knew('a', desktop), knew('b', phone, { accountId: 2 })], now)).toEqual(moved({}));
    });
  });

  it('leave each set of weeks under one name, and every job with its own weeks where it can, whatever was renamed', async () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 });
    const questions = fc.shuffledSubarray(['A', 'B', 'C', 'D', 'E'], { minLength: 5 });
    await fc.assert(
      fc.asyncProperty(names, questions, names, questions, async (oldNames, asked, newNames, asking) => {
        const before = oldNames.map((name, index) => known(name, asked[index] ?? 'none'));
        const now = newNames.map((name, index) => asks(name, asking[index] ?? 'none'));
        const { moves } = await findRenames(before, now);
        const isMoved = (name: string): boolean => [...moves.values()].includes(name);
        const after = [
          ...before.filter(({ name }) => !isMoved(name)).map(({ name, filtersDigest }) => [name, filtersDigest] as const),
          ...[...moves].map(([to, from]) => [to, before.find(({ name }) => name === from)?.filtersDigest] as const),
        ];
        expect(new Set(after.map(([name]) => name)).size).toBe(before.length);
        expect(new Set(after.map(([, question]) => question))).toEqual(new Set(before.map((job) => job.filtersDigest)));
        for (const { name, filtersDigest } of now)
          if (before.some((job) => job.filtersDigest === filtersDigest)) expect(new Map(after).get(name)).toBe(filtersDigest);
        // Done once, there is nothing left to do.
        const settled = after.map(([name, question]) => known(name, question ?? ''));
        expect((await findRenames(settled, now)).moves).toEqual(new Map());
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

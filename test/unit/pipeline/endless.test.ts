// Loads that would never end.
import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../src/core/errors.ts';
import { CircleWatch, checkProgress, MAX_EMPTY_PAGES } from '../../../src/pipeline/endless.ts';

/** The number of the page at which cursors that repeat are found; undefined if they are not. Each page has a watch of its own, as after a restart. */
function findCircle(cursors: readonly string[]): number | undefined {
  let anchor: string | null = null;
  for (const [at, cursor] of cursors.entries()) {
    const watch = new CircleWatch(anchor);
    try {
      watch.add(at + 1, cursor, {});
    } catch (error) {
      expect(error).toBeInstanceOf(ProtocolError);
      expect(error).toMatchObject({ isLasting: true });
      return at + 1;
    }
    ({ anchor } = watch);
  }
  return undefined;
}
const repeated = (before: number, length: number): string[] =>
  Array.from({ length: 300 }, (_, at) => (at < before ? `once ${at}` : `again ${(at - before) % length}`));

describe('a cycle of cursors', () => {
  it.each([
    [0, 1],
    [0, 2],
    [3, 1],
    [5, 7],
    [20, 30],
  ])('after %i pages, of %i pages, is found within three times as many', (before, length) => {
    const found = findCircle(repeated(before, length));
    expect(found).toBeGreaterThan(before + length - 1);
    expect(found).toBeLessThanOrEqual(3 * (before + length) + 1);
  });

  it('is none as long as every cursor is new', () => {
    expect(findCircle(repeated(300, 1))).toBeUndefined();
  });

  it('is told with the page that closes it', () => {
    const watch = new CircleWatch(null);
    expect(watch.anchor).toBeNull();
    watch.add(1, 'a', {});
    expect(watch.anchor).not.toBeNull();
    const { anchor } = watch;
    watch.add(2, 'b', {});
    expect(watch.anchor).not.toBe(anchor);
    expect(() => watch.add(3, 'b', {})).toThrow('page 3 points back to a page that was already read');
  });
});

describe('the progress of a load', () => {
  const check = (rowsReceived: number, announced: string | null, emptyPages: number) => () =>
    checkProgress({ rowsReceived, announced, emptyPages }, 7, {});

  it('goes on while the rows are those announced, and pages are not empty for long', () => {
    for (const going of [check(10, '10', 0), check(11, null, 0), check(0, '0', MAX_EMPTY_PAGES)]) expect(going).not.toThrow();
  });

  it('ends with more rows than announced, or too many empty pages', () => {
    expect(check(11, '10', 0)).toThrow('10 rows, sent 11 on 7 pages, and offers another page; the load would never end');
    expect(check(0, null, MAX_EMPTY_PAGES + 1)).toThrow('the last 1001 of 7 pages have no rows');
    expect(check(11, '10', 0)).toThrow(ProtocolError);
  });
});

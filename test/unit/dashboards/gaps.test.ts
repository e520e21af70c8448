import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/dashboards/cells.ts';
import { listReasons } from '../../../src/dashboards/gaps.tsx';
import { meaningsOf } from '../../../src/dashboards/week-state.tsx';

const AT = { x: 0, series: 1, reason: 2, isListed: () => true };
const of = (weeks: readonly string[], lines: readonly string[], reason: string | null): Row[] =>
  weeks.flatMap((week) => lines.map((line) => [week, line, reason]));

describe('the list of gaps', () => {
  it('has each reason once, with its weeks, joined where weeks follow each other', () => {
    const rows = [
      ...of(['2026-10-04', '2026-10-11', '2026-10-18', '2026-11-01'], ['a', 'b'], 'held (rankings)'),
      ...of(['2026-10-25'], ['a', 'b'], null),
      ...of(['2026-11-08'], ['a', 'b'], 'missing (rankings)'),
    ];
    expect(listReasons(rows, AT)).toEqual(['2026-10-04 to 2026-10-18, 2026-11-01: held (rankings)', '2026-11-08: missing (rankings)']);
  });

  it('names the lines where not all have the reason', () => {
    const rows = [...of(['2026-11-01'], ['a', 'b'], 'held'), ...of(['2026-11-08'], ['a'], 'not found'), ...of(['2026-11-08'], ['b'], null)];
    expect(listReasons(rows, AT)).toEqual(['2026-11-01: held', '2026-11-08: not found (a)']);
  });

  it('is short, and has places as written where they are no weeks', () => {
    const places = Array.from({ length: 10 }, (_, index) => `place ${index}`);
    expect(listReasons(of(places, ['a'], 'none'), { ...AT, series: -1 })).toEqual([`${places.slice(0, 8).join(', ')} and 2 more: none`]);
  });
});

it('an analyst is told what the state of a week means, and whom to ask, each once', () => {
  expect(meaningsOf(['2026-10-04: held (rankings)', '2026-10-11: held (rankings), running (brands)'])).toEqual([
    expect.stringMatching(/^held: .* ask those who run Searchmill$/),
    expect.stringMatching(/^running: /),
  ]);
  expect(meaningsOf(['no searches with a known volume'])).toEqual([]);
});

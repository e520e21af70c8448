// What a tile says of a week: a change only where both weeks have a figure and answer the same question, a mean only of four such weeks.
import { expect, it } from 'vitest';
import { addDays } from '../../../src/core/weeks.ts';
import { useLedger } from '../../support/ledger.ts';

const ledger = useLedger();
const FIRST = '2026-09-06';

type Point = Readonly<{ figure: number | null; gap?: string; question?: string; change?: string; bounds?: readonly [number, number] }>;

/** The newest of some weeks that follow each other. */
async function newestOf(points: readonly Point[], compare: string | null = null): Promise<Record<string, string | null> | undefined> {
  const given = points.map((point, index) => ({ week: addDays(FIRST, 7 * index), question: 'all', ...point }));
  const { rows } = await ledger.pool.query<Record<string, string | null>>(
    `SELECT week::text, figure::text, change::text, reading, mean_of_four::text, against_mean::text, compared_with::text, uncompared, reason, question
       FROM search_reports.tile($1::jsonb, 1, $2) ORDER BY week`,
    [JSON.stringify(given), compare],
  );
  return rows.at(-1);
}

const figures = (...all: readonly number[]): Point[] => all.map((figure) => ({ figure }));

it('compares its figure with the week before and with the mean of the four weeks before', async () => {
  expect(await newestOf(figures(10, 20, 30, 40, 50))).toMatchObject({
    figure: '50.0',
    change: '10.0',
    compared_with: '2026-09-27',
    mean_of_four: '25.0',
    against_mean: '25.0',
    uncompared: null,
  });
});

it('is compared with another week, where that is among those chosen', async () => {
  const five = figures(10, 20, 30, 40, 50);
  expect(await newestOf(five, 'month')).toMatchObject({ compared_with: FIRST, change: '40.0' });
  expect(await newestOf(five, '2026-09-15')).toMatchObject({ compared_with: '2026-09-13', change: '30.0' });
  expect(await newestOf(five, 'year')).toMatchObject({ change: null, uncompared: 'the week of 2025-10-05 is not among the weeks chosen' });
});

it('is not compared with itself or with a later week', async () => {
  const five = figures(10, 20, 30, 40, 50);
  const newest = { figure: '50.0', change: null, reading: null };
  expect(await newestOf(five, '2026-10-04')).toMatchObject({ ...newest, uncompared: 'the week of 2026-10-04 is not before it' });
  expect(await newestOf(five, '2026-10-11')).toMatchObject({ ...newest, uncompared: 'the week of 2026-10-11 is not before it' });
});

it('is a gap with its reason, and not a zero, where the week has no figure', async () => {
  expect(await newestOf([{ figure: 10 }, { figure: 0, gap: 'held (rankings)' }])).toMatchObject({
    figure: null,
    change: null,
    mean_of_four: null,
    reason: 'held (rankings)',
  });
});

it('has no change from a week without a figure, and no mean over one', async () => {
  const points: Point[] = [...figures(10, 20, 30), { figure: null, gap: 'missing (rankings)' }, { figure: 50 }];
  expect(await newestOf(points)).toMatchObject({
    figure: '50.0',
    change: null,
    reading: null,
    mean_of_four: null,
    uncompared: 'the week of 2026-09-27 has no figure: missing (rankings)',
  });
});

it('has no change over a change of the question', async () => {
  const points: Point[] = [...figures(10, 20, 30, 40), { figure: 5, question: 'US', change: 'not comparable: of US' }];
  expect(await newestOf(points)).toMatchObject({
    figure: '5.0',
    change: null,
    mean_of_four: null,
    uncompared: 'not comparable: of US',
    question: 'US',
  });
});

it('judges a change by the intervals of both weeks, whatever the usual move is', async () => {
  const steady = figures(10, 10, 10, 10, 10, 10, 10);
  expect(await newestOf([...steady, { figure: 10, bounds: [5, 15] }, { figure: 12, bounds: [7, 17] }])).toMatchObject({
    reading: 'within noise',
  });
  expect(await newestOf([...steady, { figure: 10, bounds: [9, 11] }, { figure: 20, bounds: [19, 21] }])).toMatchObject({ reading: 'more' });
});

it('judges a change by three times the usual move where there is no interval, and not at all before one is known', async () => {
  const before = figures(10, 11, 10, 11, 10, 11);
  expect(await newestOf([...before, { figure: 8 }])).toMatchObject({ change: '-3.0', reading: 'within noise' });
  expect(await newestOf([...before, { figure: 7.9 }])).toMatchObject({ change: '-3.1', reading: 'less' });
  expect(await newestOf([...before, { figure: 14.1 }])).toMatchObject({ change: '3.1', reading: 'more' });
  expect(await newestOf(figures(10, 11, 10, 50))).toMatchObject({ change: '40.0', reading: null });
});

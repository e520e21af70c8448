// What a search adds to our visibility when it was tracked deeper in one week than in the other: being found is never a loss, being lost never a win,
// and a lost place is a loss like any other.
import { expect, it } from 'vitest';
import { type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const ask = asksOf(() => ledger.pool, 'rankings');
const BEFORE: IsoDate = '2026-11-01';
const NOW: IsoDate = '2026-11-08';
const VOLUME = 100;

/** Of each search and week: the deepest place that was tracked, and ours among these. */
type Week = Readonly<{ deepest: number; own: number | null }>;
const SEARCHES: Readonly<Record<string, Readonly<{ before: Week; now: Week; change: string | null; places: number }>>> = {
  'found deeper than it was tracked before': {
    before: { deepest: 17, own: null },
    now: { deepest: 19, own: 19 },
    change: 'new',
    places: 1,
  },
  'found, and tracked less deep': { before: { deepest: 20, own: null }, now: { deepest: 10, own: 10 }, change: 'new', places: 1 },
  'lost from a place deeper than it is tracked now': {
    before: { deepest: 19, own: 19 },
    now: { deepest: 17, own: null },
    change: 'lost',
    places: -1,
  },
  'lost, and tracked deeper': { before: { deepest: 10, own: 10 }, now: { deepest: 20, own: null }, change: 'lost', places: -1 },
  'found in both weeks': { before: { deepest: 10, own: 10 }, now: { deepest: 20, own: 12 }, change: null, places: 0 },
};

it.each(['standard', 'true'])('a place that is lost or won counts alike, however deep the weeks were tracked, by %s rank', async (rank) => {
  const { pool } = ledger;
  const job = jobOf();
  await insertOwnDomains(pool, job.accountId, 'acme.example');
  const rowsOf = (start: IsoDate, key: 'before' | 'now'): unknown[][] =>
    Object.entries(SEARCHES).flatMap(([query, weeks]) => {
      const { deepest, own } = weeks[key];
      return Array.from({ length: deepest }, (_, index) => {
        const place = index + 1;
        return wireRow(
          job,
          {
            query,
            device: 'DESKTOP',
            search_engine: 'GOOGLE',
            root_domain: place === own ? 'acme.example' : `site-${place}.example`,
            average_search_volume: String(VOLUME),
            [`rank_${rank}`]: String(place),
          },
          start,
        );
      });
    });
  await loadWindow(pool, job, rowsOf(BEFORE, 'before'), windowOfWeeks(BEFORE, 1));
  await loadWindow(pool, job, rowsOf(NOW, 'now'), windowOfWeeks(NOW, 1));
  await storeReports(pool);

  const values = { account: String(job.accountId), rank, weighted: 'true', top_n: '20', compare: 'week' };
  const moved = Object.entries(SEARCHES).filter(([, { places }]) => places !== 0);
  const effect = (places: number): number => (100 * places) / (20 * Object.keys(SEARCHES).length);
  const rows = await ask('winners-and-losers', values);
  expect(rows.map((row) => [row.query, row.change, Number(row.effect)])).toEqual(
    moved
      .map(([query, { change, places }]): [string, string | null, number] => [query, change, effect(places)])
      .sort(([query, , won], [other, , otherWon]) => otherWon - won || (query < other ? -1 : 1))
      .map(([query, change, won]) => [query, change, expect.closeTo(won, 4)]),
  );

  const listed = await ask('new-and-lost', values);
  expect(listed.map(({ query, change, looked_to }) => [query, change, looked_to])).toEqual(
    moved
      .map(([query, { before, now, change }]) => [query, change, String(change === 'lost' ? now.deepest : before.deepest)])
      .sort(([query], [other]) => (`${query}` < `${other}` ? -1 : 1)),
  );
});

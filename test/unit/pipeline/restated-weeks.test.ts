// The false alarms of docs/decisions/0019-what-vanishes.md: weeks of all datasets that the service restates, as the sandbox does, must lose no
// value that says what was asked. It counts as publish/find-vanished-values does, without a database, so that there can be many weeks.
import { expect, it } from 'vitest';
import { resolveOptions } from '../../../sandbox/options.ts';
import { wireRows } from '../../../sandbox/queries/pages.ts';
import { planQuery } from '../../../sandbox/queries/plan-query.ts';
import type { Revision } from '../../../sandbox/queries/query.ts';
import { createWorld } from '../../../sandbox/world/world.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import type { WireRow } from '../../../src/service/wire.ts';
import { propertyRuns } from '../../support/property-runs.ts';

type AnyDataset = (typeof DATASETS)[number];

const NEWEST = '2026-11-08';
const SEEDS = [1, 2, 3];
/** Of three companies, eight weeks each where there is time for all. */
const WEEKS = Math.ceil(propertyRuns(24 * DATASETS.length) / DATASETS.length);
const restated = (number: number, changes: Partial<Extract<Revision, { kind: 'restate' }>>): Revision => ({
  kind: 'restate',
  number,
  share: 0,
  vanish: 0,
  appear: 0,
  ...changes,
});
/** From what services do every week to far more than they do. */
const RESTATEMENTS: readonly (readonly [title: string, changes: Parameters<typeof restated>[1]])[] = [
  ['figures corrected', { share: 0.5 }],
  ['a tenth gone, a tenth new', { vanish: 0.1, appear: 0.1 }],
  ['a third gone, a third new', { vanish: 0.33, appear: 0.33 }],
  ['half gone, half new', { vanish: 0.5, appear: 0.5 }],
];

const valuesOf = (dataset: AnyDataset, rows: readonly WireRow[]): Map<string, number> => {
  const period = dataset.columns.findIndex(({ name }) => name === dataset.period.start);
  const counts = new Map<string, number>();
  dataset.columns.forEach(({ heldFrom }, position) => {
    if (heldFrom === undefined) return;
    for (const row of rows) {
      const key = JSON.stringify([heldFrom, row[period], position, row[position]]);
      if (row[position]) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  });
  return counts;
};

/** Weeks in which a value is gone that had as many rows as alarm, by restatement, and how many values there were in all. */
function play(dataset: AnyDataset): { alarms: readonly string[]; values: number } {
  const alarms: string[] = [];
  let values = 0;
  const companies = SEEDS.map((seed) => resolveOptions({ size: 'small', seed, sizes: { keywords: 40, prompts: 40 } }));
  const worlds = companies.map((settings) => ({
    world: createWorld(settings),
    calendar: { weekStartsOn: settings.weekStartsOn, historyStart: settings.historyStart },
  }));
  for (let run = 0; run < WEEKS; run += 1) {
    const company = worlds[run % worlds.length];
    if (!company) throw new Error('no company');
    const back = Math.floor(run / worlds.length);
    const start = addDays(NEWEST, -7 * back);
    const query = { dataset, accountId: 12345, window: { start, end: addDays(start, 6) }, filters: {}, newestWeek: NEWEST };
    const rowsWith = (revisions: readonly Revision[]): WireRow[] => [
      ...wireRows(planQuery(company.world, company.calendar, { ...query, revisions }), Number.POSITIVE_INFINITY),
    ];
    const watched = [...valuesOf(dataset, rowsWith([]))].filter(([key, rows]) => rows >= (JSON.parse(key) as [number])[0]);
    values += watched.length;
    for (const [title, changes] of RESTATEMENTS) {
      const after = valuesOf(dataset, rowsWith([restated(1 + back, changes)]));
      const gone = watched.filter(([key]) => !after.has(key));
      if (gone.length > 0) alarms.push(`${title}: ${start} of company ${run % worlds.length} lost ${gone.join(', ')}`);
    }
  }
  return { alarms, values };
}

it.each(DATASETS.map((dataset) => [dataset.name, dataset] as const))('restated weeks of %s raise no alarm', (_name, dataset) => {
  const { alarms, values } = play(dataset);
  expect(alarms).toEqual([]);
  // Some values could be missed, so the count means something.
  expect(values).toBeGreaterThan(WEEKS);
});

it('the same count notices a value that is really gone', () => {
  const dataset = DATASETS.find(({ name }) => name === 'ai_search_brands');
  if (!dataset) throw new Error('no brands');
  const engine = dataset.columns.findIndex(({ name }) => name === 'ai_search_engine');
  const settings = resolveOptions({ size: 'small', seed: 1, sizes: { keywords: 40, prompts: 40 } });
  const calendar = { weekStartsOn: settings.weekStartsOn, historyStart: settings.historyStart };
  const query = { dataset, accountId: 12345, window: { start: NEWEST, end: addDays(NEWEST, 6) }, filters: {}, newestWeek: NEWEST };
  const rows = [...wireRows(planQuery(createWorld(settings), calendar, { ...query, revisions: [] }), Number.POSITIVE_INFINITY)];
  const [before, after] = [
    valuesOf(dataset, rows),
    valuesOf(
      dataset,
      rows.filter((row) => row[engine] !== rows[0]?.[engine]),
    ),
  ];
  expect([...before.keys()].filter((key) => !after.has(key)).length).toBeGreaterThan(0);
});

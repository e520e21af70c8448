// What must be there for every dataset beside its definition.
import { expect, it } from 'vitest';
import { AI_ROWS } from '../../../sandbox/queries/ai-rows.ts';
import { RANKINGS } from '../../../sandbox/queries/ranking-plan.ts';
import { DATASETS, type DatasetName } from '../../../src/datasets/index.ts';

it('the compiler names a dataset with a missing part', () => {
  const { ai_search_brands: brands } = AI_ROWS;
  // @ts-expect-error: the other AI datasets have no rows here.
  const lacking: typeof AI_ROWS = { ai_search_brands: brands };
  // @ts-expect-error: no dataset has this name.
  const name: DatasetName = 'ai_search_nothing';
  expect([lacking, name]).toHaveLength(2);
});

it('the sandbox has rows of every dataset, and of no other', () => {
  expect(new Set(Object.keys({ ...RANKINGS, ...AI_ROWS }))).toEqual(new Set(DATASETS.map(({ name }) => name)));
});

it.each(DATASETS.map((dataset) => [dataset.name, dataset] as const))('%s is revised in columns that it has', (name, { columns }) => {
  const rows: Readonly<Record<DatasetName, { revised: { measures: readonly string[]; dimension: string } }>> = { ...RANKINGS, ...AI_ROWS };
  const { measures, dimension } = rows[name].revised;
  expect(columns.map((column) => column.name)).toEqual(expect.arrayContaining([...measures, dimension]));
});

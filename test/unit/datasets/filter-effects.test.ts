// What filters do to the units of figures is declared once, and facts know every cut.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DATASETS } from '../../../src/datasets/index.ts';

const PATH = 'migrations/repeatable/08_unit_loads.sql';
const LOADS = readFileSync(PATH, 'utf8');
const SUMMARISED = DATASETS.filter(({ subjects }) => subjects.length > 0);
const filtersOf = (effect: string): [dataset: string, filter: string][] =>
  SUMMARISED.flatMap(({ name, filters }) =>
    filters.filter((each) => each.effect === effect).map((each): [string, string] => [name, each.name]),
  );

describe('the loads of units', () => {
  it.each(filtersOf('cuts'))('read what %s leaves out of a unit by %s', (_, filter) => {
    expect(LOADS, PATH).toContain(`'${filter}'`);
  });

  // Which prompts were asked for is not in the rows of a dataset that has none of them; a tracked search without any row is not known either way.
  it.each(filtersOf('selects').filter(([dataset, filter]) => dataset.startsWith('ai_search_') && filter !== 'prompts_groups_match'))(
    'read which units %s selects by %s',
    (_, filter) => {
      expect(LOADS, PATH).toContain(`'${filter}'`);
    },
  );
});

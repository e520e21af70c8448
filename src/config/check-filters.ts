// The filters of one job against its dataset, so that nothing the service would refuse is ever sent.
import type { Dataset } from '../datasets/dataset.ts';
import { DATASETS } from '../datasets/index.ts';
import { checkShape } from './check-shape.ts';
import { explainReservedFilter, filtersSchema } from './filters.ts';
import { expectOneOf } from './nearest.ts';
import { isMapping, type Path, type Remark, valueAt } from './remarks.ts';
import { jobSchema } from './schema.ts';
import { hintOf } from './value-hints.ts';
import type { YamlSource } from './yaml-source.ts';

/** Mistakes, and warnings about values that may find nothing, of the filters at `path`. */
export function checkFilters(path: Path, dataset: Dataset, source: YamlSource): { mistakes: Remark[]; warnings: Remark[] } {
  const filters = valueAt(source.value, path);
  // Values of another type were already reported by the schema of the file.
  if (!isMapping(filters)) return { mistakes: [], warnings: [] };
  const shape = checkShape(filtersSchema(dataset), filters, {
    isFromVariable: (inner) => source.hasVariable([...path, ...inner]),
    lacksVariable: (inner) => source.lacksVariable([...path, ...inner]),
    showsVariables: false,
    explainUnknownKey: ([name]) =>
      explainReservedFilter(String(name)) ?? explainJobField(String(name)) ?? explainOtherDataset(String(name), dataset),
  });
  const mistakes = shape.map((mistake) => source.remark([...path, ...mistake.path], mistake.text, mistake.part));
  return {
    mistakes: [...mistakes, ...checkRanks(path, source)],
    warnings: [...checkGroups(path, source), ...checkPlaces(path, source), ...checkValues(path, dataset, source)],
  };
}

function explainJobField(name: string): string | undefined {
  return Object.hasOwn(jobSchema.shape, name)
    ? 'is not a filter but a field of the job; expected it one level up, beside filters'
    : undefined;
}

function explainOtherDataset(name: string, dataset: Dataset): string | undefined {
  const others = DATASETS.filter(({ filters }) => filters.some((filter) => filter.name === name)).map((other) => other.name);
  if (others.length === 0) return undefined;
  const known = dataset.filters.map((filter) => filter.name);
  return `is not a filter of ${dataset.name} but of ${others.join(', ')}; ${expectOneOf(known, name)}`;
}

function checkRanks(path: Path, source: YamlSource): Remark[] {
  const min = valueAt(source.value, [...path, 'min_rank']);
  const max = valueAt(source.value, [...path, 'max_rank']);
  if (typeof min !== 'number' || typeof max !== 'number' || min <= max) return [];
  return [source.remark([...path, 'min_rank'], 'is above max_rank; expected the better (lower) rank here')];
}

/** Documented publicly: the service uses names of keyword groups only where no ids are given. */
function checkGroups(path: Path, source: YamlSource): Remark[] {
  const [ids, names] = ['keyword_group_ids', 'keyword_group_names'].map((filter) => [...path, filter]);
  if (!ids || !names || valueAt(source.value, ids) === undefined || valueAt(source.value, names) === undefined) return [];
  const text = 'is probably ignored, since the service uses names of keyword groups only without keyword_group_ids';
  return [source.remark(names, text, 'key')];
}

/** Locations outside of all countries: no row is in both. */
function checkPlaces(path: Path, source: YamlSource): Remark[] {
  const [countries, locodes] = ['countries', 'locodes'].map((filter) => valueAt(source.value, [...path, filter]));
  if (!Array.isArray(countries) || !Array.isArray(locodes)) return [];
  const codes = new Set(countries.map((country) => String(country).toUpperCase()));
  return locodes.flatMap((locode, index) => {
    const field = [...path, 'locodes', index];
    if (source.hasVariable(field) || codes.has(String(locode).slice(0, 2).toUpperCase())) return [];
    return [
      source.remark(field, 'is in none of countries, so it returns 0 rows; expected its country there, too, or one of the two filters'),
    ];
  });
}

function checkValues(path: Path, dataset: Dataset, source: YamlSource): Remark[] {
  const warnings: Remark[] = [];
  for (const filter of dataset.filters) {
    const field = [...path, filter.name];
    const written = valueAt(source.value, field);
    const values: Path[] = Array.isArray(written) ? written.map((_item, index) => [...field, index]) : [field];
    for (const one of values) {
      const value = valueAt(source.value, one);
      if (typeof value !== 'string') continue;
      const text = hintOf(filter, value, source.hasVariable(one) ? 'comes from a variable' : `is ${JSON.stringify(value)}`);
      if (text) warnings.push(source.remark(one, text));
    }
  }
  return warnings;
}

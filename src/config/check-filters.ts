// The filters of one job against its dataset, so that nothing the service would refuse is ever sent.
import type { Dataset } from '../datasets/dataset.ts';
import { checkShape } from './check-shape.ts';
import { explainReservedFilter, filtersSchema } from './filters.ts';
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
    explainUnknownKey: ([name]) => explainReservedFilter(String(name)) ?? explainJobField(String(name)),
  });
  const mistakes = shape.map((mistake) => source.remark([...path, ...mistake.path], mistake.text, mistake.part));
  return {
    mistakes: [...mistakes, ...checkRanks(path, source)],
    warnings: [...checkGroups(path, source), ...checkValues(path, dataset, source)],
  };
}

function explainJobField(name: string): string | undefined {
  return Object.hasOwn(jobSchema.shape, name)
    ? 'is not a filter but a field of the job; expected it one level up, beside filters'
    : undefined;
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

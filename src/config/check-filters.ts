// The filters of one job against its dataset, so that nothing the service would refuse is ever sent.
import type { Dataset } from '../datasets/dataset.ts';
import { checkShape } from './check-shape.ts';
import { explainReservedFilter, filtersSchema, misspeltValue } from './filters.ts';
import { type Path, type Remark, valueAt } from './remarks.ts';
import { jobSchema } from './schema.ts';
import type { YamlSource } from './yaml-source.ts';

/** Mistakes, and warnings about values that look misspelt, of the filters at `path`. */
export function checkFilters(source: YamlSource, path: Path, dataset: Dataset): { mistakes: Remark[]; warnings: Remark[] } {
  const filters = valueAt(source.value, path);
  // Of another kind than a mapping, they were found by the schema of the file.
  if (typeof filters !== 'object' || filters === null || Array.isArray(filters)) return { mistakes: [], warnings: [] };
  const mistakes = checkShape(filtersSchema(dataset), filters, {
    isFromVariable: (inner) => source.hasVariable([...path, ...inner]),
    lacksVariable: (inner) => source.lacksVariable([...path, ...inner]),
    showsVariables: false,
    explainUnknownKey: ([name]) => explainReservedFilter(String(name)) ?? explainJobField(String(name)),
  }).map(
    ({ path: inner, part, text }): Remark => ({ position: source.positionOf([...path, ...inner], part), path: [...path, ...inner], text }),
  );
  return { mistakes: [...mistakes, ...checkRanks(source, path)], warnings: checkSpelling(source, path, dataset) };
}

function explainJobField(name: string): string | undefined {
  return Object.hasOwn(jobSchema.shape, name) ? 'is no filter but a field of the job; expected it one level up, beside filters' : undefined;
}

function checkRanks(source: YamlSource, path: Path): Remark[] {
  const min = valueAt(source.value, [...path, 'min_rank']);
  const max = valueAt(source.value, [...path, 'max_rank']);
  if (typeof min !== 'number' || typeof max !== 'number' || min <= max) return [];
  const place = [...path, 'min_rank'];
  return [{ position: source.positionOf(place), path: place, text: 'is above max_rank; expected the better (lower) rank here' }];
}

function checkSpelling(source: YamlSource, path: Path, dataset: Dataset): Remark[] {
  const warnings: Remark[] = [];
  for (const filter of dataset.filters) {
    const written = valueAt(source.value, [...path, filter.name]);
    const values = Array.isArray(written)
      ? written.map((value, index) => ({ value, place: [...path, filter.name, index] }))
      : [{ value: written, place: [...path, filter.name] }];
    for (const { value, place } of values) {
      const meant = typeof value === 'string' ? misspeltValue(filter, value) : undefined;
      if (!meant) continue;
      const text = `is sent as it is, but looks like a slip; did you mean ${JSON.stringify(meant)}?`;
      warnings.push({ position: source.positionOf(place), path: place, text });
    }
  }
  return warnings;
}

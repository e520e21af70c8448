// What the schema of the file cannot say: rules between the fields of a job, between a job and its connection, and
// between jobs. Works on values that may be wrong themselves, so that every mistake of a file is found in one go.
import { findDataset } from '../datasets/index.ts';
import { checkFilters } from './check-filters.ts';
import { factsOf } from './fields.ts';
import { expectOneOf, nearestName } from './nearest.ts';
import { isMapping, type Path, type Remark, valueAt } from './remarks.ts';
import { completeJobSchema, jobSchema } from './schema.ts';
import type { YamlSource } from './yaml-source.ts';

/** Fields without a default that may stand in the job or in `defaults`. */
const REQUIRED_FIELDS = ['dataset', 'account_id', 'since'] as const;

/** Mistakes between the parts of the file, and warnings about filters. */
export function checkJobs(source: YamlSource): { mistakes: Remark[]; warnings: Remark[] } {
  const connections = keysOf(valueAt(source.value, ['connections']));
  const list = valueAt(source.value, ['jobs']);
  const jobs: Path[] = Array.isArray(list) ? list.flatMap((job, index) => (isMapping(job) ? [['jobs', index]] : [])) : [];
  const filters = jobs.flatMap((job) => checkFiltersOf(job, source));
  const mistakes = [
    ...checkNames(jobs, source),
    ...jobs.flatMap((job) => checkPresence(job, connections.length, source)),
    ...[['defaults'], ...jobs].flatMap((place) => checkConnection([...place, 'connection'], connections, source)),
    ...filters.flatMap((found) => found.mistakes),
  ];
  return { mistakes, warnings: filters.flatMap((found) => found.warnings) };
}

function keysOf(value: unknown): string[] {
  return isMapping(value) ? Object.keys(value) : [];
}

function checkFiltersOf(job: Path, source: YamlSource): { mistakes: Remark[]; warnings: Remark[] }[] {
  const name = valueAt(source.value, [...job, 'dataset']) ?? valueAt(source.value, ['defaults', 'dataset']);
  const dataset = typeof name === 'string' ? findDataset(name) : undefined;
  return dataset ? [checkFilters([...job, 'filters'], dataset, source)] : [];
}

function checkNames(jobs: readonly Path[], source: YamlSource): Remark[] {
  const mistakes: Remark[] = [];
  const firstLines = new Map<string, number>();
  for (const job of jobs) {
    const path = [...job, 'name'];
    const name = valueAt(source.value, path);
    if (typeof name !== 'string') continue;
    const position = source.positionOf(path);
    const first = firstLines.get(name);
    if (first === undefined) firstLines.set(name, position.line);
    else mistakes.push({ position, path, text: `is the name of the job on line ${first}, too; expected a name of its own` });
  }
  return mistakes;
}

function checkPresence(job: Path, connectionCount: number, source: YamlSource): Remark[] {
  // Without a connection to choose from, the connections themselves are the mistake.
  const fields = connectionCount > 1 ? [...REQUIRED_FIELDS, 'connection' as const] : REQUIRED_FIELDS;
  const absent = fields.filter((field) => [job, ['defaults']].every((place) => isAbsent(valueAt(source.value, place), field)));
  return absent.map((field) => {
    const { expected } = factsOf(completeJobSchema.shape[field]);
    return { position: source.positionOf(job), path: [...job, field], text: `is missing, here and in defaults; expected ${expected}` };
  });
}

/** Whether a mapping has neither the field nor a misspelling of it, which is remarked upon where it stands. */
function isAbsent(mapping: unknown, field: string): boolean {
  const known = Object.keys(jobSchema.shape);
  return !keysOf(mapping).some((key) => key === field || (!known.includes(key) && nearestName(key, known) === field));
}

function checkConnection(path: Path, connections: readonly string[], source: YamlSource): Remark[] {
  const name = valueAt(source.value, path);
  if (typeof name !== 'string' || connections.length === 0 || connections.includes(name) || source.lacksVariable(path)) return [];
  return [{ position: source.positionOf(path), path, text: `names no connection of this file; ${expectOneOf(connections, name)}` }];
}

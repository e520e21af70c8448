// What the schema of the file cannot say: rules between the fields of a job, between a job and its connection, and
// between jobs. Works on values that may be wrong themselves, so that every mistake of a file is found in one go.
import { findDataset } from '../datasets/index.ts';
import { checkFilters } from './check-filters.ts';
import { factsOf } from './fields.ts';
import { expectOneOf, nearestName } from './nearest.ts';
import { type Path, type Remark, valueAt } from './remarks.ts';
import { completeJobSchema, jobSchema } from './schema.ts';
import type { YamlSource } from './yaml-source.ts';

export type Findings = Readonly<{ mistakes: readonly Remark[]; warnings: readonly Remark[] }>;

/** Fields without a default that may stand in the job or in `defaults`. */
const REQUIRED_FIELDS = ['dataset', 'account_id', 'since'] as const;

/** Everything between the parts of the file. */
export function checkJobs(source: YamlSource): Findings {
  const mistakes: Remark[] = [];
  const warnings: Remark[] = [];
  const connections = Object.keys((valueAt(source.value, ['connections']) as object | null | undefined) ?? {});
  const jobs = valueAt(source.value, ['jobs']);
  if (Array.isArray(jobs)) {
    const firstLines = new Map<unknown, number>();
    for (const [index, job] of jobs.entries()) {
      const path: Path = ['jobs', index];
      if (typeof job !== 'object' || job === null || Array.isArray(job)) continue;
      mistakes.push(...checkName(source, path, firstLines), ...checkPresence(source, path, connections.length));
      mistakes.push(...checkConnection(source, [...path, 'connection'], connections));
      const datasetName = valueAt(source.value, [...path, 'dataset']) ?? valueAt(source.value, ['defaults', 'dataset']);
      const dataset = typeof datasetName === 'string' ? findDataset(datasetName) : undefined;
      if (!dataset) continue;
      const filters = checkFilters(source, [...path, 'filters'], dataset);
      mistakes.push(...filters.mistakes);
      warnings.push(...filters.warnings);
    }
  }
  mistakes.push(...checkConnection(source, ['defaults', 'connection'], connections));
  return { mistakes, warnings };
}

function checkName(source: YamlSource, job: Path, firstLines: Map<unknown, number>): Remark[] {
  const path = [...job, 'name'];
  const name = valueAt(source.value, path);
  if (typeof name !== 'string') return [];
  const position = source.positionOf(path);
  const first = firstLines.get(name);
  if (first === undefined) firstLines.set(name, position.line);
  return first === undefined ? [] : [{ position, path, text: `is the name of the job on line ${first}, too; expected a name of its own` }];
}

function checkPresence(source: YamlSource, job: Path, connectionCount: number): Remark[] {
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
  const keys = Object.keys((mapping as object | null | undefined) ?? {});
  return !keys.some((key) => key === field || (!known.includes(key) && nearestName(key, known) === field));
}

function checkConnection(source: YamlSource, path: Path, connections: readonly string[]): Remark[] {
  const name = valueAt(source.value, path);
  if (typeof name !== 'string' || connections.length === 0 || connections.includes(name) || source.lacksVariable(path)) return [];
  return [{ position: source.positionOf(path), path, text: `names no connection of this file; ${expectOneOf(connections, name)}` }];
}

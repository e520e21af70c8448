// Jobs that may load the same rows. A row of a table belongs to one job, the one that loaded it last, so two jobs with rows in
// common would overwrite each other's rows. docs/decisions/0001-overlapping-jobs-are-refused.md says why they are refused.
import { nameSome } from '../core/name-some.ts';
import { SelectionIndex, selectionOf, separatingFilters } from '../datasets/disjoint-filters.ts';
import { datasetNamed } from '../datasets/index.ts';
import { jobsOfEntry, valueOrDefault } from './entry-jobs.ts';
import { isMapping, mappingAt, type Path, type Remark, valueAt } from './remarks.ts';
import type { YamlSource } from './yaml-source.ts';

/** The parts of a job that decide which rows it loads; `path` is that of its entry, the same object for all jobs of one entry. */
export type PlacedQuestion = Readonly<{
  path: Path;
  name: string;
  dataset: string;
  accountId: number;
  filters: Readonly<Record<string, unknown>>;
}>;

const MAX_SHOWN_VALUES = 3;
const LONGEST_SHOWN = 40;

/**
 * One mistake for each entry with a job that may have rows in common with one before it. The tables are keyed by account, so jobs of
 * several connections may have rows in common, too.
 * @param jobs without mistakes, in the order of the file
 */
export function checkOverlaps(jobs: readonly PlacedQuestion[], source: YamlSource): Remark[] {
  const mistakes = new Map<Path, Remark>();
  const groups = new Map<string, { earlier: PlacedQuestion[]; index: SelectionIndex }>();
  for (const job of jobs) {
    const dataset = datasetNamed(job.dataset);
    const key = `${job.dataset} ${job.accountId}`;
    const group = groups.get(key) ?? { earlier: [], index: new SelectionIndex(dataset) };
    groups.set(key, group);
    const selection = selectionOf(dataset, job.filters);
    const overlapping = group.earlier[group.index.findOverlap(selection) ?? -1];
    if (overlapping && !mistakes.has(job.path)) mistakes.set(job.path, source.remark(job.path, explain(job, overlapping, source)));
    group.earlier.push(job);
    group.index.add(selection);
  }
  return [...mistakes.values()];
}

function explain(job: PlacedQuestion, other: PlacedQuestion, source: YamlSource): string {
  const separating = separatingFilters(datasetNamed(job.dataset)).map(({ name }) => name);
  return (
    `the job "${job.name}" may load the same rows as "${other.name}" on line ${source.positionOf(other.path).line}, ` +
    `and each would overwrite the other's: both load ${job.dataset} of one account, here with ${showFilters(job, source)}, ` +
    `there with ${showFilters(other, source)}; expected one job for both, or one of these filters in both, with different values: ` +
    separating.join(', ')
  );
}

/** `devices [DESKTOP], min_rank 3`; what came from a variable is not shown. */
function showFilters({ path, filters }: PlacedQuestion, source: YamlSource): string {
  const shown = Object.entries(filters).map(([name, value]) => {
    const filter = [...path, 'filters', name];
    if (!Array.isArray(value)) return `${name} ${showValue(value, filter, source)}`;
    const items = value.slice(0, MAX_SHOWN_VALUES).map((item, index) => showValue(item, [...filter, index], source));
    return `${name} [${nameSome(items, MAX_SHOWN_VALUES, { others: value.length - items.length })}]`;
  });
  return shown.length > 0 ? shown.join(', ') : 'no filters';
}

function showValue(value: unknown, path: Path, source: YamlSource): string {
  if (source.hasVariable(path)) return '(from a variable)';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text;
}

/** The jobs of a file that can be compared: those of entries without mistakes, also in what they take from `defaults`. */
export function comparableJobs(source: YamlSource, mistakes: readonly Remark[]): PlacedQuestion[] {
  const isWrong = (path: Path): boolean => mistakes.some((mistake) => path.every((step, index) => mistake.path[index] === step));
  const written = valueAt(source.value, ['jobs']);
  const isWhollyWrong = mistakes.some(({ path }) => path.length === 1 && path[0] === 'jobs');
  const areDefaultsWrong = ['dataset', 'account_id', 'account_ids', 'enabled'].some((field) => isWrong(['defaults', field]));
  if (!Array.isArray(written) || isWhollyWrong || areDefaultsWrong) return [];
  return written.flatMap((job: unknown, index): PlacedQuestion[] => {
    const path = ['jobs', index];
    if (!isMapping(job) || isWrong(path)) return [];
    // It loads nothing.
    if (valueOrDefault(source.value, path, ['enabled']) === false) return [];
    const dataset = String(valueOrDefault(source.value, path, ['dataset']));
    const filters = mappingAt(job, ['filters']);
    return jobsOfEntry(source.value, path).map(({ name, accountId }) => ({ path, name, dataset, accountId, filters }));
  });
}

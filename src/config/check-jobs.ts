// What the schema of the file cannot say: rules between the fields of a job, between a job and its connection, and
// between jobs. Works on values that may be wrong themselves, so that all mistakes of a file are found at once.
import { findDataset } from '../datasets/index.ts';
import { checkBrands } from './brands.ts';
import { checkAccountLists } from './check-account-lists.ts';
import { checkFilters } from './check-filters.ts';
import { checkSince, type Today } from './check-since.ts';
import { accountListOf, countJobs, jobsOfEntry, MAX_JOBS, valueOrDefault } from './entry-jobs.ts';
import { factsOf, LONGEST_NAME } from './fields.ts';
import { expectOneOf, nearestName } from './nearest.ts';
import { isMapping, mappingAt, type Path, type Remark, valueAt } from './remarks.ts';
import { completeJobSchema, jobSchema } from './schema.ts';
import type { YamlSource } from './yaml-source.ts';

/** Fields without a default, to be set in the job or in `defaults`. */
const REQUIRED_FIELDS = ['dataset', 'account_id', 'since'] as const;

/** Mistakes between the parts of the file and against the calendar, and warnings about filters. */
export function checkJobs(source: YamlSource, today: Today): { mistakes: Remark[]; warnings: Remark[] } {
  const connections = Object.keys(mappingAt(source.value, ['connections']));
  const list = valueAt(source.value, ['jobs']);
  const jobs: Path[] = Array.isArray(list) ? list.flatMap((job, index) => (isMapping(job) ? [['jobs', index]] : [])) : [];
  const mappings: Path[] = [['defaults'], ...jobs];
  const filters = jobs.flatMap((job) => checkFiltersOf(job, source));
  const mistakes = [
    ...(checkJobCount(jobs, source) ?? checkNames(jobs, source)),
    ...mappings.flatMap((mapping) => checkAccounts(mapping, source)),
    ...checkAccountLists(jobs, source),
    ...checkBrands(jobs, source),
    ...jobs.flatMap((job) => checkSince(job, source, today)),
    ...jobs.flatMap((job) => checkPresence(job, connections.length, source)),
    ...mappings.flatMap((mapping) => checkConnection([...mapping, 'connection'], connections, source)),
    ...filters.flatMap((found) => found.mistakes),
  ];
  return { mistakes, warnings: filters.flatMap((found) => found.warnings) };
}

function checkFiltersOf(job: Path, source: YamlSource): { mistakes: Remark[]; warnings: Remark[] }[] {
  const name = valueOrDefault(source.value, job, ['dataset']);
  const dataset = typeof name === 'string' ? findDataset(name) : undefined;
  return dataset ? [checkFilters([...job, 'filters'], dataset, source)] : [];
}

/** A mistake when there are more jobs than are looked at. */
function checkJobCount(entries: readonly Path[], source: YamlSource): Remark[] | undefined {
  let count = 0;
  for (const entry of entries) {
    count += countJobs(source.value, entry);
    const text = `are ${count} including those of this entry; expected at most ${MAX_JOBS} in one file`;
    // On the whole list, so that no other check looks at far too many jobs.
    if (count > MAX_JOBS) return [{ position: source.positionOf(entry), path: entry.slice(0, 1), text }];
  }
  return undefined;
}

/** At most one mistake per entry. */
function checkNames(entries: readonly Path[], source: YamlSource): Remark[] {
  const takenBy = new Map<string, Path>();
  return entries.flatMap((entry) => {
    const path = [...entry, 'name'];
    const names = jobsOfEntry(source.value, entry).map(({ name }) => name);
    const text = explainTaken(names, entry, takenBy, source) ?? explainTooLong(names, path, source);
    for (const name of names) if (!takenBy.has(name)) takenBy.set(name, entry);
    return text ? [source.remark(path, text)] : [];
  });
}

function explainTaken(names: readonly string[], entry: Path, takenBy: ReadonlyMap<string, Path>, source: YamlSource): string | undefined {
  const taken = names.find((name) => takenBy.has(name));
  const other = taken === undefined ? undefined : takenBy.get(taken);
  if (!other) return undefined;
  const { line } = source.positionOf([...other, 'name']);
  if (![entry, other].some((one) => accountListOf(source.value, one)))
    return `is the name of the job on line ${line}, too; expected a name of its own`;
  const shown = source.hasVariable([...entry, 'name']) ? 'a job of a name' : `the job ${taken}`;
  return `makes ${shown} that the entry on line ${line} makes, too; expected a name of its own`;
}

function explainTooLong(names: readonly string[], path: Path, source: YamlSource): string | undefined {
  const written = String(valueAt(source.value, path));
  const longest = Math.max(...names.map((name) => name.length - written.length));
  // A name that is too long by itself was reported by the schema of the file.
  if (written.length > LONGEST_NAME || written.length + longest <= LONGEST_NAME) return undefined;
  return `is too long, since its jobs add a hyphen and the account to it; expected at most ${LONGEST_NAME - longest} characters`;
}

/** The account or accounts of a job, or of defaults. */
function checkAccounts(mapping: Path, source: YamlSource): Remark[] {
  const path = [...mapping, 'account_ids'];
  const list: unknown = valueAt(source.value, path);
  if (list !== undefined && valueAt(source.value, [...mapping, 'account_id']) !== undefined)
    return [source.remark(path, 'is written beside account_id; expected one of the two', 'key')];
  if (!Array.isArray(list)) return [];
  const first = new Map<unknown, number>();
  return list.flatMap((account: unknown, index) => {
    const before = first.get(account);
    if (before === undefined) {
      first.set(account, index);
      return [];
    }
    const { line } = source.positionOf([...path, before]);
    return [source.remark([...path, index], `is the same account as on line ${line}; expected each account once`)];
  });
}

function checkPresence(job: Path, connectionCount: number, source: YamlSource): Remark[] {
  // Without a connection to choose from, the connections themselves are the mistake.
  const fields = connectionCount > 1 ? [...REQUIRED_FIELDS, 'connection' as const] : REQUIRED_FIELDS;
  const absent = fields.filter((field) => [job, ['defaults']].every((path) => lacks(mappingAt(source.value, path), field)));
  return absent.map((field) => {
    const { expected } = factsOf(completeJobSchema.shape[field]);
    const text = `is missing, here and in defaults; expected ${expected}${field === 'account_id' ? ', or a list of them as account_ids' : ''}`;
    return { position: source.positionOf(job), path: [...job, field], text };
  });
}

/** Whether a mapping lacks a field. Accounts can be given in two ways. */
function lacks(mapping: object, field: string): boolean {
  return isAbsent(mapping, field) && (field !== 'account_id' || isAbsent(mapping, 'account_ids'));
}

/** Whether a mapping has neither the field nor a misspelling of it, which is reported where it is written. */
function isAbsent(mapping: object, field: string): boolean {
  const known = Object.keys(jobSchema.shape);
  return !Object.keys(mapping).some((key) => key === field || (!known.includes(key) && nearestName(key, known) === field));
}

function checkConnection(path: Path, connections: readonly string[], source: YamlSource): Remark[] {
  const name = valueAt(source.value, path);
  if (typeof name !== 'string' || connections.length === 0 || connections.includes(name) || source.lacksVariable(path)) return [];
  return [source.remark(path, `names no connection of this file; ${expectOneOf(connections, name)}`)];
}

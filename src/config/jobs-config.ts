// jobs.config.yaml, from file to settings: read, put variables in, check everything, resolve, freeze.
import { readFileSync } from 'node:fs';
import { type Clock, systemClock } from '../core/clock.ts';
import { decodeText } from '../core/decode-text.ts';
import { ConfigurationError, describeError } from '../core/errors.ts';
import { DATASETS } from '../datasets/index.ts';
import { checkAliases, resolveAliases } from './aliases.ts';
import { checkPlainHttp, checkStrayCredentials } from './base-url.ts';
import { checkFilterValues } from './check-filter-values.ts';
import { checkHeaders } from './check-headers.ts';
import { checkJobs } from './check-jobs.ts';
import { checkOverlaps, comparableJobs } from './check-overlaps.ts';
import { checkShape } from './check-shape.ts';
import { checkWeekCount, todayAt, warnOfFirstWeek } from './check-since.ts';
import { resolveConnections } from './connections.ts';
import { findDoubts } from './doubts.ts';
import { jobsOfEntry } from './entry-jobs.ts';
import { deepFreeze } from './freeze.ts';
import { resolveEntry } from './jobs.ts';
import { separateLackingNotify } from './lacking-notify.ts';
import { nearestName } from './nearest.ts';
import { checkNotify, resolveNotify, TARGET_FIELDS } from './notify.ts';
import { withoutConsequences } from './one-cause.ts';
import { findOtherPath, resolvePages } from './pages.ts';
import { configurationErrorOf, formatRemarks, isMapping, type Path, type Remark } from './remarks.ts';
import { resolveRetention } from './retention.ts';
import { EXTENSION_PREFIX, fileSchema, jobSchema, signatureAuth, type WrittenFile } from './schema.ts';
import type { JobsConfig } from './settings.ts';
import { resolveSignals } from './signals.ts';
import type { EnvironmentVariables } from './variables.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

/** Settings, deeply frozen, and warnings about them, as `file:line:column: path: text`. */
export type LoadedJobsConfig = Readonly<{ config: JobsConfig; warnings: readonly string[] }>;

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT:
    'there is no such file; write one (the jobs.config.yaml that comes with Searchmill is a working example), or name another with --config or SEARCHMILL_CONFIG',
  EISDIR: 'is a folder, not a file; name the jobs file in it with --config or SEARCHMILL_CONFIG',
};

/**
 * Reads the jobs from a YAML file.
 * @param path as it appears in messages; relative to the working directory
 * @param env where the file's variables are looked up
 * @param clock decides which dates are in the future
 * @throws ConfigurationError naming every mistake at once, each with file, line and column
 */
export function loadJobsConfig(path: string, env: EnvironmentVariables, clock: Pick<Clock, 'now'> = systemClock): LoadedJobsConfig {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new ConfigurationError(`${path}: ${UNREADABLE[code] ?? `the file cannot be read: ${describeError(error)}`}`, { cause: error });
  }
  const decoded = decodeText(bytes);
  if (decoded.kind === 'text') return parseJobsConfig(path, decoded.text, env, clock);
  const { line, column, problem: text } = decoded;
  throw configurationErrorOf(path, formatRemarks(path, [{ position: { line, column }, path: [], text }]));
}

/** As loadJobsConfig, with the file's text at hand. */
export function parseJobsConfig(
  path: string,
  text: string,
  env: EnvironmentVariables,
  clock: Pick<Clock, 'now'> = systemClock,
): LoadedJobsConfig {
  const { source: written, mistakes: misread } = readYaml(text, env);
  const source = written && withoutExtensions(written);
  if (!source) throw configurationErrorOf(path, formatRemarks(path, misread));
  // The file's shape first: it gives texts from variables the type the other checks expect.
  const shape = checkFileShape(source);
  const today = todayAt(clock.now());
  const between = checkJobs(source, today);
  const { mistakes: unreadable, ...lacking } = separateLackingNotify(source, misread, path);
  const single = [
    ...unreadable,
    ...shape,
    ...checkPlainHttp(source),
    ...checkStrayCredentials(source),
    ...checkHeaders(source),
    ...checkNotify(source),
    ...checkAliases(source),
    ...checkFilterValues(source),
    ...between.mistakes,
  ];
  const mistakes = withoutConsequences(source, [...single, ...checkOverlaps(comparableJobs(source, single), source)]);
  if (mistakes.length > 0) throw configurationErrorOf(path, formatRemarks(path, mistakes));

  // The shape was checked above; its defaults are filled in after those of the file.
  const { jobs, defaults } = source.value as WrittenFile;
  const complete = fileSchema.parse(lacking.value);
  const { connections, warnings } = resolveConnections(complete.connections, source);
  // Each job with the path of its entry, for checks that need resolved jobs.
  const resolved = jobs.flatMap((written, index) => {
    const entry: Path = ['jobs', index];
    return resolveEntry(written, defaults, connections, jobsOfEntry(source.value, entry)).map((job) => ({ job, entry }));
  });
  const tooMany = checkWeekCount(resolved, source, today);
  if (tooMany.length > 0) throw configurationErrorOf(path, formatRemarks(path, tooMany));
  const config: JobsConfig = {
    path,
    connections,
    jobs: resolved.map(({ job }) => job),
    entryCount: jobs.length,
    notify: resolveNotify(complete.notify, lacking),
    pages: resolvePages(complete.pages),
    retention: resolveRetention(complete.retention),
    signals: resolveSignals(complete.signals),
    aliases: resolveAliases(complete.aliases),
  };
  const early = resolved.flatMap(({ job, entry }) => warnOfFirstWeek(job, entry, source, today));
  const otherPath = findOtherPath(config.pages, config.notify);
  const elsewhere = otherPath === undefined ? [] : [source.remark(['notify', 'pages'], otherPath)];
  const doubts = findDoubts(source);
  const told = [...between.warnings, ...warnings, ...early, ...elsewhere, ...doubts, ...lacking.warnings];
  return deepFreeze({ config, warnings: formatRemarks(path, told) });
}

/** The file's own sections, such as one for anchors: Searchmill ignores them. */
function withoutExtensions(source: YamlSource): YamlSource {
  if (!isMapping(source.value)) return source;
  return { ...source, value: Object.fromEntries(Object.entries(source.value).filter(([key]) => !key.startsWith(EXTENSION_PREFIX))) };
}

function checkFileShape(source: YamlSource): Remark[] {
  const mistakes = checkShape(fileSchema, source.value, {
    isFromVariable: source.hasVariable,
    lacksVariable: source.lacksVariable,
    showsVariables: false,
    explainUnknownKey: (path) =>
      explainSecondCredential(path) ?? explainSecondTarget(path) ?? explainMisplacedFilter(path) ?? explainOwnField(path),
  });
  return mistakes.map(({ path, part, text }) => source.remark(path, text, part));
}

/** A key beside the token, as a file has that was moved from the older method. */
function explainSecondCredential(path: Path): string | undefined {
  const [section, , auth, key] = path;
  if (section !== 'connections' || auth !== 'auth' || path.length !== 4) return undefined;
  if (key === 'token') return 'stands beside api_key and shared_secret; expected either token, or api_key and shared_secret';
  return Object.hasOwn(signatureAuth.shape, String(key))
    ? 'stands beside token; expected either token, or api_key and shared_secret'
    : undefined;
}

/** Two kinds of targets in one. */
function explainSecondTarget(path: Path): string | undefined {
  const [section, targets, , key] = path;
  if (section !== 'notify' || targets !== 'targets' || path.length !== 4 || !TARGET_FIELDS.some((field) => field === key)) return undefined;
  return 'is another kind of target; expected a target of its own, with another name';
}

/** What each job has of its own. */
function explainOwnField([section, key, ...others]: Path): string | undefined {
  const isOwn = section === 'defaults' && others.length === 0 && Object.hasOwn(jobSchema.shape, String(key));
  return isOwn ? 'is a field of a job, and defaults cannot have it; expected it in each job' : undefined;
}

/** A filter beside `filters` instead of below it: the most common indentation mistake. */
function explainMisplacedFilter(path: Path): string | undefined {
  const [section, , key] = path;
  if (section !== 'jobs' || path.length !== 3 || typeof key !== 'string') return undefined;
  const filters = DATASETS.flatMap((dataset) => dataset.filters.map(({ name }) => name));
  if (filters.includes(key)) return 'is a filter; expected it below filters';
  const meant = nearestName(key, Object.keys(jobSchema.shape)) ? undefined : nearestName(key, filters);
  return meant && `is not known here; did you mean ${meant}? It is a filter; expected it below filters`;
}

// Valid YAML of another structure than that of a jobs file: objects of other tools, lines of a diff, credentials of other kinds. What
// else is wrong with it follows from that.
import { isDeepStrictEqual } from 'node:util';
import { secretFields } from './fields.ts';
import { ABSENT, type Cause } from './misplaced-sections.ts';
import { nearestName } from './nearest.ts';
import { isMapping, mappingAt, type Path, type Remark, valueAt } from './remarks.ts';
import { connectionSchema, jobSchema } from './schema.ts';
import { MERGES_OTHER, type YamlSource } from './yaml-source.ts';

const CREDENTIALS = secretFields(connectionSchema.shape.auth.options);

export function foreignStructures(source: YamlSource, mistakes: readonly Remark[]): Cause[] {
  return [
    ...objectsOfKubernetes(source),
    ...linesOfDiffs(source, mistakes),
    ...defaultsOfOtherKinds(source),
    ...credentialsOfOtherKinds(source),
    ...jobsNamedByKeys(source),
    ...saidTwice(mistakes),
  ];
}

function objectsOfKubernetes(source: YamlSource): Cause[] {
  const top = mappingAt(source.value, []);
  if (!Object.hasOwn(top, 'apiVersion') || !Object.hasOwn(top, 'kind')) return [];
  const text = 'begins an object of Kubernetes; expected the jobs file alone, which stands below data there, without its indentation';
  return [{ remarks: [source.remark(['apiVersion'], text, 'key')], explains: () => true }];
}

/** `+  - name: acme`: a key at the left margin, which hides what it belongs to. */
function linesOfDiffs(source: YamlSource, mistakes: readonly Remark[]): Cause[] {
  const isLine = ({ path }: Remark): boolean => /^[+-] /.test(String(path.at(-1)));
  const first = mistakes.find(isLine);
  if (!first) return [];
  const text = 'begins with the sign of a changed line, as in a diff; expected the lines without such signs';
  return [{ remarks: [source.remark(first.path, text, 'key')], explains: isLine }];
}

/** What jobs lack follows from defaults that cannot be read. */
function defaultsOfOtherKinds(source: YamlSource): Cause[] {
  const defaults = valueAt(source.value, ['defaults']);
  if (defaults === undefined || isMapping(defaults)) return [];
  return [{ remarks: [], explains: ({ text }) => text.startsWith(ABSENT) }];
}

/** `auth: { username: ..., password: ... }`. */
function credentialsOfOtherKinds(source: YamlSource): Cause[] {
  return Object.entries(mappingAt(source.value, ['connections'])).flatMap(([name, connection]): Cause[] => {
    const path: Path = ['connections', name, 'auth'];
    const keys = Object.keys(mappingAt(connection, ['auth']));
    if (keys.length === 0 || keys.some((key) => nearestName(key, CREDENTIALS) !== undefined)) return [];
    const text = `has ${keys.join(' and ')}, which are not known here; expected either token, or api_key and shared_secret`;
    return [{ remarks: [source.remark(path, text, 'key')], explains: (mistake) => isBelow(mistake.path, path) }];
  });
}

/** `- acme-brands:` with the fields of the job below it, or beside it. */
function jobsNamedByKeys(source: YamlSource): Cause[] {
  const jobs = valueAt(source.value, ['jobs']);
  if (!Array.isArray(jobs)) return [];
  return jobs.flatMap((job: unknown, index): Cause[] => {
    if (!isMapping(job) || Object.hasOwn(job, 'name')) return [];
    const [key = ''] = Object.keys(job);
    const value = job[key];
    const isName = !Object.hasOwn(jobSchema.shape, key) && jobSchema.shape.name.safeParse(key).success;
    const hasFields = isMapping(value) ? Object.keys(value).some(isField) : value === null && Object.keys(job).some(isField);
    if (!isName || !hasFields) return [];
    const path: Path = ['jobs', index];
    const text = `is no field; expected "- name: ${key}", with the other fields as far right as name`;
    return [{ remarks: [source.remark([...path, key], text, 'key')], explains: (mistake) => isBelow(mistake.path, path) }];
  });
}

const isField = (key: string): boolean => Object.hasOwn(jobSchema.shape, key);

/** Mistakes that follow from another one at the same place: a value whose key is none, and a secret in the file that is no address either. */
function saidTwice(mistakes: readonly Remark[]): Cause[] {
  const placesOf = (isAmong: (mistake: Remark) => boolean): Set<string> =>
    new Set(mistakes.filter(isAmong).map(({ path }) => JSON.stringify(path)));
  const isSecret = ({ text }: Remark): boolean => text.startsWith('is a secret written');
  const strangers = placesOf(({ text }) => text.startsWith(NO_ACCOUNT));
  const merges = placesOf(({ text }) => text === MERGES_OTHER);
  const others = placesOf((mistake) => !isSecret(mistake));
  const explains = (mistake: Remark): boolean => {
    const { path, text } = mistake;
    if (isSecret(mistake)) return others.has(JSON.stringify(path));
    if (text.startsWith('is empty')) return merges.has(JSON.stringify([...path, '<<']));
    return strangers.size > 0 && !text.startsWith(NO_ACCOUNT) && path.some((_, at) => strangers.has(JSON.stringify(path.slice(0, at + 1))));
  };
  return [{ remarks: [], explains }];
}

const NO_ACCOUNT = 'is not an account of this file';

const isBelow = (path: Path, holder: Path): boolean => isDeepStrictEqual(path.slice(0, holder.length), holder);

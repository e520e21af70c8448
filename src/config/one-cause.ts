// One mistake of structure makes many that follow from it: a section that is misspelt, or a level that is missing. Here those that
// follow are left out, so that a person is told the one thing to change.
import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../core/group-by.ts';
import { count } from '../core/numbers.ts';
import { DATASETS } from '../datasets/index.ts';
import { foreignStructures } from './foreign-structures.ts';
import { ABSENT, type Cause, misplacedSections, SECTIONS } from './misplaced-sections.ts';
import { nearestName } from './nearest.ts';
import { TARGET_FIELDS, TARGET_SETTINGS } from './notify.ts';
import { isMapping, mappingAt, type Path, type Remark, valueAt } from './remarks.ts';
import { connectionSchema, jobSchema } from './schema.ts';
import { ODD_BLANK, tellBlank } from './yaml-layout.ts';
import { NO_VALUE, type YamlSource } from './yaml-source.ts';

const FILTERS = DATASETS.flatMap((dataset) => dataset.filters.map(({ name }) => name));

/** The mistakes without those that follow from a cause, which is added. */
export function withoutConsequences(source: YamlSource, mistakes: readonly Remark[]): Remark[] {
  const causes = [
    ...foreignStructures(source, mistakes),
    ...unnamedConnection(source),
    ...jobsWithoutList(source),
    ...misplacedSections(source),
    ...joinedJobs(mistakes),
    ...keysWithoutValues(source, mistakes),
    ...oddBlanks(source),
    ...foreignComments(source, mistakes),
    ...targetsWithoutNames(source),
    ...recipientsAsServers(source),
    ...targetsOfOtherKinds(source),
    ...misplacedFilters(source),
  ];
  const told = joinAbsent([
    ...causes.flatMap(({ remarks }) => remarks),
    ...mistakes.filter((mistake) => !causes.some(({ explains }) => explains(mistake))),
  ]);
  return [...new Map(told.map((mistake) => [JSON.stringify([mistake.position, mistake.path, mistake.text]), mistake])).values()];
}

/** `connections: { base_url: ... }`: the level of the names is missing. */
function unnamedConnection(source: YamlSource): Cause[] {
  const field = Object.keys(mappingAt(source.value, ['connections'])).find((key) => Object.hasOwn(connectionSchema.shape, key));
  if (field === undefined || isMapping(valueAt(source.value, ['connections', field, 'auth']))) return [];
  const text = 'is a field of a connection; expected a name of the connection above it, as in connections: { main: { base_url: ... } }';
  return [
    {
      remarks: [source.remark(['connections', field], text, 'key')],
      explains: ({ path }) => path[0] === 'connections' || path.at(-1) === 'connection',
    },
  ];
}

/** `jobs` as a mapping, of names or of one job: nothing is known of its accounts. */
function jobsWithoutList(source: YamlSource): Cause[] {
  const jobs = valueAt(source.value, ['jobs']);
  if (!isMapping(jobs)) return [];
  const isOne = Object.keys(jobs).some((key) => Object.hasOwn(jobSchema.shape, key));
  const text = isOne
    ? 'is one job; expected a list of jobs, each beginning with a hyphen: "- name: ..."'
    : 'is a mapping; expected a list of jobs, each beginning with a hyphen and its name: "- name: ..."';
  return [
    {
      remarks: [source.remark(['jobs'], text, 'key')],
      explains: ({ path, text: said }) =>
        path[0] === 'jobs' || (path[0] === 'defaults' && said.startsWith('is not an account of this file')),
    },
  ];
}

/** A job whose hyphen is missing continues the one before it, so that fields are written twice. */
function joinedJobs(mistakes: readonly Remark[]): Cause[] {
  const second = mistakes.filter(
    ({ path, text }) => path[0] === 'jobs' && path.length === 3 && path[2] === 'name' && /^is written twice/.test(text),
  );
  return second.map((mistake) => ({
    remarks: [{ ...mistake, text: `${mistake.text}, or a hyphen before it, if another job begins here` }],
    explains: ({ path }) => isDeepStrictEqual(path.slice(0, 2), mistake.path.slice(0, 2)),
  }));
}

/** A comment of another language within braces becomes a part of the name after it, which then is missing. */
function foreignComments(source: YamlSource, mistakes: readonly Remark[]): Cause[] {
  const keys = mistakes.filter(({ path }) => /^(?:\/\/|\/\*)/.test(String(path.at(-1))));
  return keys.map((key) => ({
    remarks: [source.remark(key.path, 'has a comment of another language in it; expected # at its beginning', 'key')],
    explains: (mistake) =>
      mistake === key || (mistake.text.startsWith('is missing') && isDeepStrictEqual(mistake.path.slice(0, -1), key.path.slice(0, -1))),
  }));
}

/** A field that several jobs lack, since defaults lack it: one mistake for all. */
function joinAbsent(mistakes: readonly Remark[]): Remark[] {
  const absent = groupBy(
    mistakes.filter(({ text }) => text.startsWith(ABSENT)),
    ({ path }) => String(path.at(-1)),
  );
  return mistakes.flatMap((mistake): Remark[] => {
    const [first, ...others] = mistake.text.startsWith(ABSENT) ? (absent.get(String(mistake.path.at(-1))) ?? []) : [];
    if (others.length === 0) return [mistake];
    const text = mistake.text.replace(ABSENT, `is missing, here, in ${count(others.length, 'other job')} and in defaults`);
    return mistake === first ? [{ ...mistake, text }] : [];
  });
}

/** `{ countries: US, CA }`: what follows the comma is a key, unknown and without a value, and what precedes it is no list. */
function keysWithoutValues(source: YamlSource, mistakes: readonly Remark[]): Cause[] {
  return mistakes
    .filter(({ text }) => text === NO_VALUE)
    .map((mistake) => {
      const parent = mistake.path.slice(0, -1);
      const siblings = Object.keys(mappingAt(source.value, parent));
      const before = siblings[siblings.indexOf(String(mistake.path.at(-1))) - 1];
      return {
        remarks: [mistake],
        explains: ({ path }) => isDeepStrictEqual(path, mistake.path) || isDeepStrictEqual(path, [...parent, before]),
      };
    });
}

/** A blank before a key that YAML takes for a part of it, so that the key is unknown in one place and missing in another. */
function oddBlanks(source: YamlSource): Cause[] {
  const jobs = valueAt(source.value, ['jobs']);
  const places: Path[] = [
    [],
    ...SECTIONS.map((section): Path => [section]),
    ...(Array.isArray(jobs) ? jobs.map((_, at): Path => ['jobs', at]) : []),
  ];
  return places.flatMap((place) =>
    Object.keys(mappingAt(source.value, place)).flatMap((key): Cause[] => {
      const blank = ODD_BLANK.exec(key);
      const path = [...place, key];
      if (!blank) return [];
      return [
        {
          remarks: [{ ...source.remark(path, tellBlank(blank[0]), 'key'), path: [] }],
          explains: (mistake) =>
            isDeepStrictEqual(mistake.path, path) || mistake.path.at(-1) === key.replace(/^[\s\u200b\u2060\ufeff]+/, ''),
        },
      ];
    }),
  );
}

/** `notify: { slack: ... }`: the level of the targets is missing, and their names are. */
function targetsWithoutNames(source: YamlSource): Cause[] {
  const notify = mappingAt(source.value, ['notify']);
  const isTarget = (key: string): boolean => Object.hasOwn(notify, key);
  const field = TARGET_FIELDS.find(isTarget);
  if (field === undefined) return [];
  const text = `is a field of a target; expected it below targets and a name, as in notify: { targets: { operators: { ${field}: ... } } }`;
  return [{ remarks: [source.remark(['notify', field], text, 'key')], explains: ({ path }) => path[0] === 'notify' }];
}

/** `email: ops@example.com`, where the mail server belongs: nothing of such a target is right. */
function recipientsAsServers(source: YamlSource): Cause[] {
  return Object.entries(mappingAt(source.value, ['notify', 'targets'])).flatMap(([name, target]): Cause[] => {
    const path = ['notify', 'targets', name, 'email'];
    if (!isMapping(target) || typeof target.email !== 'string' || !/^[^\s:/@]+@[^\s:/@]+$/.test(target.email)) return [];
    const text =
      'is the address of a person; expected the mail server, as a variable with an address such as ' +
      'smtps://user:password@mail.example.com, and persons in from and to';
    const explains = (mistake: Remark): boolean => isDeepStrictEqual(mistake.path.slice(0, 3), path.slice(0, 3));
    return [{ remarks: [source.remark(path, text)], explains }];
  });
}

/** A target of a service that Searchmill does not know, with none of the fields that say of which kind it is. */
function targetsOfOtherKinds(source: YamlSource): Cause[] {
  return Object.entries(mappingAt(source.value, ['notify', 'targets'])).flatMap(([name, target]): Cause[] => {
    if (!isMapping(target) || TARGET_FIELDS.some((field) => Object.hasOwn(target, field))) return [];
    const unknown = Object.keys(target).find((key) => !TARGET_SETTINGS.has(key) && nearestName(key, TARGET_FIELDS) === undefined);
    if (unknown === undefined) return [];
    const path = ['notify', 'targets', name];
    const text = 'is no kind of target; expected slack, or webhook and secret, or email, from and to';
    const explains = (mistake: Remark): boolean => isDeepStrictEqual(mistake.path.slice(0, 3), path);
    return [{ remarks: [source.remark([...path, unknown], text, 'key')], explains }];
  });
}

/** Filters beside `filters` instead of below it: the most common indentation mistake. */
function misplacedFilters(source: YamlSource): Cause[] {
  const jobs = valueAt(source.value, ['jobs']);
  if (!Array.isArray(jobs)) return [];
  return jobs.flatMap((job: unknown, index): Cause[] => {
    if (!isMapping(job)) return [];
    const [first, ...others] = Object.keys(job).filter((key) => FILTERS.includes(key) && !Object.hasOwn(jobSchema.shape, key));
    if (first === undefined || (others.length === 0 && job.filters !== null)) return [];
    const among = [first, ...others];
    const text = `is a filter${others.length > 0 ? `, and so ${others.length === 1 ? 'is' : 'are'} ${others.join(', ')}` : ''}; expected below filters, indented further than it`;
    const own: Path = ['jobs', index];
    return [
      {
        remarks: [source.remark([...own, first], text, 'key')],
        explains: ({ path }) =>
          isDeepStrictEqual(path.slice(0, 2), own) &&
          path.length === 3 &&
          (among.includes(String(path[2])) || (path[2] === 'filters' && job.filters === null)),
      },
    ];
  });
}

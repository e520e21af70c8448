// Sections of a jobs file that stand below another one, by their indentation, or under another name: whatever else is wrong follows from that.
import { isDeepStrictEqual } from 'node:util';
import { nearestName } from './nearest.ts';
import { isMapping, mappingAt, type Path, type Remark, valueAt } from './remarks.ts';
import { connectionSchema, EXTENSION_PREFIX, fileSchema, jobSchema } from './schema.ts';
import type { YamlSource } from './yaml-source.ts';

/** A cause, and whether a mistake only follows from it. */
export type Cause = Readonly<{ remarks: readonly Remark[]; explains: (mistake: Remark) => boolean }>;

export const SECTIONS = Object.keys(fileSchema.shape);
export const ABSENT = 'is missing, here and in defaults';
const INDENTED = 'is a section of the file; expected it without indentation';

/** A section below another one, or under another name. */
export function misplacedSections(source: YamlSource): Cause[] {
  const top = mappingAt(source.value, []);
  return SECTIONS.filter((section) => top[section] === undefined).flatMap((section): Cause[] => {
    const isAbsent = ({ path, text }: Remark): boolean =>
      isDeepStrictEqual(path, [section]) || (section === 'defaults' && path[0] === 'jobs' && text.startsWith(ABSENT));
    const holder = placesOf(source).find((place) => isHolding(source, place, section));
    if (holder !== undefined) {
      const path = [...holder, section];
      // Of a section whose name alone is indented, the fields stand beside it.
      const beside = valueAt(source.value, path) === null ? keysAfter(mappingAt(source.value, holder), section) : [];
      const below = [path, ...beside.map((key): Path => [...holder, key])];
      const explains = (mistake: Remark): boolean =>
        isAbsent(mistake) || below.some((each) => isDeepStrictEqual(mistake.path.slice(0, each.length), each));
      return [{ remarks: [source.remark(path, INDENTED, 'key')], explains }];
    }
    const isMisspelt = Object.keys(top).some(
      (key) => !SECTIONS.includes(key) && !key.startsWith(EXTENSION_PREFIX) && nearestName(key, SECTIONS) === section,
    );
    return isMisspelt ? [{ remarks: [], explains: isAbsent }] : [];
  });
}

/** Where a section may have got to: below another one, a connection or a job. */
function placesOf(source: YamlSource): Path[] {
  const jobs = valueAt(source.value, ['jobs']);
  return [
    ...SECTIONS.map((section): Path => [section]),
    ...Object.keys(mappingAt(source.value, ['connections'])).map((name): Path => ['connections', name]),
    ...(Array.isArray(jobs) ? jobs.map((_, at): Path => ['jobs', at]) : []),
  ];
}

function isHolding(source: YamlSource, place: Path, section: string): boolean {
  const held = mappingAt(source.value, place);
  if (!Object.hasOwn(held, section) || place[0] === section) return false;
  const isField = place.length > 1 && Object.hasOwn((place[0] === 'jobs' ? jobSchema : connectionSchema).shape, section);
  const value = held[section];
  if (section === 'jobs') return !isField && (Array.isArray(value) || value === null);
  // A connection may have any name, also that of a section.
  const isConnection = isMapping(value) && Object.keys(value).some((key) => Object.hasOwn(connectionSchema.shape, key));
  return !isField && section !== 'connections' && ((isMapping(value) && !isConnection) || value === null);
}

const keysAfter = (mapping: Readonly<Record<string, unknown>>, key: string): string[] => {
  const keys = Object.keys(mapping);
  return keys.slice(keys.indexOf(key) + 1);
};

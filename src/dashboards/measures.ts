// Measures: one file each in dashboards/measures, a header and one SELECT of part, whole and lacks over the columns of a unit (search_reports.searches or
// search_reports.prompts). Panels, tiles, signals, messages and the glossary read these declarations.
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigurationError } from '../core/errors.ts';
import { packagePath } from '../core/package-folder.ts';
import { DATASETS } from '../datasets/index.ts';
import { namesAmong, oneOf, parseHeader } from './sql-header.ts';

export type Measure = Readonly<{
  /** The file's name without its extension, which functions of the database take. */
  name: string;
  title: string;
  /** What it says, in one sentence or two. */
  explained: string;
  unit: '%' | 'place';
  better: 'higher' | 'lower';
  of: 'searches' | 'prompts';
  datasets: readonly string[];
  /** The reason of a gap where the whole is nothing. */
  empty: string;
  /** `SELECT ... AS part, ... AS whole, ... AS lacks`, where lacks is why a unit's rows do not show it, else NULL; and maybe `AS doubt`, why a part of 0 is not certain. */
  sql: string;
}>;

const HEADER = {
  Title: z.string(),
  Explained: z.string(),
  Unit: oneOf(['%', 'place']),
  Better: oneOf(['higher', 'lower']),
  Of: oneOf(['searches', 'prompts']),
  Datasets: namesAmong(
    DATASETS.map(({ name }) => name),
    'a dataset',
  ),
  Empty: z.string(),
};
const ENDING = '.sql';

let measures: readonly Measure[] | undefined;

/** All measures by name. Throws ConfigurationError for a faulty file. */
export function readMeasures(): readonly Measure[] {
  measures ??= readMeasureFiles(packagePath('dashboards/measures'));
  return measures;
}

/** The measures of a folder. */
export function readMeasureFiles(folder: string): Measure[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .sort()
    .map((file) => parseMeasure(file.slice(0, -ENDING.length), readFileSync(`${folder}/${file}`, 'utf8')));
}

/** Throws ConfigurationError, with the file, line and key. */
export function parseMeasure(name: string, text: string): Measure {
  const fault = (line: number, problem: string): never => {
    throw new ConfigurationError(`dashboards/measures/${name}${ENDING}:${line}: ${problem}`);
  };
  const { values, sql, sqlLine } = parseHeader(text, HEADER, fault);
  if (!values || !/^SELECT .* AS part, .* AS whole,.* AS lacks(,\s.* AS doubt)?$/s.test(sql))
    return fault(sqlLine + 1, 'expected SELECT ... AS part, ... AS whole, ... AS lacks, and maybe ... AS doubt after the header');
  const { Title, Explained, Unit, Better, Of, Datasets, Empty } = values;
  return { name, title: Title, explained: Explained, unit: Unit, better: Better, of: Of, datasets: Datasets, empty: Empty, sql };
}

/** What a measure is a sum over, in a word; `units` for no measure. */
export const unitsOf = (measure: string | undefined): string => readMeasures().find(({ name }) => name === measure)?.of ?? 'units';

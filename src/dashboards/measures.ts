// Measures: one file each in dashboards/measures, a header and one SELECT of part, whole and lacks over the columns of a unit (search_reports.searches or
// search_reports.prompts). Panels, tiles, signals, messages and the glossary read these declarations.
import { readdirSync, readFileSync } from 'node:fs';
import { ConfigurationError } from '../core/errors.ts';
import { packagePath } from '../core/package-folder.ts';
import { DATASETS } from '../datasets/index.ts';
import { splitHeader } from './sql-header.ts';

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

const KEYS = ['Title', 'Explained', 'Unit', 'Better', 'Of', 'Datasets', 'Empty'] as const;
const WORDS = { Unit: ['%', 'place'], Better: ['higher', 'lower'], Of: ['searches', 'prompts'] } as const;
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

/** Throws ConfigurationError, with the file and the key. */
export function parseMeasure(name: string, text: string): Measure {
  const fault = (problem: string): never => {
    throw new ConfigurationError(`dashboards/measures/${name}${ENDING}: ${problem}`);
  };
  const { entries, sql } = splitHeader(text, KEYS, (line, problem) => fault(`line ${line}: ${problem}`));
  const read = (key: (typeof KEYS)[number]): string => entries.get(key)?.value ?? fault(`${key}: is missing`);
  const choose = <Key extends keyof typeof WORDS>(key: Key): (typeof WORDS)[Key][number] => {
    const words: readonly (typeof WORDS)[Key][number][] = WORDS[key];
    return words.find((word) => word === read(key)) ?? fault(`${key}: expected one of ${words.join(', ')}`);
  };
  const datasets = read('Datasets').split(/, */);
  for (const dataset of datasets) if (!DATASETS.some((known) => known.name === dataset)) fault(`Datasets: "${dataset}" is not a dataset`);
  if (!/^SELECT .* AS part, .* AS whole,.* AS lacks(,\s.* AS doubt)?$/s.test(sql))
    fault('expected SELECT ... AS part, ... AS whole, ... AS lacks, and maybe ... AS doubt after the header');
  return {
    name,
    title: read('Title'),
    explained: read('Explained'),
    unit: choose('Unit'),
    better: choose('Better'),
    of: choose('Of'),
    datasets,
    empty: read('Empty'),
    sql,
  };
}

/** What a measure is a sum over, in a word; `units` for no measure. */
export const unitsOf = (measure: string | undefined): string => readMeasures().find(({ name }) => name === measure)?.of ?? 'units';

// Reads the rules of the folder `signals`, sorted by order and name.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { THRESHOLD_NAMES } from '../config/signals.ts';
import { ConfigurationError } from '../core/errors.ts';
import { packagePath } from '../core/package-folder.ts';
import { readBoards } from '../dashboards/boards.ts';
import { DATASETS } from '../datasets/index.ts';
import { parseRule, type Rule } from './rule-file.ts';

/** The rules that come with Searchmill. */
const RULES_FOLDER = packagePath('signals');

/** Reads all rules. Throws ConfigurationError that names every mistake with its file and line. */
export function readRules(folder: string = RULES_FOLDER): readonly Rule[] {
  const mistakes: string[] = [];
  const datasets = DATASETS.map(({ name }) => name);
  const places = readBoards().flatMap(({ name, panels }) => [name, ...panels.map((panel) => `${name}/${panel.name}`)]);
  const rules = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .flatMap((file) => {
      const source = readFileSync(join(folder, file), 'utf8');
      const rule = { name: file.slice(0, -'.sql'.length), source, datasets, thresholds: THRESHOLD_NAMES, places };
      return parseRule(rule, (line, problem) => void mistakes.push(`${file}:${line}: ${problem}`)) ?? [];
    });
  if (mistakes.length > 0) throw new ConfigurationError(`the signals cannot be used:\n${mistakes.map((each) => `  ${each}`).join('\n')}`);
  return rules.sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
}

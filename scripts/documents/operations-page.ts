// docs/operations.md: its list of problems is generated from their definition; the rest of the page is written by hand.
import { readFileSync } from 'node:fs';
import { PROBLEM_ENDS, PROBLEM_KINDS, type ProblemKind } from '../../src/problems/kinds.ts';
import { code, table } from './markdown.ts';

const PAGE = new URL('../../docs/operations.md', import.meta.url);
const LIST = /(?<=^<!-- problems: .*-->\n)[\s\S]*?(?=^<!-- end -->$)/m;

export function operationsPage(): string {
  const written = readFileSync(PAGE, 'utf8');
  if (!LIST.test(written)) throw new Error('docs/operations.md has no place for the list of problems');
  const rows = Object.entries(PROBLEM_KINDS).map(([kind, meaning]) => [code(kind), meaning, PROBLEM_ENDS[kind as ProblemKind]]);
  return written.replace(LIST, () => `\n${table(['Kind', 'Meaning', 'It ends when'], rows)}\n\n`);
}

// What makes a statement of a panel or a rule one that an analyst can read.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Lines of a panel, and of a rule of signals or the options of a variable. */
const MOST_LINES = { panel: 25, other: 34 } as const;
/** Lines of the panels: the median, and all together. */
const USUAL_LINES = 10;
const ALL_LINES = 700;
const MOST_WIDTH = 140;

/** How far a clause stands to the right of its SELECT: the keywords end in one column. */
const INDENTS: Readonly<Record<string, number>> = {
  FROM: 2,
  JOIN: 2,
  'LEFT JOIN': 2,
  'FULL JOIN': 2,
  'CROSS JOIN': 1,
  WHERE: 1,
  'GROUP BY': 1,
  'ORDER BY': 1,
  LIMIT: 1,
  HAVING: 0,
};
const CLAUSE = new RegExp(`^( *)(${Object.keys(INDENTS).join('|')})\\b`);

type Statement = Readonly<{ path: string; kind: keyof typeof MOST_LINES; lines: readonly string[] }>;

const STATEMENTS: readonly Statement[] = ['dashboards', 'signals']
  .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`))
  .filter((path) => path.endsWith('.sql'))
  .map((path) => {
    const lines = readFileSync(join(ROOT, path), 'utf8').trimEnd().split('\n');
    const kind = existsSync(join(ROOT, dirname(path), 'board.yaml')) ? 'panel' : 'other';
    return { path, kind, lines: lines.slice(lines.findIndex((line) => !line.startsWith('--'))) };
  });

describe.each(STATEMENTS)('$path', ({ kind, lines }) => {
  it(`is short, and no line is wider than ${MOST_WIDTH}`, () => {
    expect(sizeOf(lines)).toBeLessThanOrEqual(MOST_LINES[kind]);
    expect(lines.filter((line) => line.length > MOST_WIDTH)).toEqual([]);
  });

  it('has its clauses under their SELECT, and no line that ends in blanks or a blank one', () => {
    expect(lines.filter((line) => line.trimEnd() !== line || line === '' || line.includes('\t'))).toEqual([]);
    expect(misplacedClauses(lines)).toEqual([]);
  });

  it('begins and ends each part of WITH on lines of its own', () => {
    const isWith = lines[0]?.startsWith('WITH ') ?? false;
    if (isWith) expect(lines[0]).toMatch(/^WITH \w+ AS (MATERIALIZED )?\($/);
    expect(lines.filter((line) => /^\S*\), \w+ AS /.test(line) && !/^\), \w+ AS (MATERIALIZED )?\($/.test(line))).toEqual([]);
  });
});

it(`panels have ${USUAL_LINES} lines in the median at most, and ${ALL_LINES} in all`, () => {
  const sizes = STATEMENTS.filter(({ kind }) => kind === 'panel')
    .map(({ lines }) => sizeOf(lines))
    .sort((a, b) => a - b);
  expect(sizes.length).toBeGreaterThan(60);
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(USUAL_LINES);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(ALL_LINES);
});

/** How many lines have SQL. */
const sizeOf = (lines: readonly string[]): number => lines.filter((line) => !line.trimStart().startsWith('--')).length;

/** Lines that begin with a clause and do not stand as far from a SELECT before them as such a clause does. */
function misplacedClauses(lines: readonly string[]): string[] {
  const selects = new Set<number>();
  return lines.filter((line) => {
    const [, blanks = '', clause = ''] = CLAUSE.exec(line) ?? [];
    const isMisplaced = clause !== '' && !selects.has(blanks.length - (INDENTS[clause] ?? 0));
    for (const { index } of line.matchAll(/\bSELECT\b/g)) selects.add(index);
    return isMisplaced;
  });
}

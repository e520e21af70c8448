// What makes a statement of a panel or a rule one that an analyst can read.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MOST_LINES = 45;
const USUAL_LINES = 25;
const MOST_WIDTH = 160;

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

type Statement = Readonly<{ path: string; lines: readonly string[] }>;

const STATEMENTS: readonly Statement[] = ['dashboards', 'signals']
  .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`))
  .filter((path) => path.endsWith('.sql'))
  .map((path) => {
    const lines = readFileSync(join(ROOT, path), 'utf8').trimEnd().split('\n');
    return { path, lines: lines.slice(lines.findIndex((line) => !line.startsWith('--'))) };
  });

describe.each(STATEMENTS)('$path', ({ lines }) => {
  it(`has at most ${MOST_LINES} lines, none wider than ${MOST_WIDTH}`, () => {
    expect(lines.length).toBeLessThanOrEqual(MOST_LINES);
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

it(`most have fewer than ${USUAL_LINES} lines`, () => {
  const short = STATEMENTS.filter(({ lines }) => lines.length < USUAL_LINES);
  expect(short.length / STATEMENTS.length).toBeGreaterThan(0.6);
});

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

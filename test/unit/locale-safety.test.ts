// What the locale of a database decides is compared nowhere: lower(), upper(), ILIKE, ~* and classes such as [:alnum:] know letters by it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const sqlFiles = ['migrations/repeatable', 'src', 'dashboards', 'signals'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .map((file) => join(folder, file)),
);

/** What stands in the brackets that open before `from`. */
function bracketed(text: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at += 1) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
  return text.slice(from, at - 1);
}

/** Pieces of SQL whose result the locale decides. */
function findLocal(sql: string): string[] {
  const code = sql.replaceAll(/--.*$/gm, '');
  const calls = [...code.matchAll(/(?<![\w.])(?:lower|upper|initcap)\s*\(/g)].map(({ 0: call, index }) => ({
    call,
    given: bracketed(code, index + call.length),
  }));
  const local = calls.filter(({ given }) => !given.endsWith('COLLATE "C"')).map(({ call, given }) => `${call}${given})`);
  return [...local, ...[...code.matchAll(/\bILIKE\b|!?~~?\*/gi)].map(([operator]) => operator)];
}

it('finds what the locale decides', () => {
  expect(findLocal('SELECT lower(a || (b)), lower(a COLLATE "C"), search_reports.lower_letters(c) -- lower(x)')).toEqual([
    'lower(a || (b))',
  ]);
  expect(findLocal("WHERE a ilike 'x' OR a ~* 'x' OR a !~* 'y' OR a LIKE 'x' OR upper(b) = 'Y'")).toEqual([
    'upper(b)',
    'ilike',
    '~*',
    '!~*',
  ]);
});

it.each(sqlFiles)('%s compares texts by no rule of a locale', (file) => {
  expect(findLocal(readFileSync(join(ROOT, file), 'utf8'))).toEqual([]);
});

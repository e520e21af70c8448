import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { quoteIdentifier, statement, template } from '../../../src/warehouse/statements.ts';

const folder = fileURLToPath(new URL('../../../src/warehouse/sql/', import.meta.url));
const names = readdirSync(folder).map((file) => file.replace(/\.sql$/, ''));
const source = (directory: string): string =>
  readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'))
    .join('\n');
const code = source(fileURLToPath(new URL('../../../src/', import.meta.url)));

describe.each(names)('sql/%s.sql', (name) => {
  it('says what it is for, is used, and says what each of its parameters is', () => {
    const text = readFileSync(`${folder}${name}.sql`, 'utf8');
    expect(text).toMatch(/^-- [A-Z]/);
    expect(code).toContain(`'${name}'`);
    const header = text.match(/^(--.*\n)+/)?.[0] ?? '';
    const used = [...statement(name).matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
    const described = (number: number): boolean =>
      header.includes(`$${number} `) ||
      [...header.matchAll(/\$(\d+)\.\.\$(\d+)/g)].some(([, from, to]) => number >= Number(from) && number <= Number(to));
    expect([...new Set(used)].filter((number) => !described(number))).toEqual([]);
  });
});

describe('a statement', () => {
  it('is the file without its comments', () => {
    expect(statement('drop-staging')).toBe('DROP TABLE IF EXISTS {staging}');
    expect(template('drop-staging', { staging: 'a.b' })).toBe('DROP TABLE IF EXISTS a.b');
  });

  it('is refused with a placeholder too few or too many', () => {
    expect(() => template('drop-staging', {})).toThrow('nothing given for {staging}');
    expect(() => template('drop-staging', { staging: 'a', table: 'b' })).toThrow('has no {table}');
  });

  it('keeps an identifier an identifier, whatever it is called', () => {
    expect(quoteIdentifier('a"; DROP TABLE x; --')).toBe('"a""; DROP TABLE x; --"');
  });
});

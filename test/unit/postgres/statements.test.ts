import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { MAY_IMPORT } from '../../../scripts/documents/import-rules.ts';
import { compileStatement } from '../../../src/postgres/named-parameters.ts';
import type { Client } from '../../../src/postgres/pool.ts';
import { readStatementFiles, readStatements, statementsIn } from '../../../src/postgres/statement-files.ts';
import { type RowOf, readRows, statement, template } from '../../../src/postgres/statements.ts';
import { warehouseTable } from '../../../src/tables/partitions.ts';

const source = (directory: string): string =>
  readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !/^statement-(parameters|results)\.ts$/.test(entry.name))
    .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'))
    .join('\n');
const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));
const sources = new Map(Object.keys(MAY_IMPORT).flatMap((folder) => (existsSync(SRC + folder) ? [[folder, source(SRC + folder)]] : [])));
const code = [...sources.values()].join('\n');

describe.each(readStatementFiles())('src/$folder/sql/$name.sql', ({ folder, name: file, text }) => {
  it('says what it has, and names each of its statements after itself', () => {
    expect(text).toMatch(/^-- [A-Z]/);
    const [, ...blocks] = text.split('\n\n');
    const names = statementsIn(text).map(([name]) => name);
    expect(blocks.map((block) => block.split('\n')[0])).toEqual(names.map((name) => `-- name: ${name}`));
    for (const name of names) expect(name).toMatch(new RegExp(`^${file}/[a-z-]+$`));
    expect(new Set(names).size).toBe(names.length);
  });

  it('is called by folders that may import its own', () => {
    const callers = [...sources]
      .filter(([, code]) => statementsIn(text).some(([name]) => code.includes(`'${name}'`)))
      .map(([caller]) => caller);
    for (const caller of callers) expect([caller, ...(MAY_IMPORT[caller] ?? [])]).toContain(folder);
  });

  it('ends each of its statements, so that psql runs it', () => {
    for (const block of text.trimEnd().split('\n\n').slice(1)) expect(block.split('\n').at(-1)).toMatch(/^[^-].*;$/);
  });
});

describe.each([...readStatements()])('%s', (name, text) => {
  it('says what it is for, is used, and explains each of its parameters', () => {
    expect(text).toMatch(/^-- [A-Z]/);
    expect(code).toContain(`'${name}'`);
    const header = text.match(/^(--.*\n)+/)?.[0] ?? '';
    const described = (parameter: string): boolean => new RegExp(`:${parameter}\\b`).test(header);
    expect(compileStatement(text).parameters.filter((parameter) => !described(parameter))).toEqual([]);
  });
});

describe('a statement', () => {
  it('is its text without its comments', () => {
    expect(template('staging/drop', { staging: 'a.b' })).toEqual({ text: 'DROP TABLE IF EXISTS a.b', values: [] });
  });

  it('has its values in the order of its parameters', () => {
    const { text, values } = statement('sessions/read-progress', { pid: 7 });
    expect(text).toContain('(s.pid = $1');
    expect(values).toEqual([7]);
  });

  it('is refused with a placeholder too few or too many', () => {
    // @ts-expect-error: it does not compile either.
    expect(() => template('staging/drop', {})).toThrow('staging/drop: nothing given for {staging}');
    // @ts-expect-error: it does not compile either.
    expect(() => template('staging/drop', { staging: 'a', table: 'b' })).toThrow('staging/drop has no {table}');
  });

  it('is refused with a value too few or too many', () => {
    // @ts-expect-error: it does not compile either.
    expect(() => statement('sessions/end', {})).toThrow('sessions/end: nothing given for :pid');
    // @ts-expect-error: it does not compile either.
    expect(() => statement('sessions/end', { pid: 7, id: 8 })).toThrow('sessions/end has no :id');
    // @ts-expect-error: it does not compile either.
    expect(() => statement('sessions/end')).toThrow('sessions/end: nothing given for :pid');
  });
});

it('the code compiles only if it reads a row with the types of a migrated database', () => {
  expectTypeOf<RowOf<'jobs/read'>['accountId']>().toEqualTypeOf<number>();
  expectTypeOf<RowOf<'jobs/read'>['pausedSince']>().toEqualTypeOf<Date | null>();
  const asWider = (db: Client): Promise<{ accountId: number | null }[]> => readRows(db, 'jobs/read', { job: null });
  // @ts-expect-error: it may be NULL.
  const asCertain = (db: Client): Promise<{ pausedSince: Date }[]> => readRows(db, 'jobs/read', { job: null });
  // @ts-expect-error: there is no such column.
  const asOther = (db: Client): Promise<{ nmae: string }[]> => readRows(db, 'jobs/read', { job: null });
  expect([asWider, asCertain, asOther]).toHaveLength(3);
});

it('an identifier stays an identifier, whatever it is called', () => {
  expect(warehouseTable({ name: 'a"; DROP TABLE x; --' })).toBe('search."a""; DROP TABLE x; --"');
});

describe('named parameters', () => {
  const compile = (source: string) => {
    const { text, parameters } = compileStatement(source);
    return [text, ...parameters];
  };

  it('are numbered in the order in which they first appear', () => {
    expect(compile('SELECT :second, :first, :second')).toEqual(['SELECT $1, $2, $1', 'second', 'first']);
    expect(compile('WHERE (id)=:id AND (:from,:to) IN (:ids) OR x[:n]')).toEqual([
      'WHERE (id)=$1 AND ($2,$3) IN ($4) OR x[$5]',
      'id',
      'from',
      'to',
      'ids',
      'n',
    ]);
  });

  it.each([
    'SELECT now()::date, $$x$$::text, (a)::int, b[1]::bigint[]',
    `SELECT 'at :noon', 'it''s :late', ":column"`,
    "SELECT 1 -- it's :not one\n",
    'SELECT days[1:last], days[first:2]',
  ])('are not found in %s', (source) => {
    expect(compile(source)).toEqual([source.trim()]);
  });

  it('may be cast, and follow a quoted text or a comment', () => {
    expect(compile(":days::date[] || 'a' || :b -- don't\n || :c")).toEqual(["$1::date[] || 'a' || $2 -- don't\n || $3", 'days', 'b', 'c']);
  });
});

// Parameterised SQL only: statements are files, values go beside them, and what is filled into a statement is an identifier
// of the registry, a number, or a literal that is escaped. Read off the source.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readStatements } from '../../src/postgres/statement-files.ts';
import { SUMMARIES } from '../../src/reports/summaries.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
const sources = files.filter((file) => file.endsWith('.ts')).map((file) => ({ file, text: readFileSync(SRC + file, 'utf8') }));
const statements = readStatements();

/** Arguments of a call, up to its closing bracket. */
function argumentsOf(text: string, from: number): string {
  let depth = 1;
  let at = from;
  while (at < text.length && depth > 0) {
    if ('([{'.includes(text.charAt(at))) depth += 1;
    else if (')]}'.includes(text.charAt(at))) depth -= 1;
    at += 1;
  }
  return text.slice(from, at - 1);
}

const callsOf = (pattern: RegExp): { file: string; given: string }[] =>
  sources.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map((match) => ({ file, given: argumentsOf(text, (match.index ?? 0) + match[0].length).trim() })),
  );

describe('SQL in the source', () => {
  it('is never put together from pieces where a query is sent', () => {
    const calls = callsOf(/\.query(?:<[^(]*>)?\(/g);
    expect(calls.length).toBeGreaterThan(5);
    // Constants of the source aside.
    const composed = calls.filter(({ given }) => /\$\{(?![A-Z_.]+\})/.test(given) || /['"`]\s*\+/.test(given));
    expect(composed).toEqual([]);
  });

  it('refers to its statements by literals', () => {
    const importers = new Set(sources.filter(({ text }) => /from '.*\/statements\.ts'/.test(text)).map(({ file }) => file));
    const names = callsOf(/\b(?:execute|executeTemplate|statement|template)(?:<[^(]*>)?\(/g)
      .filter(({ file }) => importers.has(file))
      .map(({ file, given }) => ({ file, name: /^(?:[\w.]+,\s*)?'([a-z/-]+)'/.exec(given)?.[1] }));
    expect(names.length).toBeGreaterThan(60);
    for (const { file, name = '' } of names) expect([...statements.keys()], file).toContain(name);
  });

  it('has placeholders only for identifiers, lists of them, and escaped literals', () => {
    const places = new Set([...statements.values()].flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)));
    expect([...places].sort()).toEqual(
      [
        // Identifiers and lists of columns, from the dataset and the number of the execution.
        ...[
          'table',
          'staging',
          'column',
          'columns',
          'staged_columns',
          'assignments',
          'order',
          'table_values',
          'staged_values',
          'given_values',
          'asked_of_table',
          'asked_of_staging',
          // Expressions of published-periods.ts over columns of the dataset.
          'digest',
          'misnamed',
          // A summary's table and function.
          'stored',
          'compute',
          // Tables to lock, of the registry and the catalogue.
          'tables',
        ],
        // Of promotions, which are ALTER TABLE, COMMENT and LOCK TABLE: one of six types, a literal by pg.escapeLiteral, and a name.
        ...['type', 'comment', 'view'],
        // Of find-changes, a CREATE TABLE AS, which takes no parameters: numbers, and literals by pg.escapeLiteral.
        ...['accounts', 'account', 'slice', 'first', 'last', 'window_start', 'window_end', 'job'],
      ].sort(),
    );
    const { text = '' } = sources.find(({ file }) => file === 'publishing/replace-slice.ts') ?? {};
    for (const literal of ['first', 'last', 'window_start', 'window_end', 'job'])
      expect(text).toMatch(new RegExp(`\\b${literal}: pg\\.escapeLiteral\\(`));
    const { text: promoting = '' } = sources.find(({ file }) => file === 'tables/promotions.ts') ?? {};
    expect(promoting).toMatch(/const comment = pg\.escapeLiteral\(/);
    for (const number of ['account', 'slice']) expect(text).toMatch(new RegExp(`\\b${number}: String\\(execution\\.\\w+Id\\)`));
  });
});

describe('certificates', () => {
  it('are verified: the source turns that off only for e-mail that stays on this machine', () => {
    const exempt = 'isLoopback(host) && { tls: { rejectUnauthorized: false } }';
    for (const { file, text } of sources)
      expect(text.replace(exempt, ''), file).not.toMatch(/rejectUnauthorized|NODE_TLS_REJECT|checkServerIdentity/);
  });
});

function readSql(folder: string): { file: string; text: string }[] {
  const root = fileURLToPath(new URL(`../../${folder}/`, import.meta.url));
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sql'));
  return found.map((file) => ({ file: `${folder}/${file}`, text: readFileSync(root + file, 'utf8') }));
}

describe('SQL of views and functions', () => {
  it('has lines of at most 140 characters', () => {
    const all = readSql('migrations/repeatable');
    expect(all.length).toBeGreaterThan(30);
    const long = all.flatMap(({ file, text }) => text.split('\n').flatMap((line, at) => (line.length > 140 ? `${file}:${at + 1}` : [])));
    expect(long).toEqual([]);
  });
});

describe('SQL that asks whether a summary has a row', () => {
  it('selects a column of the summary: Citus refuses a subquery without one', () => {
    const all = ['migrations/repeatable', 'dashboards', 'signals', 'src'].flatMap(readSql);
    const summaries = Object.values(SUMMARIES).flat();
    const bare = new RegExp(`SELECT\\s+FROM\\s+(?:%s WHERE account_id|search_reports\\.(?:%I|${summaries.join('|')})[\\s)])`);
    expect(all.length).toBeGreaterThan(150);
    expect(all.filter(({ text }) => bare.test(text)).map(({ file }) => file)).toEqual([]);
  });
});

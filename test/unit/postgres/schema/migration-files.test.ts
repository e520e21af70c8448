import { expect, it } from 'vitest';
import {
  digestOf,
  digestOfRepeatable,
  readMigrations,
  readRepeatable,
  whyStopBefore,
} from '../../../../src/postgres/schema/migration-files.ts';

it.each(readMigrations().map((file) => [file.name, file] as const))('%s says whether processes of older releases go on', (_, file) => {
  expect(() => whyStopBefore(file)).not.toThrow();
});

it('a migration that does not say so is refused, and one that stops them says why', () => {
  expect(() => whyStopBefore({ name: '0900_next', text: 'SELECT 1;' })).toThrow('migrations/0900_next.sql does not say');
  expect(whyStopBefore({ name: '0900_next', text: '-- Old processes: must be stopped, since they sleep.\n' })).toBe('they sleep');
});

it.each(readRepeatable().map((file) => [file.name, file.text] as const))(
  '%s defines everything so that it can be applied again',
  (_, text) => {
    expect(text.match(/^CREATE (?!OR REPLACE)/gm)).toBeNull();
    expect(text.match(/^(?:DROP|ALTER|INSERT|UPDATE|DELETE)\b/gm)).toBeNull();
  },
);

it('files are numbered in the order in which they are applied, without a gap and without a number twice', () => {
  const numbered = (files: readonly { name: string }[], digits: number): void => {
    expect(files.map(({ name }) => name.split('_')[0])).toEqual(files.map((_, at) => String(at + 1).padStart(digits, '0')));
  };
  numbered(readMigrations(), 4);
  numbered(readRepeatable(), 2);
});

it('no view and no function is defined twice, or in a migration', () => {
  const migrations = readMigrations()
    .map(({ text }) => text)
    .join('\n');
  expect(migrations.match(/^CREATE (?:OR REPLACE )?(?:VIEW|FUNCTION|TRIGGER)/gm)).toBeNull();
  const names = readRepeatable().flatMap(({ text }) =>
    [...text.matchAll(/^CREATE OR REPLACE (?:VIEW|FUNCTION) ([\w.]+)/gm)].map(([, name]) => name),
  );
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

it('comments do not change the identity of a migration, but an added migration changes that of views and functions', () => {
  const file = { name: '0900_next', text: 'SELECT 1;\n' };
  expect(digestOf({ ...file, text: '-- Why.\nSELECT 1;\n' })).toBe(digestOf(file));
  expect(digestOf({ ...file, text: 'SELECT 2;\n' })).not.toBe(digestOf(file));
  expect(digestOfRepeatable([file], [])).not.toBe(digestOfRepeatable([], []));
});

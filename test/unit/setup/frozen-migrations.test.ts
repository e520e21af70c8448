// What a release has of migrations is frozen: a ledger that it made is taken by every later one.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { warehouseMigrations } from '../../../scripts/documents/warehouse-schema.ts';
import { changedMigrations, readFrozen, readMigrations } from '../../../scripts/frozen-migrations.ts';
import { DATASETS } from '../../../src/datasets/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'searchmill-frozen-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('names a migration that was edited or removed after its release, and none that was added', () => {
  mkdirSync(join(folder, 'repeatable'));
  for (const file of ['0001_a.sql', '0002_b.sql', 'repeatable/01_c.sql']) writeFileSync(join(folder, file), `-- ${file}\n`);
  const frozen = readMigrations(folder);
  writeFileSync(join(folder, '0003_d.sql'), '-- new\n');
  appendFileSync(join(folder, 'repeatable/01_c.sql'), '-- changed\n');
  expect(changedMigrations(frozen, readMigrations(folder))).toEqual([]);
  appendFileSync(join(folder, '0001_a.sql'), '-- after the release\n');
  rmSync(join(folder, '0002_b.sql'));
  expect(changedMigrations(frozen, readMigrations(folder))).toEqual(['0001_a.sql', '0002_b.sql']);
});

it('a dataset that is defined after a release gets a migration of its own, and those before it keep theirs', () => {
  const migrations = mkdtempSync(join(folder, 'later-'));
  const [last, ...released] = DATASETS.toReversed();
  const describe = (name: string, columns: readonly string[]): string =>
    columns.map((column) => `COMMENT ON COLUMN search.${name}.${column} IS '';\n`).join('');
  const inRelease = released.map(
    ({ name, columns }) =>
      `CREATE TABLE search.${name} (\n${describe(
        name,
        columns.map((column) => column.name),
      )}`,
  );
  writeFileSync(join(migrations, '0006_warehouse.sql'), inRelease.join(''));
  writeFileSync(join(migrations, '0007_summaries.sql'), '');
  const frozen = readMigrations(migrations);
  expect(warehouseMigrations(migrations, frozen, released)).toEqual([]);
  for (const later of ['first', 'again']) {
    const [generated, ...others] = warehouseMigrations(migrations, frozen);
    expect([later, generated?.path, others]).toEqual([later, `migrations/0008_${last?.name}.sql`, []]);
    expect(generated?.content().match(/^CREATE TABLE .*/gm)).toEqual([`CREATE TABLE search.${last?.name} (`]);
    writeFileSync(join(migrations, `0008_${last?.name}.sql`), generated?.content() ?? '');
  }
});

it('a column that is added to a released dataset needs a migration, which is written by hand', () => {
  const migrations = mkdtempSync(join(folder, 'column-'));
  const [dataset] = DATASETS;
  const [added = { name: '' }, ...columns] = dataset.columns;
  const described = columns.map(({ name }) => `COMMENT ON COLUMN search.${dataset.name}.${name} IS '';\n`);
  writeFileSync(join(migrations, '0006_warehouse.sql'), [`CREATE TABLE search.${dataset.name} (\n`, ...described].join(''));
  const frozen = readMigrations(migrations);
  expect(() => warehouseMigrations(migrations, frozen, [dataset])).toThrow(
    `search.${dataset.name} was released without ${added.name}: write`,
  );
  writeFileSync(join(migrations, '0008_column.sql'), `COMMENT ON COLUMN search.${dataset.name}.${added.name} IS '';\n`);
  expect(warehouseMigrations(migrations, frozen, [dataset])).toEqual([]);
});

it('migrations are as every release has them', () => {
  expect(changedMigrations(readFrozen(), readMigrations())).toEqual([]);
});

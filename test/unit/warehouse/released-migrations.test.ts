// A migration that was released is never changed: databases that have applied it would lack the change. What follows goes into a new one.
// Each says what becomes of older processes.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { migrationNames, whyStopBefore } from '../../../src/warehouse/migration-files.ts';

/** Of what each released migration does, comments left out. A release adds its own. */
const RELEASED = {
  '0001_ledger': 'b6bc2c2ed4acddd7',
  '0002_warehouse': '28aebbd0f0e2f8b5',
  '0003_roles': '0a44b5ed8cef899e',
  '0004_schedulers': '2a74f422ee6e2588',
  '0005_time_and_rights': 'a37f314450c4f4df',
  '0006_coverage': '2710d284e1ba2327',
  '0007_duplicates': '1e25bc6c888b230a',
  '0008_leases': '091a506d81d39cce',
  '0009_settled_weeks': '08379109874d8463',
  '0010_missing_weeks': '43ee0ac8b114922b',
  '0011_shrinking_weeks': 'bf14c5b53ed0bf76',
  '0012_schema_and_limit': '4ca405857c0c33b5',
  '0013_row_keys': '1daf37adadf795cf',
  '0014_known_words': '9a65b3d1d340f839',
  '0016_control': '6da335a84057a841',
  '0017_liveness': '96a205f561c28619',
  '0018_strict_databases': 'ad7357972ae3d374',
  '0019_budget_salt': '84d8fc6046a28731',
  '0020_standstills': '5e24ebb736553fb1',
  '0021_queue_trouble': '879f58cfa3c1c8b0',
  '0023_whole_staging': 'c2adbde6d836739b',
  '0024_reports': 'e9f4b9c9d9c77e51',
  '0025_reports_mended': 'fe7619a1ab49e08f',
  '0026_actions': '138c2742c6acbfec',
  '0027_keep_weeks': 'cd1b8a704134c108',
  '0029_notifications': '4f95a3b7bf4f6b7d',
} as const;

it.each(Object.entries(RELEASED))('%s does what it did when it was released', (name, digest) => {
  const text = readFileSync(new URL(`../../../migrations/${name}.sql`, import.meta.url), 'utf8');
  const statements = text.split('\n').filter((line) => !line.trimStart().startsWith('--'));
  expect(createHash('sha256').update(statements.join('\n')).digest('hex').slice(0, digest.length)).toBe(digest);
});

it.each(migrationNames())('%s says whether processes of older releases go on', (name) => {
  expect(() => whyStopBefore(name)).not.toThrow();
});

it('knows from them which migrations need older processes stopped', () => {
  expect(migrationNames().filter((name) => whyStopBefore(name) !== undefined)).toEqual([
    '0012_schema_and_limit',
    '0013_row_keys',
    '0016_control',
    '0019_budget_salt',
    '0032_published_periods',
  ]);
});

// npm run freeze: writes the digests of the migrations that are not frozen yet into scripts/frozen-migrations.json, at a release. From then on
// they are never edited, which a test holds: a ledger that a release made is taken by every later one.
import { writeFileSync } from 'node:fs';
import { changedMigrations, FROZEN_FILE, readFrozen, readMigrations } from './frozen-migrations.ts';

const now = readMigrations();
const changed = changedMigrations(readFrozen(), now);
if (changed.length > 0) {
  console.error(`Nothing was frozen. Bring back what was frozen before, and put changes into new files: ${changed.join(', ')}.`);
  process.exitCode = 1;
} else {
  writeFileSync(FROZEN_FILE, `${JSON.stringify(now, null, 2)}\n`);
  console.log(`${Object.keys(now).length} migrations are frozen.`);
}

// npm run freeze: run at a release. Writes the digests of migrations that are not frozen yet to scripts/frozen-migrations.json. From then on they
// must not be edited, which a test checks: every later release must accept a ledger that a release created.
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

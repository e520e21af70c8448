import { readFileSync } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { DATABASE_FILES } from '../../../scripts/documents/database-files.ts';
import { useLedger } from '../../support/ledger.ts';

const ledger = useLedger();

// On a cluster the schema has what Citus adds to it.
it.skipIf(inject('servers').citusWorkers.length > 0).each(DATABASE_FILES)(
  '$path is what a migrated database says; otherwise "npm run generate" makes it so',
  async ({ path, content }) => {
    const committed = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
    // Compared line by line, so that a failure shows the line and not the whole file.
    expect(committed.split('\n')).toEqual((await content(ledger.pool)).split('\n'));
  },
);

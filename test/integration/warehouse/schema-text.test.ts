import { expect, inject, it } from 'vitest';
import { schemaText } from '../../../scripts/documents/schema-text.ts';
import { useLedger } from '../../support/ledger.ts';

const ledger = useLedger();

// On a cluster the tables have what Citus adds to them.
it.skipIf(inject('servers').citusWorkers.length > 0)(
  'docs/schema.sql shows what a migrated database has ("npm run schema" renews it)',
  async () => {
    await expect(await schemaText(ledger.pool)).toMatchFileSnapshot('../../../docs/schema.sql');
  },
);

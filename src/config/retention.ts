// How long the ledger keeps what nobody needs any more to know what is loaded.
import type { z } from 'zod';
import { duration, parseDurationMs, section } from './fields.ts';
import type { Retention } from './settings.ts';

const age = (description: string) => duration(description, '36500d', '30d');

export const retentionSchema = section(
  {
    executions: age('Loads that failed or were given up.').default('180d'),
    publications: age('Loads that were published, and what they changed: what `history` and the page of a week show.').default('1095d'),
    quarantine: age('Rows in quarantine that were replayed, or whose load is not the published one any more.').default('180d'),
    drift: age('Differences of schemas, of loads that are not the published ones any more.').default('180d'),
    calls: age('The log of calls of a credential that no connection has any more.').default('30d'),
  },
  'How long the ledger keeps what is not needed for coverage.',
);

export function resolveRetention(written: z.output<typeof retentionSchema>): Retention {
  const { executions, publications, quarantine, drift, calls } = written;
  return {
    executionsMs: parseDurationMs(executions),
    publicationsMs: parseDurationMs(publications),
    quarantineMs: parseDurationMs(quarantine),
    driftMs: parseDurationMs(drift),
    callsMs: parseDurationMs(calls),
  };
}

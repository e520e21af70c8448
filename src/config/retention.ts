// How long the ledger keeps records that coverage does not need.
import type { z } from 'zod';
import { duration, parseDurationMs, section } from './fields.ts';
import type { Retention } from './settings.ts';

const age = (description: string) => duration(description, '36500d', '30d');

export const retentionSchema = section(
  {
    executions: age('Loads that failed or were abandoned.').default('180d'),
    publications: age('Published loads and what they changed, as shown by `history` and the page of a week.').default('1095d'),
    quarantine: age('Rows in quarantine that were replayed, or whose load is no longer the published one.').default('180d'),
    drift: age('Schema drift of loads that are no longer the published ones.').default('180d'),
    calls: age('The call log of a credential that no connection uses any more.').default('30d'),
  },
  'How long the ledger keeps records that coverage does not need.',
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

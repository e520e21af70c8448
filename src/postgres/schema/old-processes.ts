// Processes of older releases during a migration: most migrations let them keep running, some do not.
import type pg from 'pg';
import { ConfigurationError } from '../../core/errors.ts';
import { nameSome } from '../../core/name-some.ts';
import { statement } from '../statements.ts';
import { type SchemaFile, whyStopBefore } from './migration-files.ts';

const MAX_NAMED = 8;

type Alive = Readonly<{ role: string; host: string; pid: number; version: string; seenSecondsAgo: number }>;

/**
 * Throws ConfigurationError when one of `pending` requires older processes to be stopped and some give signs of life. Any process on a
 * ledger that lacks a migration is older than that migration. `client` is connected to a ledger that has been migrated before.
 */
export async function requireOldProcessesStopped(client: pg.Client, pending: readonly SchemaFile[]): Promise<void> {
  const reasons = pending.flatMap((file) => {
    const reason = whyStopBefore(file);
    return reason === undefined ? [] : [`${file.name} (${reason})`];
  });
  if (reasons.length === 0) return;
  const { rows: alive } = await client.query<Alive>(statement('database/read-alive-processes'));
  if (alive.length === 0) return;
  const processes = alive.map(
    ({ role, host, pid, version, seenSecondsAgo }) =>
      `${role} on ${host} (pid ${pid}, searchmill ${version}, seen ${Math.max(0, Math.round(seenSecondsAgo))} s ago)`,
  );
  throw new ConfigurationError(
    `processes of an older release must be stopped before ${reasons.join(', ')}, and these show signs of life: ` +
      `${nameSome(processes, MAX_NAMED)}; nothing was applied. Stop them, wait a minute for those that were killed, and run ` +
      '"searchmill migrate" again; "searchmill migrate --while-running" goes on at your own risk',
  );
}

// Settings of accounts as if a process had stored them, without marking weeks.
import type { Pool } from '../../src/postgres/pool.ts';

type Account = number | bigint | string;

const insert = async (
  pool: Pool,
  accountId: Account,
  [setting, kind]: readonly [string, string],
  values: readonly string[],
): Promise<void> => {
  const sql = 'INSERT INTO searchmill.account_settings (account_id, setting, kind, value) SELECT $1, $2, $3, unnest($4::text[])';
  await pool.query(sql, [accountId, setting, kind, values]);
};

export const insertOwnDomains = (pool: Pool, accountId: Account, ...domains: readonly string[]): Promise<void> =>
  insert(pool, accountId, ['own_domains', 'configured'], domains);

export const insertCompetitors = (pool: Pool, accountId: Account, ...domains: readonly string[]): Promise<void> =>
  insert(pool, accountId, ['competitors', ''], domains);

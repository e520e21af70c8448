// Logins for people's tools: a role in the database that reads, with the settings that suit such tools.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { ConfigurationError } from '../core/errors.ts';
import { Secret } from '../core/secret.ts';
import type { Pool } from './pool.ts';
import { execute, readRows } from './statements.ts';
import { codeOf } from './store-errors.ts';
import { inTransaction } from './transaction.ts';

const INSUFFICIENT_PRIVILEGE = '42501';
const ITERATIONS = 4096;

export type LoginOptions = Readonly<{
  /** The accounts that it sees; undefined for all. */
  accountIds: readonly string[] | undefined;
  statementTimeoutSeconds: number;
  /** Gives a login that is there a new password. A new login always has one. */
  isPasswordNew: boolean;
}>;

/** The form in which Postgres keeps a password (RFC 5803), so that the password itself is in no statement and no log of the server. */
export function scramVerifier(password: Secret, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.reveal(), salt, ITERATIONS, 32, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${keyOf('Server Key').toString('base64')}`;
}

/**
 * Makes a login that may read, or brings one up to date. Returns its password if that is new. Throws ConfigurationError for a login that has other roles,
 * and with the statement that this role may not run; then nothing is changed. Throws StoreError.
 */
export async function makeLogin(pool: Pool, login: string, options: LoginOptions): Promise<Secret | undefined> {
  const { accountIds, statementTimeoutSeconds, isPasswordNew } = options;
  const [found] = await readRows(pool, 'logins/find', { login });
  const role = accountIds === undefined ? 'searchmill_analyst' : 'searchmill_account';
  const others = found?.roles.filter((each) => each !== role) ?? [];
  if (others.length > 0)
    throw new ConfigurationError(
      `${login} is a member of ${others.join(', ')}, and roles add up: choose another name, or revoke that first`,
    );
  const password = isPasswordNew || !found?.isThere ? new Secret(randomBytes(24).toString('base64url')) : undefined;
  return inTransaction(pool, async (client) => {
    const planned = await readRows(client, 'logins/plan-analyst', {
      login,
      password: password && scramVerifier(password),
      accountIds,
      statementTimeoutSeconds,
    });
    for (const { statement } of planned) {
      await client.query(statement).catch((error: unknown) => {
        if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
        throw new ConfigurationError(
          `nothing was changed: this role may not make logins; run this command with the DATABASE_URL of an administrator (${statement.replace(/ PASSWORD .*/, ' PASSWORD ...')})`,
          { cause: error },
        );
      });
    }
    if (accountIds !== undefined) await execute(client, 'logins/note-accounts', { login, accountIds });
    return password;
  });
}

// searchmill login: a login of the database for BI tools, notebooks and dbt, in one step.
import { InvalidArgumentError } from 'commander';
import { makeLogin } from '../postgres/logins.ts';
import { parseCount } from './arguments.ts';
import { printJson, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ account?: readonly string[]; statementTimeout: number; newPassword?: boolean; json?: boolean }>;

const SECONDS = 60;

export function loginVerb(terminal: Terminal): Verb {
  return new Verb('login')
    .description('make a login of the database for BI tools, notebooks and dbt')
    .argument('<name>', 'its name', parseName)
    .option('--account <id>', 'it sees this account only; may be repeated', collectAccount)
    .option('--statement-timeout <seconds>', 'how long a statement of it may take', parseCount, SECONDS)
    .option('--new-password', 'also give a login that is there a new password')
    .option('--json', 'as JSON')
    .more(`It reads tables and reports, not the ledger: the role searchmill_analyst, or
searchmill_account with --account. Its sessions begin with search_path =
search_reports, search, so that tools show the reports first; with jit = off,
which makes their statements 10 to 30 times faster; and with a limit for one
statement. The password is shown once. Safe to repeat. Needs a role that may
make others, such as the owner of the database.

Examples:
  searchmill login metabase
  searchmill login acme --account 12345 --statement-timeout 120`)
    .action((name: string, options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool, environment) => {
        const password = await makeLogin(pool, name, {
          accountIds: options.account,
          statementTimeoutSeconds: options.statementTimeout,
          isPasswordNew: options.newPassword === true,
        });
        const { hostname, port, pathname } = new URL(requireDatabase(environment).reveal());
        const place = { host: hostname, port: Number(port || 5432), database: decodeURIComponent(pathname.slice(1)) };
        if (options.json) return printJson(terminal, { login: name, password: password?.reveal() ?? null, ...place });
        terminal.print(
          [
            `${name} may read ${options.account ? `account ${options.account.join(', ')}` : 'all accounts'}.`,
            `  host      ${place.host}`,
            `  port      ${place.port}`,
            `  database  ${place.database}`,
            `  user      ${name}`,
            `  password  ${password ? `${password.reveal()}  (shown once)` : 'as it was; --new-password gives another'}`,
          ].join('\n'),
        );
      }),
    );
}

function parseName(text: string): string {
  if (/^[a-z_][a-z0-9_-]{0,62}$/.test(text) && !/^(pg_|searchmill_(writer|reader|analyst|account)$)/.test(text)) return text;
  throw new InvalidArgumentError(
    'Expected up to 63 lower-case letters, digits, - and _, and none of the roles that Searchmill itself has.',
  );
}

function collectAccount(text: string, before: readonly string[] = []): readonly string[] {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('Expected the number of an account.');
  return [...before, text];
}

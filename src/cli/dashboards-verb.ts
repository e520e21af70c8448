// searchmill dashboards: the boards on an analyst's machine. Needs only a database that it may read.
import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { startDashboards } from '../dashboards/server.ts';
import { createPool } from '../postgres/pool.ts';
import { parseBasePath } from './arguments.ts';
import { requireMigrated } from './require-migrated.ts';
import { type GlobalOptions, openLog, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

export function dashboardsVerb(terminal: Terminal): Command {
  return new Verb('dashboards')
    .description('serve the boards: charts of the data, in a browser')
    .addOption(new Option('--base-path <path>', 'path below which a proxy serves them').argParser(parseBasePath))
    .more(`Needs only DATABASE_URL; the role searchmill_reader is enough. Serves the boards
on OPS_HOST:OPS_PORT (127.0.0.1:9464), or the next free port above it. Any
address but the loopback needs OPS_PASSWORD or OPS_PASSWORD_FILE. "searchmill
start" serves the same boards on its own address.

Examples:
  DATABASE_URL=postgres://reader@host/warehouse searchmill dashboards`)
    .action(async ({ basePath }: { basePath?: string }, command: Command) => {
      const environment = readEnvironment(terminal, command.optsWithGlobals<GlobalOptions>());
      const databaseUrl = requireDatabase(environment);
      const pool = createPool(databaseUrl, { applicationName: 'searchmill dashboards', max: 1 });
      await requireMigrated(pool).finally(() => pool.end());
      const { opsHost: host, opsPort: port, opsPassword: password, opsTrustedProxies: trustedProxies } = environment;
      const log = openLog(terminal, environment);
      const dashboards = await startDashboards({ host, port, mayMoveUp: true, databaseUrl, password, trustedProxies, basePath, log });
      try {
        terminal.print(`The boards are on ${dashboards.url}\nCtrl-C stops it.`);
        if (!terminal.stopping.aborted) await once(terminal.stopping, 'abort');
      } finally {
        await dashboards.close();
      }
    });
}

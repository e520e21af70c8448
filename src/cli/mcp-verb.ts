// searchmill mcp: for assistants on an analyst's machine, by the Model Context Protocol over standard input and output.
import { once } from 'node:events';
import { stdin } from 'node:process';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { readBoards } from '../dashboards/boards.ts';
import { createPanelPool } from '../dashboards/run-panels.ts';
import { createAsking } from '../mcp/asking.ts';
import { createMcpServer } from '../mcp/server.ts';
import { requireMigrated } from './require-migrated.ts';
import { type GlobalOptions, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

export function mcpVerb(terminal: Terminal): Command {
  return new Verb('mcp')
    .description('let an AI assistant read figures, coverage and status: MCP over standard input and output')
    .more(`Started by an assistant, not by people. It only reads, and takes no SQL. Needs
only DATABASE_URL; the role searchmill_reader is enough. "searchmill start"
serves the same at /mcp of its address, behind the password of the pages.

Examples:
  claude mcp add searchmill -e DATABASE_URL=postgres://reader@host/warehouse -- searchmill mcp`)
    .action(async (_: unknown, command: Command) => {
      const databaseUrl = requireDatabase(readEnvironment(terminal, command.optsWithGlobals<GlobalOptions>()));
      const pool = createPanelPool(databaseUrl, { max: 2 });
      try {
        await requireMigrated(pool);
        const asking = createAsking(pool, readBoards());
        const served = serveStdio(() => createMcpServer(asking), {
          onerror: ({ message }) => terminal.warn(`mcp: ${message}`),
        });
        const ended = [once(stdin, 'end'), once(stdin, 'close')];
        if (!terminal.stopping.aborted) await Promise.race([once(terminal.stopping, 'abort'), ...ended]);
        await served.close();
      } finally {
        await pool.end();
      }
    });
}

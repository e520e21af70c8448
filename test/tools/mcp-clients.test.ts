// Clients of assistants that others wrote ask the program: the official SDK for Python and fastmcp, over standard input and output and over HTTP.
// The official SDK for TypeScript asks in test/integration/mcp.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATASETS } from '../../src/datasets/index.ts';
import { recordJob } from '../../src/ledger/jobs.ts';
import type { OpsServer } from '../../src/ops/server.ts';
import { serveAssistants } from '../support/assistant-server.ts';
import { jobOf, useLedger, WEEK } from '../support/ledger.ts';
import { ensureBuilt } from '../support/program.ts';
import { hasPython, pythonPrograms } from '../support/python-environment.ts';
import { loadWindow } from '../support/window-steps.ts';
import { wireRow } from '../support/wire-rows.ts';

const PACKAGES = ['mcp==2.3.0', 'fastmcp==4.2.3'];
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const PASSWORD = 'open sesame';
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const ledger = useLedger();
let python: string;
let server: OpsServer;

type Asked = Readonly<{ tools: string[]; resources: string[]; boards: string; panel: string; mistake: [boolean, string] }>;

/** What a client was told. The secret goes in by standard input, so that no list of processes has it. */
async function ask(client: string, where: readonly string[], secret: string): Promise<Asked> {
  const running = promisify(execFile)(python, [script(client), ...where], { encoding: 'utf8' });
  running.child.stdin?.end(secret);
  return JSON.parse((await running).stdout) as Asked;
}

const WAYS = {
  'standard input and output': (client: string) => ask(client, [process.execPath, MAIN, 'mcp'], ledger.url),
  HTTP: (client: string) => ask(client, ['http', `${server.url}/mcp`], PASSWORD),
};

describe.skipIf(!hasPython)('an assistant', () => {
  const job = jobOf({ since: WEEK.start });
  beforeAll(async () => {
    await ensureBuilt();
    python = join(pythonPrograms('assistants', PACKAGES), 'python');
    const ranks = { device: 'DESKTOP', search_engine: 'GOOGLE', rank_standard: '2', rank_true: '2' };
    await loadWindow(ledger.pool, job, [wireRow(job, { query: 'running shoes', ...ranks })]);
    await recordJob(ledger.pool, job, WEEK.start);
    server = await serveAssistants(ledger.url, '127.0.0.1', PASSWORD);
  });
  afterAll(() => server.close());

  it.each([
    ['the SDK for Python', 'mcp_client.py', 'standard input and output'],
    ['the SDK for Python', 'mcp_client.py', 'HTTP'],
    ['fastmcp', 'fastmcp_client.py', 'standard input and output'],
    ['fastmcp', 'fastmcp_client.py', 'HTTP'],
  ] as const)('with %s (%s) over %s finds the tools, reads a panel, and is told its mistake', async (_name, client, way) => {
    const { tools, resources, boards, panel, mistake } = await WAYS[way](client);
    expect(tools).toEqual(expect.arrayContaining(['find', 'list_boards', 'run_panel', 'status']));
    expect(resources).toEqual(DATASETS.map(({ name }) => `searchmill://tables/${name}`));
    expect(boards).toContain(`"account":"${job.accountId}"`);
    expect(panel).toContain('"weeks":"3"');
    expect(mistake).toEqual([true, expect.stringContaining('rankings')]);
  });

  it.each(['mcp_client.py', 'fastmcp_client.py'])('%s with a wrong password over HTTP gets nothing', async (client) => {
    await expect(ask(client, ['http', `${server.url}/mcp`], 'wrong')).rejects.toThrow('send the password of the pages');
  });
});

// Clients of assistants that others wrote ask the program: the official SDK for Python and fastmcp, over standard input and output. The official SDK for
// TypeScript asks in test/integration/mcp.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { DATASETS } from '../../src/datasets/index.ts';
import { recordJob } from '../../src/ledger/jobs.ts';
import { jobOf, useLedger, WEEK } from '../support/ledger.ts';
import { ensureBuilt } from '../support/program.ts';
import { hasPython, pythonPrograms } from '../support/python-environment.ts';
import { loadWindow } from '../support/window-steps.ts';
import { wireRow } from '../support/wire-rows.ts';

const PACKAGES = ['mcp==2.3.0', 'fastmcp==4.2.3'];
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const ledger = useLedger();
let python: string;

type Asked = Readonly<{ tools: string[]; resources: string[]; boards: string; panel: string; mistake: [boolean, string] }>;

/** What a client was told. The address of the database goes in by standard input, so that no list of processes has it. */
async function ask(client: string, where: readonly string[]): Promise<Asked> {
  const running = promisify(execFile)(python, [script(client), ...where], { encoding: 'utf8' });
  running.child.stdin?.end(ledger.url);
  return JSON.parse((await running).stdout) as Asked;
}

describe.skipIf(!hasPython)('an assistant', () => {
  const job = jobOf({ since: WEEK.start });
  beforeAll(async () => {
    await ensureBuilt();
    python = join(pythonPrograms('assistants', PACKAGES), 'python');
    const ranks = { device: 'DESKTOP', search_engine: 'GOOGLE', rank_standard: '2', rank_true: '2' };
    await loadWindow(ledger.pool, job, [wireRow(job, { query: 'running shoes', ...ranks })]);
    await recordJob(ledger.pool, job, WEEK.start);
  });

  it.each([
    ['the SDK for Python', 'mcp_client.py'],
    ['fastmcp', 'fastmcp_client.py'],
  ] as const)('with %s (%s) finds the tools, reads a panel, and is told its mistake', async (_name, client) => {
    const { tools, resources, boards, panel, mistake } = await ask(client, [process.execPath, MAIN, 'mcp']);
    expect(tools).toEqual(expect.arrayContaining(['find', 'list_boards', 'run_panel', 'status']));
    expect(resources).toEqual(DATASETS.map(({ name }) => `searchmill://tables/${name}`));
    expect(boards).toContain(`"account":"${job.accountId}"`);
    expect(panel).toContain('"weeks":"3"');
    expect(mistake).toEqual([true, expect.stringContaining('rankings')]);
  });
});

// schemathesis reads /openapi.json and calls the sandbox as it says: with its examples, along its links from submit to poll to the last page, and with
// what no client should send. What "Schema-valid request rejected" finds are accounts and ids that do not exist, which no schema can tell.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/server.ts';
import { compareText } from '../../src/core/compare-text.ts';
import { operationPath } from '../../src/datasets/dataset.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { hasPython, pythonPrograms } from '../support/python-environment.ts';

const PACKAGES = ['schemathesis==4.32.5'];
/** Where schemathesis_hooks.py is. */
const HOOKS = fileURLToPath(new URL('.', import.meta.url));

type Entry = Readonly<{ request: { url: string; postData?: { text?: string } }; response: { status: number; content: { text?: string } } }>;
type Call = Readonly<{ path: string; asked: Record<string, unknown>; status: number; told: Record<string, unknown> }>;

let sandbox: Sandbox;
let folder: string;
let programs: string;

type Run = Readonly<{ code: unknown; out: string; calls: readonly Call[] }>;

async function run(name: string, ...args: string[]): Promise<Run> {
  const file = join(folder, `${name}.json`);
  const always = ['--no-color', '--seed', '1', '--exclude-checks', 'positive_data_acceptance', '--report-har-path', file];
  const header = ['-H', 'Authorization: Bearer sandbox-token'];
  const ended = await new Promise<Omit<Run, 'calls'>>((resolve) => {
    const program = join(programs, 'schemathesis');
    const env = { ...process.env, PYTHONPATH: HOOKS, SCHEMATHESIS_HOOKS: 'schemathesis_hooks', PYTHONDONTWRITEBYTECODE: '1' };
    execFile(
      program,
      ['run', `${sandbox.url}/openapi.json`, ...header, ...always, ...args],
      { cwd: folder, env },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, out: stdout + stderr }),
    );
  });
  const { log } = JSON.parse(await readFile(file, 'utf8')) as { log: { entries: Entry[] } };
  return { ...ended, calls: log.entries.map(callOf) };
}

function callOf({ request, response }: Entry): Call {
  const told = parsed(response.content.text);
  return { path: new URL(request.url).pathname, asked: parsed(request.postData?.text), status: response.status, told };
}

function parsed(text = ''): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

describe.skipIf(!hasPython)('schemathesis', () => {
  beforeAll(async () => {
    programs = pythonPrograms('schemathesis', PACKAGES);
    folder = await mkdtemp(join(tmpdir(), 'searchmill-schemathesis-'));
    sandbox = await startSandbox({ size: 'small', queryMs: 1, limits: { submit: 100_000, read: 1_000_000 } });
  });
  afterAll(async () => {
    await sandbox?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  it('finds that every example is accepted', async () => {
    const { code, out, calls } = await run('examples', '--phases', 'examples');
    expect(code, out).toBe(0);
    const paths = new Set(calls.filter(({ status }) => status === 202).map(({ path }) => path));
    expect([...paths].sort(compareText)).toEqual(DATASETS.map(operationPath).sort(compareText));
  });

  it('walks a query along the links to its last page', async () => {
    const { code, out, calls } = await run(
      'walk',
      '--phases',
      'stateful',
      '--include-operation-id',
      'keyword_rankings',
      '--max-examples',
      '30',
    );
    expect(code, out).toBe(0);
    const submitted = new Set(
      calls.filter(({ status, asked }) => status === 202 && 'account_id' in asked).map(({ told }) => told.executionId),
    );
    const pages = calls.filter(({ status, asked }) => status === 200 && submitted.has(asked.executionId));
    const first = pages.filter(({ asked, told }) => !asked.nextPageId && told.nextPageId).map(({ asked }) => asked.executionId);
    const last = pages.filter(({ asked, told }) => asked.nextPageId && !told.nextPageId).map(({ asked }) => asked.executionId);
    expect(
      first.filter((id) => last.includes(id)),
      out,
    ).not.toEqual([]);
  });

  it('gets an answer as described to whatever it sends', async () => {
    const { code, out, calls } = await run('odd', '--phases', 'fuzzing', '--max-examples', '10');
    expect(code, out).toBe(0);
    expect(calls.filter(({ status }) => status >= 500)).toEqual([]);
    expect(calls.length).toBeGreaterThan(50);
  });
});

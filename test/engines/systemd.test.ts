// The unit of deploy/systemd: what systemd says of it, and its commands as an ordinary user.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastCompleteWeek } from '../../src/core/weeks.ts';
import { ensureBuilt } from '../support/program.ts';
import { createTestStack } from '../support/test-stack.ts';
import { until } from '../support/wait.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const UNIT = 'searchmill.service';
/** On a scale of 10; below 2 systemd says "OK", its second best word. */
const MAX_EXPOSURE = 2;
const NOBODY = 65_534;
const JOBS = `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: "\${SEARCH_API_TOKEN:-stack-token}" } }
jobs:
  - { name: rankings, dataset: keyword_rankings, account_id: 12345, since: ${lastCompleteWeek(new Date(), 'UTC', 'sunday')}, schedule: { cron: "0 0 * * 0", timezone: UTC } }
`;

const run = promisify(execFile);
const written = await readFile(join(ROOT, 'deploy/systemd', UNIT), 'utf8');
const valuesOf = (key: string): string[] => [...written.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
const isHere = await run('systemd-analyze', ['--version']).then(
  () => true,
  () => false,
);
if (!isHere) console.log('skipped: systemd-analyze is not here; install systemd');

let folder: string;
beforeAll(async () => {
  await ensureBuilt();
  folder = await mkdtemp(join(tmpdir(), 'searchmill-systemd-'));
  await writeFile(join(folder, UNIT), written.replace('/usr/bin/node', process.execPath));
});
afterAll(() => rm(folder, { recursive: true }));

describe.skipIf(!isHere)('systemd', () => {
  it('finds no error in the unit', async () => {
    expect(await run('systemd-analyze', ['verify', join(folder, UNIT)])).toEqual({ stdout: '', stderr: '' });
  });

  it('rates the exposure of the unit as low', async () => {
    const words = ['security', '--offline=true', '--no-pager', `--threshold=${MAX_EXPOSURE * 10}`, join(folder, UNIT)];
    expect((await run('systemd-analyze', words)).stdout).toContain('Overall exposure level');
  });
});

/** Whether everybody may go to a path. */
async function isOpen(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  return (mode & 0o001) !== 0 && (dirname(path) === path || (await isOpen(dirname(path))));
}

it('runs as an ordinary user with its secrets in files, reads its configuration again and ends in time, by the commands of the unit', async () => {
  const stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS });
  // Only where an ordinary user can read the checkout and run node.
  const isRoot = process.getuid?.() === 0 && (await isOpen(ROOT)) && (await isOpen(process.execPath));
  for (const [name, secret] of Object.entries({ DATABASE_URL: stack.databaseUrl, SEARCH_API_TOKEN: 'stack-token' })) {
    await writeFile(join(folder, name), secret, { mode: 0o400 });
    if (isRoot) await chown(join(folder, name), NOBODY, NOBODY);
  }
  for (const path of [folder, stack.folder]) await chmod(path, 0o755);
  // A value with spaces stands in quotes, alone on its line.
  const variables = valuesOf('Environment').flatMap((line) =>
    line.startsWith('"') ? [line.slice(1, -1)] : line.replaceAll('%d', folder).split(' '),
  );
  const { DATABASE_URL: _, ...others } = stack.env;
  const [program = '', ...words] = (valuesOf('ExecStart')[0] ?? '').replace('/usr/bin/node', process.execPath).split(' ');
  const env = { ...Object.fromEntries(variables.map((variable) => variable.split('='))), ...others };
  const child = spawn(program, words, {
    cwd: ROOT,
    env,
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
    await until('a week to be published', async () => (await stack.read('SELECT FROM searchmill.publications')).length > 0);
    await run('sh', ['-c', (valuesOf('ExecReload')[0] ?? '').replace('$MAINPID', `${child.pid}`)]);
    await until('the configuration to be read again', () => /configuration/.test(said));
    const script = (await readFile(join(ROOT, 'deploy/systemd/searchmill'), 'utf8'))
      .replaceAll('/opt/searchmill', ROOT)
      .replaceAll('/etc/searchmill', folder)
      .replace('/usr/bin/node', process.execPath);
    await writeFile(join(folder, 'searchmill'), script, { mode: 0o755 });
    await writeFile(join(folder, 'jobs.config.yaml'), JOBS);
    await writeFile(join(folder, 'environment'), `# no secrets\nSANDBOX_URL=${stack.env.SANDBOX_URL}\nLOG_LEVEL=error\n`);
    const { stdout: status } = await run(join(folder, 'searchmill'), ['status', 'rankings'], { env: { PATH: process.env.PATH } });
    expect(status).toContain('published');
    const { stdout: help } = await run(join(folder, 'searchmill'), ['--help'], { env: { PATH: process.env.PATH } });
    expect(help).toContain('Usage: sudo searchmill ');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(9);
  } finally {
    child.kill('SIGKILL');
    await stack.close();
  }
});

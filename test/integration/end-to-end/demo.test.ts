// The demo as a newcomer sees it: on a terminal, and again with its output in a file. It runs in a copy of the built
// program, so that its database is a new one.
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadJobsConfig } from '../../../src/config/jobs-config.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { copyProgram } from '../../support/program-copy.ts';
import { ESCAPE, Screen } from '../../support/screen.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CONFIGURED = loadJobsConfig(join(ROOT, 'demo/jobs.config.yaml'), {}).config.jobs;
const JOBS = CONFIGURED.map(({ name }) => name);
const COLUMNS = 80;

let folder: string;
beforeAll(async () => {
  folder = await copyProgram();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function run(command: string, args: readonly string[]): { code: number | null; stdout: string } {
  const { PATH = '', HOME = '' } = process.env;
  const { status, stdout } = spawnSync(command, args, {
    cwd: folder,
    env: { PATH, HOME, TERM: 'xterm' },
    encoding: 'utf8',
    timeout: 10 * 60_000,
    // A slow machine draws many frames.
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: status, stdout };
}

const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

describe('the demo', () => {
  // util-linux' script runs a command on a pseudo-terminal.
  it.skipIf(!hasScript)('draws on a terminal how every job gets done, then shows tables and answers', () => {
    const { code, stdout } = run('script', [
      '-qec',
      `stty cols ${COLUMNS} rows 40; "${process.execPath}" dist/main.js demo --exit`,
      '/dev/null',
    ]);
    expect(code).toBe(0);
    const screen = new Screen();
    screen.write(stdout);
    const rowsOf = (pattern: RegExp): number => Number(pattern.exec(screen.text)?.[1]?.replaceAll(',', ''));
    const rows = JOBS.map((job) => rowsOf(new RegExp(`^✓ ${job} +━+ +13/13 weeks +([\\d,]+) rows +published$`, 'm')));
    const sum = rows.reduce((a, b) => a + b);
    expect(sum).toBeGreaterThan(10_000);
    expect(rowsOf(new RegExp(`^ {2}${13 * JOBS.length} of ${13 * JOBS.length} weeks, ([\\d,]+) rows, \\d+ calls, \\d+ s$`, 'm'))).toBe(sum);
    expect(rowsOf(new RegExp(`^Published ${2 * JOBS.length} windows with ([\\d,]+) rows\\.$`, 'm'))).toBe(sum);
    expect(screen.isCursorHidden).toBe(false);

    const frames = stdout
      .split(`${ESCAPE}[?2026h`)
      .slice(1)
      .map((frame) => frame.split(`${ESCAPE}[?2026l`)[0] ?? '');
    expect(frames.length).toBeGreaterThan(10);
    for (const frame of frames) {
      const shown = new Screen(COLUMNS);
      shown.write(frame);
    }

    for (const { name } of DATASETS) {
      const windows = 2 * CONFIGURED.filter(({ dataset }) => dataset.name === name).length;
      expect(screen.text).toMatch(new RegExp(`^search\\.${name} +${windows} +[\\d,]+ +\\d+ +[\\d.]+ +[\\d,]+$`, 'm'));
    }
    for (const number of [1, 2, 3]) expect(screen.text).toMatch(new RegExp(`^${number}\\. .*\\?$`, 'm'));
    expect(screen.text).not.toMatch(/INFO|WARN|ERROR/);
  });

  it('loads nothing twice, and writes plain lines without a colour into a file', () => {
    run(process.execPath, ['dist/main.js', 'demo', '--exit']);
    const { code, stdout } = run(process.execPath, ['dist/main.js', 'demo', '--exit']);
    expect(code).toBe(0);
    expect(stdout).not.toContain(ESCAPE);
    expect(stdout).toContain('with the tables of an earlier run');
    expect(stdout).toContain('Nothing to do: every expected week is loaded.');
    expect(stdout).toMatch(/^search\.keyword_rankings +0 +0 +0 +0 +[1-9][\d,]+$/m);
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d started {2}role=all /m);
    // No address with a password for a server that is gone.
    expect(stdout).not.toContain('postgres://');
  });
});

// The recipe for Dagster with Dagster's own sensors, runs, retries and store; each look is a process of its own.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasPython, pythonPrograms } from '../support/python-environment.ts';
import { expectCopied, liveThrough, useFollowed, writeRecipe } from './followed.ts';

const PACKAGES = ['dagster==1.13.29', 'psycopg[binary]==3.3.9'];
const RECIPE = 'dagster_searchmill.py';
const CONSUMER = 'dagster';

const followed = useFollowed();
let python: string;

async function run(...args: string[]): Promise<string> {
  const { url } = followed.ledger;
  const env = {
    SEARCHMILL_DATABASE_URL: url,
    COPY_DATABASE_URL: url,
    DAGSTER_HOME: join(followed.folder, 'home'),
    DAGSTER_DISABLE_TELEMETRY: '1',
  };
  const { stdout, stderr } = await promisify(execFile)(python, args, { cwd: followed.folder, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout + stderr;
}

const look = async (...args: string[]): Promise<void> => void (await run('follow_dagster.py', ...args));

describe.skipIf(!hasPython)('Dagster', () => {
  beforeAll(async () => {
    python = join(pythonPrograms('dagster', PACKAGES), 'python');
    await mkdir(join(followed.folder, 'home'));
    await copyFile(fileURLToPath(new URL('follow_dagster.py', import.meta.url)), join(followed.folder, 'follow_dagster.py'));
    await writeRecipe(followed, RECIPE, [
      ['import psycopg\n', 'import psycopg\nfrom consumer import replace_week\n'],
      ['delay=60', 'delay=0'],
      // Failed runs come in several pages.
      ['limit=200', 'limit=1'],
      [
        'context.log.info(f"replace {config.dataset}, account {config.account}, week {config.week}")',
        `replace_week("${CONSUMER}", config.dataset, config.account, config.week, config.removed)`,
      ],
    ]);
  });

  it('each change reaches the consumer: restated, emptied, failed, removed, after a reset, after a restore', async () => {
    await liveThrough({ followed, consumer: CONSUMER, follow: () => look(), resetCursor: () => look('reset') });
    await expectCopied(followed, CONSUMER);
  });

  it('a run as Dagster starts it takes no process beside its own', async () => {
    const config = { dataset: 'keyword_rankings', account: 1, week: '1990-01-07', removed: true };
    // JSON is YAML.
    await writeFile(join(followed.folder, 'run.yaml'), JSON.stringify({ ops: { replaced_week: { config } } }));
    const told = await run('-m', 'dagster', 'job', 'execute', '-f', RECIPE, '-j', '__ASSET_JOB', '-c', 'run.yaml');
    expect(told).toContain('RUN_SUCCESS');
    expect(told).not.toContain('STEP_WORKER');
  });
});

// The script for cron, run as cron runs it: a process each time.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasPython, pythonPrograms } from '../support/python-environment.ts';
import { expectCopied, liveThrough, replacedWeeks, useFollowed, writeRecipe } from './followed.ts';

const PACKAGES = ['psycopg[binary]==3.3.9'];
const RECIPE = 'cron_searchmill.py';

const followed = useFollowed();
let python: string;

const stateOf = (consumer: string): string => join(followed.folder, `${consumer}.json`);

async function follow(consumer: string): Promise<void> {
  const env = { SEARCHMILL_DATABASE_URL: followed.ledger.url, COPY_DATABASE_URL: followed.ledger.url };
  const run = promisify(execFile)(python, [`${consumer}.py`, stateOf(consumer)], { cwd: followed.folder, env });
  await run.catch((error: { stderr?: string }) => expect(error.stderr).toContain('the consumer fails'));
}

const write = (consumer: string): Promise<void> =>
  writeRecipe(
    followed,
    RECIPE,
    [
      ['import psycopg\n', 'import psycopg\nfrom consumer import replace_week\n'],
      ['print(f"replace {dataset}, account {account}, week {week}")', `replace_week("${consumer}", dataset, account, week, removed)`],
    ],
    `${consumer}.py`,
  );

describe.skipIf(!hasPython)('cron', () => {
  beforeAll(async () => {
    python = join(pythonPrograms('cron', PACKAGES), 'python');
    for (const consumer of ['first', 'later']) await write(consumer);
  });

  it('each change reaches a consumer: restated, emptied, failed, removed, after a reset, after a restore', () =>
    liveThrough({ followed, consumer: 'first', follow, resetCursor: (consumer) => rm(stateOf(consumer)) }));

  it('a consumer that is added later gets every week', async () => {
    await follow('later');
    expect((await replacedWeeks(followed, 'later')).length).toBeGreaterThan(0);
    await expectCopied(followed, 'later');
  });
});

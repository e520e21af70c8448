// The recipe for Airflow, run by "airflow dags test": its tasks, mapped tasks and Variables, in a home of its own with SQLite.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, it } from 'vitest';
import { hasPython, pythonPrograms } from '../support/python-environment.ts';
import { expectCopied, liveThrough, useFollowed, writeRecipe } from './followed.ts';

const PACKAGES = ['apache-airflow==3.3.2', 'apache-airflow-providers-postgres==7.1.1', 'psycopg2-binary==2.9.13', 'psycopg[binary]==3.3.9'];
const RECIPE = 'airflow_searchmill.py';
const CONSUMERS = ['first_copy', 'later_copy'] as const;

const followed = useFollowed();
let programs: string;

async function airflow(...args: string[]): Promise<void> {
  const { url } = followed.ledger;
  const home = join(followed.folder, 'airflow');
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    PYTHONPATH: followed.folder,
    AIRFLOW_HOME: home,
    AIRFLOW__CORE__DAGS_FOLDER: join(home, 'dags'),
    AIRFLOW__CORE__LOAD_EXAMPLES: 'false',
    AIRFLOW_CONN_SEARCHMILL: url,
    COPY_DATABASE_URL: url,
  };
  await promisify(execFile)(join(programs, 'airflow'), args, { cwd: followed.folder, env, maxBuffer: 64 * 1024 * 1024 });
}

/** A run that has failed is what a consumer that fails makes of it. */
const follow = (consumer: string): Promise<void> => airflow('dags', 'test', consumer).catch(() => undefined);

describe.skipIf(!hasPython)('Airflow', () => {
  beforeAll(async () => {
    programs = pythonPrograms('airflow', PACKAGES);
    await mkdir(join(followed.folder, 'airflow', 'dags'), { recursive: true });
    for (const consumer of CONSUMERS)
      await writeRecipe(
        followed,
        RECIPE,
        [
          ['CONSUMER = "replace_searchmill_weeks"', `CONSUMER = "${consumer}"`],
          ['retries=3', 'retries=0'],
          ['from airflow.sdk', 'from consumer import replace_week\nfrom airflow.sdk'],
          [
            `print(f"replace {week['dataset']}, account {week['account']}, week {week['week']}")`,
            `replace_week("${consumer}", week["dataset"], week["account"], week["week"], week["removed"])`,
          ],
        ],
        `airflow/dags/${consumer}.py`,
      );
    await airflow('db', 'migrate');
  });

  it('each change reaches a consumer: restated, emptied, failed, removed, after a reset, after a restore', () => {
    const resetCursor = (consumer: string) => airflow('variables', 'delete', `searchmill_cursor_of_${consumer}`);
    return liveThrough({ followed, consumer: CONSUMERS[0], follow, resetCursor });
  });

  it('a consumer that is added later gets every week', async () => {
    await follow(CONSUMERS[1]);
    await expectCopied(followed, CONSUMERS[1]);
  });
});

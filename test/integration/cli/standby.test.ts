// DATABASE_URL leads to a hot standby, by mistake or because it is about to be promoted. Verbs that only read work there; those that
// write say what it is, and change nothing. What a person waits for goes on once it is promoted.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../../sandbox/server.ts';
import { Secret } from '../../../src/core/secret.ts';
import { lastCompleteWeek } from '../../../src/core/weeks.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { migrateQueue } from '../../../src/queue/backend/queue-tables.ts';
import { type CommandLineResult, runCli } from '../../support/command-line.ts';
import { type Replicas, startReplicas } from '../../support/replicas.ts';
import { until } from '../../support/wait.ts';

const JOBS = `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: sandbox-token }, limits: hard }
jobs:
  - { name: rankings, dataset: keyword_rankings, account_id: 12345, since: ${lastCompleteWeek(new Date(), 'UTC', 'sunday')}, schedule: { cron: "0 6 * * 1" } }
`;
const SAYS = 'a standby takes no changes until it is promoted: if that is not under way, set DATABASE_URL to its primary';

let replicas: Replicas;
let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'searchmill-standby-'));
  await writeFile(join(folder, 'jobs.yaml'), JOBS);
  sandbox = await startSandbox({ size: 'tiny', queryMs: 0 });
  replicas = await startReplicas({ isSynchronous: true });
  const url = new Secret(replicas.primary.url);
  await migrate(url);
  await migrateQueue(url);
  const { lsn } = (await replicas.read<{ lsn: string }>(replicas.primary, 'SELECT pg_current_wal_lsn()::text AS lsn'))[0] ?? { lsn: '' };
  await until('the standby to have it all', async () => {
    const [found] = await replicas.read<{ has: boolean }>(replicas.standby, `SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS has`);
    return found?.has;
  });
});
afterAll(async () => {
  await replicas.close();
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

const runThere = (args: readonly string[]): Promise<CommandLineResult> =>
  runCli(args, {
    env: { DATABASE_URL: replicas.standby.url, SANDBOX_URL: sandbox.url, SEARCHMILL_CONFIG: join(folder, 'jobs.yaml'), OPS_PORT: '0' },
  });

describe('on a hot standby', () => {
  it('check says that it is one', async () => {
    const { code, out } = await runThere(['check']);
    expect(code).toBe(1);
    expect(out).toMatch(/FAIL +database: it is a standby, which is read-only until it is promoted; set DATABASE_URL to its primary/);
  });

  it.each(['status', 'plan', 'history rankings', 'quarantine list', 'reports check'])('%s reads', async (line) => {
    const { err } = await runThere(line.split(' '));
    expect(err).not.toContain('read-only');
  });

  it.each(['migrate', 'start', 'start --migrate', 'pause rankings', 'resume rankings', 'reports rebuild'])('%s says so', async (line) => {
    const { code, err } = await runThere(line.split(' '));
    expect({ code, says: err.includes(SAYS) }, err).toEqual({ code: 1, says: true });
  });

  it('run waits until it is promoted', async () => {
    const run = runThere(['run']);
    await until('it to be there', async () => {
      const there = "SELECT FROM pg_stat_activity WHERE application_name = 'searchmill run'";
      return (await replicas.read(replicas.standby, there)).length > 0;
    });
    await replicas.read(replicas.standby, 'SELECT pg_promote()');
    const { code, out, err } = await run;
    expect({ code, err }, out).toMatchObject({ code: 0 });
  });
});

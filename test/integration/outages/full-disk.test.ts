// A disk that is really full: a small tmpfs under every table of the ledger, staging and warehouse. Only root may mount one, and only a
// server on this machine sees it; the write-ahead log stays on the server's own disk, as Postgres does not survive one that is full.

import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { silentLogger } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { NO_PROXIES } from '../../../src/egress/route.ts';
import { startNotifier } from '../../../src/notify/notifier.ts';
import { whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { startWebhookReceiver, WEBHOOK_SECRET, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const JOBS = jobsSince(
  addDays(NEWEST, -7),
  {
    rankings: 'keyword_rankings, page_size: 300',
  },
  'max_submits: 50',
);
const KIB = 1024;
const MIB = 1024 * KIB;
const LEFT_BYTES = 256 * KIB;
const DISK = 'searchmill_test_disk';

function whyNot(): string | undefined {
  const { origin } = inject('servers').database;
  return origin === 'embedded Postgres' ? whyNoSmallDisk() : `the disk cannot be put under ${origin ?? 'a server that is not there'}`;
}
const reason = whyNot();

describe.skipIf(reason !== undefined)(`the database's disk is full${reason === undefined ? '' : `, skipped: ${reason}`}`, () => {
  let stack: TestStack;
  let receiver: WebhookReceiver;
  let disk: string;
  const ballast = (): string => join(disk, 'ballast');
  /** Room inside the tables of notifications: each attempt to write a page of rows may take all that is left on the disk. */
  async function makeRoomInTables(): Promise<void> {
    await stack.pool.query(`
      INSERT INTO searchmill.notification_targets (name) VALUES ('filler');
      INSERT INTO searchmill.notified_problems (target, key, kind, severity, title, seen_at)
        SELECT 'filler', n, 'x', 'x', repeat('x', 1000), now() FROM generate_series(1, 20) AS n;
      INSERT INTO searchmill.notifications (target, type, body)
        SELECT 'filler', 'x', jsonb_build_object('x', repeat('x', 1000)) FROM generate_series(1, 20);
      DELETE FROM searchmill.notifications;
      DELETE FROM searchmill.notification_targets`);
    await stack.pool.query(
      'VACUUM (TRUNCATE false) searchmill.notification_targets, searchmill.notified_problems, searchmill.notifications',
    );
  }
  /** Leaves room for what the ledger writes down, none for pages of rows. */
  function fill(): void {
    for (const size of [MIB, 4 * KIB]) {
      for (;;) {
        try {
          writeFileSync(ballast(), Buffer.alloc(size), { flag: 'a' });
        } catch (error) {
          expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
          break;
        }
      }
    }
    truncateSync(ballast(), statSync(ballast()).size - LEFT_BYTES);
  }

  beforeAll(async () => {
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS });
    receiver = await startWebhookReceiver();
    disk = mkdtempSync(join(tmpdir(), 'searchmill-disk-'));
    chmodSync(disk, 0o711);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=0711', 'tmpfs', disk]);
    const [{ folder } = { folder: '' }] = await stack.read<{ folder: string }>("SELECT current_setting('data_directory') AS folder");
    const { uid, gid } = statSync(folder);
    execFileSync('mkdir', [join(disk, 'tables')]);
    chownSync(join(disk, 'tables'), uid, gid);
    await stack.pool.query(`CREATE TABLESPACE ${DISK} LOCATION '${join(disk, 'tables')}'`);
    for (const kind of ['TABLE', 'INDEX']) await stack.pool.query(`ALTER ${kind} ALL IN TABLESPACE pg_default SET TABLESPACE ${DISK}`);
    const { pathname } = new URL(stack.databaseUrl);
    await stack.pool.query(`ALTER DATABASE ${pathname.slice(1)} SET default_tablespace = ${DISK}`);
  });
  afterAll(async () => {
    rmSync(ballast(), { force: true });
    await stack.close();
    await receiver.close();
    const client = new pg.Client({ connectionString: inject('servers').database.url });
    await client.connect();
    await client.query(`DROP TABLESPACE ${DISK}`);
    await client.end();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });

  it('loads stop with a problem that names the disk and is reported; once there is room they continue by themselves, exact', async () => {
    const instance = await stack.start();
    await stack.settle();
    const before = await stack.read('SELECT time_period_start, count(*) FROM search.keyword_rankings GROUP BY 1 ORDER BY 1');
    expect(before).toHaveLength(2);
    await makeRoomInTables();
    const target = { name: 'night', kind: 'webhook', url: new Secret(receiver.url), secret: new Secret(WEBHOOK_SECRET) } as const;
    const times = { severity: 'error', afterMs: 1, remindMs: 3_600_000, gatherMs: 1, hasDigest: false, events: [] } as const;
    const notify = { pages: undefined, targets: [{ ...target, ...times }] };
    const notifier = await startNotifier({
      notify,
      pool: stack.pool,
      log: silentLogger,
      proxies: NO_PROXIES,
      watchEveryMs: 100,
      sendEveryMs: 50,
    });
    const told = (type: string) =>
      until(type, () => receiver.accepted.find((message) => message.type === type && message.data.kind === 'failing'));
    try {
      fill();
      await instance.reload('rankings', NEWEST, { name: 'test' });
      const failures = "SELECT FROM searchmill.executions WHERE last_error LIKE 'the disk is full: could not extend%'";
      await until('a failure', async () => (await stack.read(failures)).length > 0);
      // The times are moved back, as if the outage had lasted.
      await stack.read("UPDATE searchmill.executions SET retrying_since = now() - interval '15 minutes' WHERE ended_at IS NULL");
      const { data } = await told('problem.began');
      expect(JSON.stringify(data)).toContain('make room for the database');
      rmSync(ballast());
      await stack.read('UPDATE searchmill.executions SET due_at = now() WHERE ended_at IS NULL');
      await told('problem.ended');
      await stack.settle();
    } finally {
      await notifier.stop();
    }
    expect(await stack.read('SELECT time_period_start, count(*) FROM search.keyword_rankings GROUP BY 1 ORDER BY 1')).toEqual(before);
  });
});

// What the database's owner changes at the tables: a load says what is in the way and the statement that helps, at once, and goes on after it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitAdvice } from '../../../src/core/advice.ts';
import { describeError } from '../../../src/core/errors.ts';
import { findProblems } from '../../../src/problems/find-problems.ts';
import { readStatus } from '../../../src/problems/read-status.ts';
import { useLogin } from '../../support/database-access.ts';
import { jobOf, publishedRows, useLedger } from '../../support/ledger.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const TABLE = 'search.keyword_rankings';
const PARTITION = 'search_partitions.keyword_rankings_2026_11';
const ledger = useLedger();
const writer = useLogin(ledger, 'searchmill_writer');

describe('a change of the tables that stops a load', () => {
  it.each([
    [
      'a NOT NULL column',
      `ALTER TABLE ${TABLE} ADD COLUMN cost_center text NOT NULL DEFAULT ''; ALTER TABLE ${TABLE} ALTER COLUMN cost_center DROP DEFAULT`,
      `ALTER TABLE ${TABLE} ALTER COLUMN cost_center DROP NOT NULL`,
    ],
    [
      'a foreign key',
      `CREATE TABLE public.accounts (id bigint PRIMARY KEY); INSERT INTO public.accounts SELECT DISTINCT account_id FROM ${TABLE};
       ALTER TABLE ${TABLE} ADD CONSTRAINT known_account FOREIGN KEY (account_id) REFERENCES public.accounts`,
      `ALTER TABLE ${TABLE} DROP CONSTRAINT known_account`,
    ],
    [
      'a CHECK constraint',
      `ALTER TABLE ${TABLE} ADD CONSTRAINT "No rows" CHECK (account_id < 0) NOT VALID`,
      `ALTER TABLE ${TABLE} DROP CONSTRAINT "No rows"`,
    ],
    [
      'a CHECK constraint of one month',
      `ALTER TABLE ${PARTITION} ADD CONSTRAINT one_month CHECK (account_id < 0) NOT VALID`,
      `ALTER TABLE ${PARTITION} DROP CONSTRAINT one_month`,
    ],
    [
      'a NOT NULL column, where the partition has a name of its own',
      `ALTER TABLE ${PARTITION} RENAME TO year_2026; ALTER TABLE ${TABLE} ADD COLUMN budget text NOT NULL DEFAULT '';
       ALTER TABLE ${TABLE} ALTER COLUMN budget DROP DEFAULT`,
      `ALTER TABLE ${TABLE} ALTER COLUMN budget DROP NOT NULL`,
      `ALTER TABLE ${TABLE} ALTER COLUMN budget DROP NOT NULL; ALTER TABLE search_partitions.year_2026 RENAME TO keyword_rankings_2026_11`,
    ],
    [
      'row level security',
      `ALTER TABLE ${TABLE} ENABLE ROW LEVEL SECURITY; CREATE POLICY ours ON ${TABLE} USING (account_id < 0)`,
      `ALTER TABLE ${TABLE} DISABLE ROW LEVEL SECURITY`,
    ],
    [
      'a right that was taken away',
      `REVOKE SELECT ON ${TABLE} FROM searchmill_writer`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ${TABLE} TO searchmill_writer`,
    ],
    [
      'a column that was renamed',
      `ALTER TABLE ${TABLE} RENAME COLUMN device TO appliance`,
      `ALTER TABLE ${TABLE} ADD COLUMN device`,
      `ALTER TABLE ${TABLE} RENAME COLUMN appliance TO device`,
    ],
    [
      'a month that was detached and kept its name',
      `ALTER TABLE ${TABLE} DETACH PARTITION ${PARTITION}`,
      `ALTER TABLE ${TABLE} ATTACH PARTITION ${PARTITION} FOR VALUES FROM ('2026-11-01') TO ('2026-12-01')`,
    ],
    [
      'a table that was renamed',
      `ALTER TABLE ${TABLE} RENAME TO rankings`,
      `rename ${TABLE} back`,
      'ALTER TABLE search.rankings RENAME TO keyword_rankings',
    ],
  ])('%s: the error has the statement that helps', async (_, change, advised, helps = advised) => {
    const { pool } = ledger;
    // A week is published before, so that the partition of its month exists.
    const before = jobOf();
    await publish(pool, before, await stageWindow(pool, before, [[wireRow(before, { query: 'b' })]]));
    const job = jobOf();
    const execution = await stageWindow(writer.pool, job, [[wireRow(job, { query: 'a' })]]);
    await pool.query(change);
    const failure = await publish(writer.pool, job, execution).then(
      () => 'it was published',
      (error: unknown) => describeError(error),
    );
    expect(splitAdvice(failure).advice ?? failure).toContain(advised);
    await pool.query(helps);
    expect(await publish(writer.pool, job, execution)).toMatchObject({ inserted: 1 });
    expect(await publishedRows(writer.pool, job, ['query'])).toEqual([{ query: 'a' }]);
  });

  it('names a foreign key of another table as that table has it, and not as its part for one month', async () => {
    const { pool } = ledger;
    const job = jobOf();
    await publish(writer.pool, job, await stageWindow(writer.pool, job, [[wireRow(job, { query: 'a' })]]));
    await pool.query(
      `CREATE TABLE public.marks AS SELECT account_id, time_period_start, _key, _occurrence FROM ${TABLE};
       ALTER TABLE public.marks ADD CONSTRAINT "marked Row" FOREIGN KEY (account_id, time_period_start, _key, _occurrence) REFERENCES ${TABLE}`,
    );
    const execution = await stageWindow(writer.pool, job, [[wireRow(job, { query: 'b' })]]);
    const failure = await publish(writer.pool, job, execution).catch(describeError);
    const [drop = ''] = /ALTER TABLE [^:]*/.exec(String(failure)) ?? [];
    expect(drop).toBe('ALTER TABLE public.marks DROP CONSTRAINT "marked Row"');
    await pool.query(drop);
    expect(await publish(writer.pool, job, execution)).toMatchObject({ inserted: 1, deleted: 1 });
    await pool.query('DROP TABLE public.marks');
  });

  it('names a UNIQUE constraint as the table has it', async () => {
    const { pool } = ledger;
    await pool.query(`ALTER TABLE ${TABLE} ADD CONSTRAINT one_row UNIQUE (account_id, time_period_start)`);
    const job = jobOf();
    const execution = await stageWindow(writer.pool, job, [[wireRow(job, { query: 'a' }), wireRow(job, { query: 'b' })]]);
    const failure = await publish(writer.pool, job, execution).catch(describeError);
    const drop = `ALTER TABLE ${TABLE} DROP CONSTRAINT one_row`;
    expect(splitAdvice(String(failure)).advice).toBe(drop);
    await pool.query(drop);
    expect(await publish(writer.pool, job, execution)).toMatchObject({ inserted: 2 });
  });

  it('names an index of the table by its partition, and the statement that drops it', async () => {
    const { pool } = ledger;
    await pool.query(`CREATE UNIQUE INDEX one_query ON ${TABLE} (account_id, time_period_start, device)`);
    const job = jobOf();
    const execution = await stageWindow(writer.pool, job, [
      [wireRow(job, { query: 'a', device: 'x' }), wireRow(job, { query: 'b', device: 'x' })],
    ]);
    const failure = await publish(writer.pool, job, execution).catch(describeError);
    const [drop = ''] = /DO \$\$ .*? END \$\$/.exec(String(failure)) ?? [];
    await pool.query(drop);
    expect(await publish(writer.pool, job, execution)).toMatchObject({ inserted: 2 });
  });
});

describe('status', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await createTestStack({
      queue: { kind: 'postgres', redisUrl: undefined },
      jobs: `
connections: { main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: hard } }
defaults: { account_id: 12345, since: 2026-09-06, schedule: { cron: "0 6 * * 1", timezone: UTC } }
jobs: [{ name: rankings, dataset: keyword_rankings }]
`,
      clock: createSimulatedClock('2026-09-14T07:00:00Z'),
      sandbox: { size: 'tiny' },
    });
  });
  afterAll(() => stack.close());

  it('says at the first failure that a person is needed, and what helps', async () => {
    await stack.pool.query(`CREATE TABLE search_partitions.keyword_rankings_2026_09 (n integer)`);
    await stack.start();
    await until('a failure', async () => (await stack.read('SELECT FROM searchmill.executions WHERE errors_in_row > 0')).length > 0);
    const [problem] = findProblems(await readStatus(stack.pool), new Date());
    expect(problem).toMatchObject({
      kind: 'failing',
      needsYou: true,
      why: [
        'the database refused: search_partitions.keyword_rankings_2026_09 is there and is not a partition of search.keyword_rankings for that month',
      ],
    });
    expect(problem?.next[0]).toContain(
      'ALTER TABLE search_partitions.keyword_rankings_2026_09 RENAME TO detached_keyword_rankings_2026_09',
    );
    await stack.pool.query('ALTER TABLE search_partitions.keyword_rankings_2026_09 RENAME TO detached_keyword_rankings_2026_09');
    await stack.settle();
    expect(await stack.read('SELECT state FROM searchmill.executions')).toEqual([{ state: 'published' }]);
    await stack.pool.query('DROP TABLE search_partitions.detached_keyword_rankings_2026_09');
  });
});

// A warehouse whose rows and loads have keys of version 1, and what the release that brings version 2 makes of it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDecoder } from '../../../src/codec/decode.ts';
import type { Job } from '../../../src/config/settings.ts';
import { Secret } from '../../../src/core/secret.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { approveHeld } from '../../../src/warehouse/endings.ts';
import { migrate } from '../../../src/warehouse/migrate.ts';
import { createPool, type Pool } from '../../../src/warehouse/pool.ts';
import { replayQuarantine } from '../../../src/warehouse/quarantine.ts';
import { inTransaction } from '../../../src/warehouse/transaction.ts';
import { decodePage } from '../../support/decode-page.ts';
import { drive, pipelineOn } from '../../support/drive.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { insertOldExecution, insertOldRows, stageOldRows, versionOneKey } from '../../support/key-version-1.ts';
import { jobOf, loadWindow, schemaOf, wireRow } from '../../support/ledger.ts';
import { scriptService } from '../../support/scripted-service.ts';
import { createDatabaseBefore, type TestDatabase } from '../../support/test-database.ts';

/** Texts whose length, escapes or absence the two versions write differently. */
const TEXTS = [
  'plain',
  'tab\there',
  'back\\slash',
  '\\N',
  'two\r\nlines',
  'm\u00fcnchen \u{1f600}',
  '\u00e9\u0301',
  '12:34',
  '-',
  '',
  null,
];

/** Rows of a dataset: odd texts, exact duplicates, equal keys with other values, and rows that were collected again. */
function rowsOf(job: Job): unknown[][] {
  const names = job.dataset.columns.map(({ name }) => name);
  const question = names.includes('query') ? 'query' : 'prompt';
  const measure = names.includes('title') ? 'title' : 'prompt_group_names';
  const again = names.includes('collection_date') ? { collection_date: '2026-11-12' } : { intent: 'buy' };
  const first = names.includes('collection_date') ? { collection_date: '2026-11-10' } : { intent: 'learn' };
  return [
    ...TEXTS.map((text) => wireRow(job, { ...first, [question]: text, locode: text })),
    ...['b', 'a', 'a', 'a'].map((value) => wireRow(job, { ...first, [question]: 'same', [measure]: value })),
    wireRow(job, { ...again, [question]: 'same', [measure]: 'c' }),
    wireRow(job, { ...again, [question]: 'plain', locode: 'plain' }),
  ];
}

/** The same with every row collected on another day, for another intent. */
const collectedAgain = (job: Job, rows: readonly unknown[][]): unknown[][] =>
  rows.map((row) =>
    job.dataset.columns.map(({ name }, i) => (name === 'collection_date' ? '2026-11-14' : name === 'intent' ? 'compare' : row[i])),
  );

const newJob = (changes: Partial<Job> = {}): Job => {
  const job = jobOf(changes);
  return { ...job, connection: job.name };
};

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createDatabaseBefore('0013');
  pool = createPool(new Secret(database.url), { applicationName: 'test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const published = DATASETS.map((dataset) => newJob({ dataset }));
const beside = newJob({ accountId: published[0]?.accountId ?? 0 });
const [loading, held, replayed] = [newJob(), newJob(), newJob()];
const quarantined = wireRow(replayed, { query: 'decodes now' });

/** All rows of the table of a job's account, without what the migration may change, in a steady order. */
async function valuesOf(job: Job): Promise<unknown[]> {
  const { rows } = await pool.query<{ row: Record<string, unknown> }>(
    `SELECT to_jsonb(t) - '_key' - '_occurrence' AS row FROM search."${job.dataset.name}" t WHERE account_id = $1 ORDER BY 1`,
    [job.accountId],
  );
  return rows.map(({ row }) => row);
}

/** The keys and numbers that this release gives rows. */
function expectedKeys(job: Job, rows: readonly unknown[][]): string[] {
  const { copyData } = decodePage(createDecoder(job.dataset, schemaOf(job.dataset)), rows, 1);
  const counts = new Map<string, number>();
  for (const key of keysIn(copyData)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const inOrder = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return inOrder.flatMap(([key, count]) => Array.from({ length: count }, (_, i) => `${key} ${i + 1}`));
}

/** The keys of rows for COPY: 16 bytes before the numbers of page and position. */
function keysIn(copyData: Buffer): string[] {
  const keys: string[] = [];
  for (let at = 0; at < copyData.length; ) {
    const columns = copyData.readInt16BE(at);
    at += 2;
    for (let column = 0; column < columns; column += 1) {
      const length = copyData.readInt32BE(at);
      at += 4;
      if (column === columns - 3) keys.push(copyData.toString('hex', at, at + length));
      at += Math.max(0, length);
    }
  }
  return keys;
}

async function keysOf(job: Job): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    `SELECT replace(_key::text, '-', '') || ' ' || _occurrence AS key FROM search."${job.dataset.name}" WHERE account_id = $1 ORDER BY _key, _occurrence`,
    [job.accountId],
  );
  return rows.map(({ key }) => key);
}

describe('a warehouse with keys of version 1', () => {
  const before = new Map<Job, unknown[]>();

  it('has rows of every dataset, a load under way and a held one', async () => {
    await inTransaction(pool, async (client) => {
      for (const job of published) await insertOldRows(client, pool, job, rowsOf(job));
      // Of another job, and collected on yet another day: not the same rows to version 1.
      await insertOldRows(client, pool, beside, collectedAgain(beside, rowsOf(beside)));
      const begun = await insertOldExecution(client, loading, 'loading', rowsOf(loading).length);
      await stageOldRows(client, loading.dataset, begun.id, rowsOf(loading));
      for (const job of [held, replayed]) {
        const kept = await insertOldExecution(client, job, 'held', rowsOf(job).length);
        await stageOldRows(client, job.dataset, kept.id, rowsOf(job));
        if (job === held) continue;
        await client.query('UPDATE searchmill.executions SET rows_received = rows_received + 1, rows_quarantined = 1 WHERE id = $1', [
          kept.id,
        ]);
        await client.query(
          `INSERT INTO searchmill.quarantined_rows (execution_id, page, position, reason, raw, schema_names) VALUES ($1, 1, 999, 'odd', $2, $3)`,
          [kept.id, JSON.stringify(quarantined), job.dataset.columns.map(({ name }) => name)],
        );
      }
    });
    for (const job of published) before.set(job, await valuesOf(job));
    const [first] = published as [Job];
    expect(before.get(first)).toHaveLength(2 * rowsOf(first).length);
    expect((await keysOf(first)).join()).toContain(versionOneKey(first.dataset, rowsOf(first)[0] ?? []));
  });

  it('has all rows as they were after the migration, with keys and numbers of version 2', async () => {
    expect(await migrate(new Secret(database.url))).toContain('0013_row_keys');
    for (const job of published) {
      expect(await valuesOf(job)).toEqual(before.get(job));
      const rows = job === published[0] ? [...rowsOf(job), ...collectedAgain(beside, rowsOf(beside))] : rowsOf(job);
      expect(await keysOf(job)).toEqual(expectedKeys(job, rows));
    }
  });

  it('is not changed by an answer that is loaded again, whatever its order', async () => {
    for (const job of published.slice(1)) {
      const rows = rowsOf(job);
      expect(await loadWindow(pool, job, rows.toReversed())).toEqual({ inserted: 0, updated: 0, deleted: 0, unchanged: rows.length });
    }
  });

  it('has rows that were collected again updated, not inserted and deleted', async () => {
    for (const job of published.slice(1)) {
      const rows = rowsOf(job);
      expect(await loadWindow(pool, job, collectedAgain(job, rows))).toEqual({
        inserted: 0,
        updated: rows.length,
        deleted: 0,
        unchanged: 0,
      });
    }
  });

  it('has of a key that two jobs share the rows of the one that loads it next', async () => {
    const [job] = published as [Job];
    await loadWindow(pool, job, rowsOf(job));
    expect(await keysOf(job)).toEqual(expectedKeys(job, rowsOf(job)));
  });

  it.each([
    ['a load that was under way goes on and', loading, [wireRow(loading, { query: 'last' })]],
    ['a held load that is approved', held, []],
    ['a held load whose quarantine is replayed', replayed, [quarantined]],
  ] as const)('%s is published with keys of version 2', async (_, job, more) => {
    const { rows: live } = await pool.query<{ id: number; slice_id: number; key_version: number }>(
      `SELECT e.id, slice_id, key_version FROM searchmill.executions e JOIN searchmill.slices s ON s.id = slice_id WHERE s.job = $1`,
      [job.name],
    );
    expect(live).toMatchObject([{ key_version: 1 }]);
    const { id = 0, slice_id: slice = 0 } = live[0] ?? {};
    if (job === held) await approveHeld(pool, slice);
    if (job === replayed) expect(await replayQuarantine(pool, id)).toMatchObject({ replayed: 1, state: 'staged' });
    await drive(pool, pipelineOn(pool, scriptService(schemaOf(job.dataset), [rowsOf(job), more])), job.name);
    const rows = [...rowsOf(job), ...more];
    expect(await keysOf(job)).toEqual(expectedKeys(job, rows));
    expect(await loadWindow(pool, job, rows)).toEqual({ inserted: 0, updated: 0, deleted: 0, unchanged: rows.length });
    expect(await findBrokenInvariants(pool)).toEqual([]);
  });
});

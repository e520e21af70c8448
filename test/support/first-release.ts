// Release 1.0.0: its schema, for upgrades of warehouses that it made. Its migrations are frozen; its views and functions are kept in test/fixtures.
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from '../../src/postgres/pool.ts';
import { MIGRATIONS_FOLDER } from '../../src/postgres/schema/migration-files.ts';

const LAST_MIGRATION = '0007_summaries.sql';
const DEFINITIONS = new URL('../fixtures/release-1.0.0', import.meta.url).pathname;

/** By subject, in the order of storing. */
const SUMMARIES: Readonly<Record<string, readonly string[]>> = {
  rankings: ['ranking_searches', 'ranking_sites', 'ranking_totals', 'ranking_groups', 'ranking_pages'],
  answers: ['ai_answers', 'ai_spellings'],
  citations: ['ai_citation_sites', 'ai_citation_totals', 'ai_cited_pages'],
  sentiments: ['ai_sentiments'],
  fan_out: ['ai_fan_out'],
};

/** The folder of its migrations, for migrate(). The caller removes it. */
export async function firstReleaseMigrations(): Promise<Readonly<{ folder: string; remove: () => Promise<void> }>> {
  const folder = await mkdtemp(join(tmpdir(), 'searchmill-1.0.0-'));
  for (const file of await readdir(MIGRATIONS_FOLDER))
    if (file.endsWith('.sql') && file <= LAST_MIGRATION) await cp(join(MIGRATIONS_FOLDER, file), join(folder, file));
  await cp(DEFINITIONS, join(folder, 'repeatable'), { recursive: true });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Stores all marked weeks as 1.0.0 did. */
export async function storeAsFirstRelease(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ subject: string; account_id: string; week: string }>(
    'SELECT subject, account_id::text, week::text FROM searchmill.stale_weeks GROUP BY 1, 2, 3 ORDER BY subject = $1 DESC',
    ['citations'],
  );
  for (const { subject, account_id: account, week } of rows) {
    await pool.query('DELETE FROM searchmill.stale_weeks WHERE subject = $1 AND account_id = $2 AND week = $3', [subject, account, week]);
    for (const summary of SUMMARIES[subject] ?? []) {
      await pool.query(`DELETE FROM search_stored.${summary} WHERE account_id = $1 AND week = $2`, [account, week]);
      await pool.query(`INSERT INTO search_stored.${summary} SELECT * FROM search_reports.compute_${summary}($1, $2)`, [account, week]);
    }
  }
}

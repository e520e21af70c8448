// Weeks that are not published (any more), for tests of what readers see of them.
import type { Pool } from '../../src/postgres/pool.ts';

type Published = Readonly<{ id: number; at: Date; by: number }>;
export type Unpublished = Readonly<{ count: number; restore: () => Promise<void> }>;

/** Takes back the publications of slices that meet a condition on searchmill.slices. `restore` publishes them again, as they were. */
export async function unpublish(pool: Pool, condition: string): Promise<Unpublished> {
  const { rows } = await pool.query<Published>(
    `SELECT id, published_at AS at, published_execution_id AS by FROM searchmill.slices WHERE ${condition}`,
  );
  await pool.query(`UPDATE searchmill.slices SET published_at = NULL, published_execution_id = NULL WHERE ${condition}`);
  return {
    count: rows.length,
    async restore() {
      for (const { id, at, by } of rows)
        await pool.query('UPDATE searchmill.slices SET published_at = $2, published_execution_id = $3 WHERE id = $1', [id, at, by]);
    },
  };
}

/** Marks the searches of a week as being summarised. */
export async function markSummarising(pool: Pool, account: string, week: string): Promise<void> {
  await pool.query("INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live) VALUES ('rankings', $1, $2, false)", [
    account,
    week,
  ]);
}

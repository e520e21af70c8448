// What people do to the tables by hand while everything runs: triggers that skip rows for a while, and deletions. What they did is undone in the calm, by what
// Searchmill itself advises.
import { setTimeout as delay } from 'node:timers/promises';
import { DATASETS } from '../../src/datasets/index.ts';
import { approveHeld } from '../../src/ledger/endings.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { pick } from './chance.ts';
import { LONGEST_RELOAD_MS, type OperatorOptions, runVerb } from './operator.ts';

const TRIGGER = 'chaos_skips_rows';
const MAX_ROUNDS = 4;
const RETRY_MS = 500;

/** A slice keeps its number while names go round. */
type Deleted = Readonly<{ id: string; job: string; window: string; publishedAt: Date }>;
type Verified = Readonly<{ differences: readonly { job: string; week: string }[]; remedies: readonly string[] }>;

export class Hands {
  readonly #pool: Pool;
  readonly #tell: (line: string) => void;
  readonly #deleted: Deleted[] = [];

  constructor(pool: Pool, tell: (line: string) => void) {
    this.#pool = pool;
    this.#tell = tell;
  }

  /** Whether a slice lacks rows by hand, and is not loaded again yet. */
  isLacking(slice: string): boolean {
    return this.#deleted.some(({ id }) => id === slice);
  }

  /** Every other row of one kind of statement is skipped from now on. */
  async skipRows(random: () => number): Promise<void> {
    const [{ name }, event] = [pick(random, DATASETS), pick(random, ['INSERT', 'INSERT', 'UPDATE', 'DELETE'])];
    await this.#pool.query(
      `CREATE OR REPLACE FUNCTION public.${TRIGGER}() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN IF random() < 0.5 THEN RETURN NULL; END IF; RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END; END $$;
       CREATE OR REPLACE TRIGGER ${TRIGGER} BEFORE ${event} ON search.${name} FOR EACH ROW EXECUTE FUNCTION public.${TRIGGER}()`,
    );
    this.#tell(`  ${event} on ${name} skips rows`);
  }

  async skipNoRows(): Promise<void> {
    await this.#pool.query(`DROP FUNCTION IF EXISTS public.${TRIGGER} CASCADE`);
  }

  /** All rows of one published slice, or one of them. */
  async deleteRows(random: () => number): Promise<void> {
    const [choice, isWhole] = [random(), random() < 0.5];
    const { rows } = await this.#pool.query<Deleted & { dataset: string }>(
      `SELECT id::text, dataset, job, window_start || '..' || window_end AS window, published_at AS "publishedAt"
         FROM searchmill.slices WHERE published_rows > 0 ORDER BY slices.id`,
    );
    if (rows.length === 0) return;
    const { dataset, ...slice } = pick(() => choice, rows);
    // Noted first, since a reader that looks in between would report the loss.
    this.#deleted.push(slice);
    const { rowCount } = await this.#pool.query(
      `DELETE FROM search.${dataset} WHERE _slice = $1 AND ($2 OR ctid IN (SELECT ctid FROM search.${dataset} WHERE _slice = $1 LIMIT 1))`,
      [slice.id, isWhole],
    );
    this.#tell(`  ${rowCount} rows of ${slice.job} ${slice.window} deleted`);
  }

  /** Takes triggers off, also where the database is away for a moment. */
  async takeOff(): Promise<void> {
    await untilDone(() => this.skipNoRows());
  }

  /** Approves loads that are held since a trigger skipped rows. */
  async approveUnwritten(): Promise<void> {
    const { rows } = await this.#pool.query<{ id: number }>(
      `SELECT id FROM searchmill.executions WHERE state = 'held' AND objections @> '[{"rule": "written"}]'`,
    );
    for (const { id } of rows) await approveHeld(this.#pool, { executionId: id });
  }

  /**
   * Has verify name what is not as published, and does what it advises until all is. Returns complaints: deletions that it did not name, though nothing
   * was published since.
   */
  async mend(operator: OperatorOptions): Promise<string[]> {
    const complaints: string[] = [];
    for (let round = 1; ; round += 1) {
      const { differences, remedies } = JSON.parse(await runVerb(['verify', '--json'], operator, [0, 1])) as Verified;
      if (round === 1) complaints.push(...(await this.#findUnnamed(differences)));
      this.#tell(`operator: verify names ${differences.length} weeks`);
      if (remedies.length === 0) break;
      if (round === MAX_ROUNDS)
        return [...complaints, `verify still names ${differences.length} weeks after ${round} rounds of what it advises`];
      // How the program is called stands before the verb.
      for (const remedy of remedies) await runVerb(remedy.slice(remedy.indexOf('backfill ')).split(' '), operator, [0], LONGEST_RELOAD_MS);
    }
    this.#deleted.length = 0;
    return complaints;
  }

  async #findUnnamed(differences: Verified['differences']): Promise<string[]> {
    const { rows } = await this.#pool.query<{ id: string; job: string; week: string; publishedAt: Date }>(
      'SELECT id::text, job, window_start AS week, published_at AS "publishedAt" FROM searchmill.slices WHERE published_at IS NOT NULL',
    );
    return this.#deleted.flatMap(({ id, window, publishedAt }) => {
      const now = rows.find((slice) => slice.id === id);
      if (now?.publishedAt.getTime() !== publishedAt.getTime()) return [];
      const isNamed = differences.some(({ job, week }) => job === now.job && week === now.week);
      return isNamed ? [] : [`verify does not name ${now.job} ${window}, of which rows were deleted by hand`];
    });
  }
}

async function untilDone(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 20) throw error;
      await delay(RETRY_MS);
    }
  }
}

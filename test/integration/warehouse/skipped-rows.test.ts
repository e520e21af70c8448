// What people put on the seven tables may keep a publication from writing what it means to write. It is then undone and held, and says what it was.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createPanelPool } from '../../../src/dashboards/run-panels.ts';
import { approveHeld } from '../../../src/ledger/endings.ts';
import type { Execution } from '../../../src/ledger/executions.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { listQuarantine, replayQuarantine } from '../../../src/publishing/quarantine.ts';
import { findAdditions, UnwrittenRowsError } from '../../../src/tables/written-rows.ts';
import { asLogin } from '../../support/database-access.ts';
import { drive, pipelineOn } from '../../support/drive.ts';
import { keepingOf, weekly } from '../../support/kept-weeks.ts';
import { jobOf, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { scriptService } from '../../support/scripted-service.ts';
import { loadWindow, planLoads, publish, stageWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const TABLE = 'search.keyword_rankings';
const PARTITION = 'search_partitions.keyword_rankings_2026_11';
const row = (job: Job, query: string, rank = 1): unknown[] => wireRow(job, { query, rank_standard: String(rank) });
const ranks = async (job: Job): Promise<unknown[]> =>
  (await publishedRows(ledger.pool, job, ['query', 'rank_standard'])).map(({ query, rank_standard }) => `${query} ${rank_standard}`);
const newJob = (): Job => {
  const job = jobOf({ minKeepShare: 0 });
  return { ...job, connection: job.name };
};

/** Loads an answer through the pipeline until it is published or held. */
async function load(job: Job, rows: readonly unknown[]): Promise<void> {
  await planLoads(ledger.pool, job, [{ window: WEEK, reason: 'backfill' }]);
  await drive(ledger.pool, pipelineOn(ledger.pool, scriptService(schemaOf(job.dataset), [rows], 0)), job.name);
}

/** Why what was loaded last is held; undefined when it is published. */
async function objectionsOf(job: Job): Promise<unknown> {
  const { rows } = await ledger.pool.query<{ state: string; objections: unknown }>(
    `SELECT e.state, e.objections FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1 ORDER BY e.id DESC LIMIT 1`,
    [job.name],
  );
  return rows[0]?.state === 'held' ? rows[0].objections : undefined;
}

/** `work` while a trigger runs `body` for rows of a job. */
async function withTrigger(job: Job, events: string, body: string, work: (name: string) => Promise<void>): Promise<void> {
  const name = `legal_hold_${randomBytes(4).toString('hex')}`;
  await ledger.pool.query(
    `CREATE FUNCTION public.${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
     CREATE TRIGGER ${name} ${events} ON ${TABLE} FOR EACH ROW EXECUTE FUNCTION public.${name}()`.replaceAll(
      ':account',
      String(job.accountId),
    ),
  );
  try {
    await work(name);
  } finally {
    await ledger.pool.query(`DROP FUNCTION public.${name} CASCADE`);
  }
}

describe('rows that the table does not take', () => {
  const first = (job: Job) => [row(job, 'a'), row(job, 'b'), row(job, 'c')];
  const restated = (job: Job) => [row(job, 'a', 2), row(job, 'b'), row(job, 'd')];
  /** A job whose week is published, and restated while a trigger is there; `check` looks at it then. */
  const restateUnder = async (events: string, body: string, check: (job: Job, name: string) => Promise<void>): Promise<Job> => {
    const job = newJob();
    await load(job, first(job));
    await withTrigger(job, events, body, async (name) => {
      await load(job, restated(job));
      await check(job, name);
    });
    return job;
  };

  it.each([
    ['BEFORE UPDATE', 'UPDATE', 'IF OLD.account_id = :account THEN RETURN NULL; END IF; RETURN NEW;'],
    ['BEFORE DELETE', 'DELETE', 'IF OLD.account_id = :account THEN RETURN NULL; END IF; RETURN OLD;'],
    ['BEFORE INSERT', 'INSERT', `IF NEW.account_id = :account AND NEW.query = 'd' THEN RETURN NULL; END IF; RETURN NEW;`],
  ])('%s: a restated week is held whole, names the trigger, and is published when it is gone', async (events, statement, body) => {
    const restatedJob = await restateUnder(events, body, async (job, name) => {
      expect(await objectionsOf(job)).toEqual([
        {
          rule: 'written',
          message: expect.stringMatching(
            new RegExp(
              `^${statement} on search\\."?keyword_rankings"? touched 0 rows where 1 were meant, .*trigger ${name} on ${TABLE} \\(${events}`,
            ),
          ) as string,
        },
      ]);
      expect(await ranks(job)).toEqual(['a 1', 'b 1', 'c 1']);
      // Nothing has changed: the load is held again, and not published by the approval.
      await approveHeld(ledger.pool, job.name);
      await drive(ledger.pool, pipelineOn(ledger.pool, scriptService(schemaOf(job.dataset), [[]], 0)), job.name);
      expect(await objectionsOf(job)).toMatchObject([{ rule: 'written' }]);
    });
    await approveHeld(ledger.pool, restatedJob.name);
    await drive(ledger.pool, pipelineOn(ledger.pool, scriptService(schemaOf(restatedJob.dataset), [[]], 0)), restatedJob.name);
    expect(await objectionsOf(restatedJob)).toBeUndefined();
    expect(await ranks(restatedJob)).toEqual(['a 2', 'b 1', 'd 1']);
  });

  // Postgres counts the rows that were meant, and the table has others.
  it.each([
    ['puts the old row back', 'BEFORE UPDATE', 'IF OLD.account_id = :account THEN RETURN OLD; END IF; RETURN NEW;'],
    ['changes a value', 'BEFORE INSERT', 'IF NEW.account_id = :account THEN NEW.rank_standard := 99; END IF; RETURN NEW;'],
    ['deletes what was inserted', 'AFTER INSERT', `DELETE FROM ${TABLE} WHERE account_id = :account AND _key = NEW._key; RETURN NULL;`],
    ['inserts what was deleted', 'AFTER DELETE', `INSERT INTO ${TABLE} SELECT OLD.* WHERE OLD.account_id = :account; RETURN NULL;`],
  ])('a trigger that %s holds the load', async (_, events, body) => {
    await restateUnder(events, body, async (job, name) => {
      expect(await objectionsOf(job)).toMatchObject([
        { rule: 'written', message: expect.stringMatching(new RegExp(`after all was written, so all was undone; .*trigger ${name}`)) },
      ]);
      expect(await ranks(job)).toEqual(['a 1', 'b 1', 'c 1']);
    });
  });

  it('a trigger of a partition that waits for the commit holds the load', async () => {
    const job = newJob();
    await load(job, first(job));
    const name = `late_${randomBytes(4).toString('hex')}`;
    await ledger.pool.query(
      `CREATE FUNCTION public.${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         DELETE FROM ${TABLE} WHERE account_id = NEW.account_id AND _key = NEW._key AND account_id = ${job.accountId}; RETURN NULL; END $$;
       CREATE CONSTRAINT TRIGGER ${name} AFTER INSERT ON ${PARTITION} DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION public.${name}()`,
    );
    try {
      await load(job, restated(job));
      expect(await objectionsOf(job)).toMatchObject([
        { rule: 'written', message: expect.stringContaining(`trigger ${name} on ${PARTITION}`) },
      ]);
      expect(await ranks(job)).toEqual(['a 1', 'b 1', 'c 1']);
    } finally {
      await ledger.pool.query(`DROP FUNCTION public.${name} CASCADE`);
    }
  });

  it.each([
    ['INSERT', 'INSERT INTO public.elsewhere SELECT NEW.*'],
    ['UPDATE', 'UPDATE public.elsewhere SET rank_standard = NEW.rank_standard WHERE account_id = OLD.account_id AND _key = OLD._key'],
  ])('a rule that redirects %s to another table holds the load', async (statement, instead) => {
    const job = newJob();
    await load(job, first(job));
    await ledger.pool.query(
      `CREATE TABLE public.elsewhere AS TABLE ${TABLE}; CREATE RULE elsewhere AS ON ${statement} TO ${TABLE} DO INSTEAD ${instead}`,
    );
    try {
      await load(job, restated(job));
      expect(await objectionsOf(job)).toMatchObject([{ rule: 'written', message: expect.stringContaining(`rule elsewhere on ${TABLE}`) }]);
      expect(await ranks(job)).toEqual(['a 1', 'b 1', 'c 1']);
    } finally {
      await ledger.pool.query(`DROP RULE elsewhere ON ${TABLE}; DROP TABLE public.elsewhere`);
    }
  });

  it('a trigger that changes only columns of its own lets rows pass', async () => {
    await ledger.pool.query(`ALTER TABLE ${TABLE} ADD COLUMN of_ours text`);
    try {
      await restateUnder('BEFORE INSERT OR UPDATE', `NEW.of_ours := 'seen'; RETURN NEW;`, async (job) => {
        expect(await objectionsOf(job)).toBeUndefined();
        expect(await ranks(job)).toEqual(['a 2', 'b 1', 'd 1']);
      });
    } finally {
      await ledger.pool.query(`ALTER TABLE ${TABLE} DROP COLUMN of_ours`);
    }
  });

  it('a first week in which a trigger skips rows is held', async () => {
    const job = newJob();
    await withTrigger(job, 'BEFORE INSERT', `IF NEW.query = 'b' THEN RETURN NULL; END IF; RETURN NEW;`, async (name) => {
      await load(job, first(job));
      expect(await objectionsOf(job)).toMatchObject([
        { rule: 'written', message: expect.stringContaining('touched 2 rows where 3 were meant') },
      ]);
      expect(JSON.stringify(await objectionsOf(job))).toContain(`ALTER TABLE ${TABLE} DISABLE TRIGGER ${name}`);
      expect(await ranks(job)).toEqual([]);
    });
  });

  it('a row of another job that cannot be reassigned holds the load', async () => {
    const job = newJob();
    await load(job, first(job));
    const other = { ...newJob(), accountId: job.accountId, filtersDigest: 'other' };
    await withTrigger(job, 'BEFORE UPDATE', 'IF OLD.account_id = :account THEN RETURN NULL; END IF; RETURN NEW;', async () => {
      await load(other, first(job));
      expect(await objectionsOf(other)).toMatchObject([
        { rule: 'written', message: expect.stringContaining('touched 0 rows where 3 were meant') },
      ]);
    });
  });

  it.each(['INSERT', 'UPDATE', 'DELETE'])('a rule instead of %s holds the load', async (statement) => {
    const job = newJob();
    await load(job, first(job));
    await ledger.pool.query(`CREATE RULE kept AS ON ${statement} TO ${TABLE} DO INSTEAD NOTHING`);
    try {
      await load(job, restated(job));
      expect(await objectionsOf(job)).toMatchObject([
        { rule: 'written', message: expect.stringContaining(`rule kept on ${TABLE} (ON ${statement}`) },
      ]);
      expect(await ranks(job)).toEqual(['a 1', 'b 1', 'c 1']);
    } finally {
      await ledger.pool.query(`DROP RULE kept ON ${TABLE}`);
    }
  });

  it.each([
    ['INSERT', 'b'],
    ['UPDATE', 'a'],
  ])('a replay whose %s is skipped is undone: the rows stay in quarantine', async (event, query) => {
    const job = newJob();
    const bad = (of: string): unknown[] => wireRow(job, { query: of, rank_standard: 'not yet' });
    const execution = await stageWindow(ledger.pool, job, [[row(job, 'z'), bad('a'), bad('b')]]);
    await publish(ledger.pool, job, execution);
    if (event === 'UPDATE') {
      const other = { ...newJob(), accountId: job.accountId, filtersDigest: 'other' };
      await loadWindow(ledger.pool, other, [row(job, 'a', 1)]);
    }
    await ledger.pool.query(`UPDATE searchmill.quarantined_rows SET raw = replace(raw, '"not yet"', '"7"') WHERE execution_id = $1`, [
      execution.id,
    ]);
    const body = `IF NEW.account_id = :account AND NEW.query = '${query}' THEN RETURN NULL; END IF; RETURN NEW;`;
    const rows = await ranks(job);
    await withTrigger(job, `BEFORE ${event}`, body, async (name) => {
      const replaying = replayQuarantine(ledger.pool, execution.id);
      await expect(replaying).rejects.toThrow(UnwrittenRowsError);
      await expect(replaying).rejects.toThrow(name);
      expect(await ranks(job)).toEqual(rows);
      expect(await listQuarantine(ledger.pool, job.name)).toMatchObject([{ rows: 2 }]);
    });
    expect(await replayQuarantine(ledger.pool, execution.id)).toMatchObject({ replayed: 2 });
  });

  it('keep_weeks removes nothing of a month when a trigger keeps the rows that straddle its end', async () => {
    const { load: loadWeeks, expire, partitionsFrom } = keepingOf(ledger);
    const job = jobOf({ since: '1990-01-07', keepWeeks: 6 });
    const windows = weekly('1990-01-07', 12);
    await loadWeeks(job, windows);
    await withTrigger(job, 'BEFORE DELETE', 'RETURN NULL;', async () => {
      await expect(expire([job], windows.at(-1)?.start ?? '')).rejects.toThrow(
        /touched 0 rows where 1 were meant, so all was undone; there are trigger/,
      );
      expect(await partitionsFrom('1990-01-01', '1990-02-01')).toEqual(['keyword_rankings_1990_01']);
    });
    expect(await expire([job], windows.at(-1)?.start ?? '')).toEqual(['keyword_rankings_1990_01']);
  });
});

describe('row level security', () => {
  it('is an error for logins that load, since hidden rows would be taken for missing, and hides rows from readers of boards', async () => {
    const job = newJob();
    await load(job, [row(job, 'a')]);
    const role = `policed_${randomBytes(4).toString('hex')}`;
    const url = new Secret(asLogin(ledger.url, role));
    await ledger.pool.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'test' IN ROLE searchmill_writer;
       ALTER TABLE ${TABLE} ENABLE ROW LEVEL SECURITY; CREATE POLICY one_account ON ${TABLE} USING (account_id = 0)`,
    );
    let staged: Execution | undefined;
    const [loader, boards] = [createPool(url, { applicationName: 'test' }), createPanelPool(url)];
    try {
      await expect(loader.query(`SELECT FROM ${TABLE}`)).rejects.toThrow('row-level security policy');
      staged = await stageWindow(loader, job, [[row(job, 'a', 2)]]);
      await expect(publish(loader, job, staged)).rejects.toThrow('row-level security policy');
      expect((await boards.query(`SELECT FROM ${TABLE}`)).rowCount).toBe(0);
    } finally {
      await Promise.all([loader.end(), boards.end()]);
      await ledger.pool.query(
        `DROP POLICY one_account ON ${TABLE}; ALTER TABLE ${TABLE} DISABLE ROW LEVEL SECURITY;
         REASSIGN OWNED BY ${role} TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`,
      );
    }
    expect(await ranks(job)).toEqual(['a 1']);
    if (staged) await publish(ledger.pool, job, staged);
    expect(await ranks(job)).toEqual(['a 2']);
  });
});

describe('a statement trigger on a table', () => {
  it('fires once for each publication that inserts, also of a week in one month, and for no other', async () => {
    const job = newJob();
    await load(job, [row(job, 'a')]);
    const other = newJob();
    await ledger.pool.query(
      `CREATE TABLE public.heard (rows bigint);
       CREATE FUNCTION public.hear() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.heard SELECT count(*) FROM added; RETURN NULL; END $$;
       CREATE TRIGGER hear AFTER INSERT ON ${TABLE} REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.hear();
       CREATE FUNCTION public.overhear() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.heard VALUES (-1); RETURN NULL; END $$;
       CREATE TRIGGER overhear AFTER DELETE ON ${TABLE} FOR EACH STATEMENT EXECUTE FUNCTION public.overhear()`,
    );
    try {
      await load(other, [row(other, 'a'), row(other, 'b')]);
      await load(job, [row(job, 'a')]);
      await load(job, [row(job, 'a'), row(job, 'b'), row(job, 'c'), row(job, 'd')]);
      expect((await ledger.pool.query('SELECT rows FROM public.heard')).rows).toEqual([{ rows: 2 }, { rows: 3 }]);
    } finally {
      await ledger.pool.query('DROP FUNCTION public.hear, public.overhear CASCADE; DROP TABLE public.heard');
    }
  });
});

describe('what people have put on the tables', () => {
  it('is found with its kind, name and table, and nothing is found at first', async () => {
    expect(await findAdditions(ledger.pool)).toEqual([]);
    const job = newJob();
    await load(job, [row(job, 'a')]);
    const client = await ledger.pool.connect();
    await client.query('BEGIN');
    await client.query(
      `CREATE FUNCTION public.nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
       CREATE TRIGGER each BEFORE UPDATE ON ${TABLE} FOR EACH ROW EXECUTE FUNCTION public.nothing();
       CREATE TRIGGER off BEFORE UPDATE ON ${TABLE} FOR EACH ROW EXECUTE FUNCTION public.nothing(); ALTER TABLE ${TABLE} DISABLE TRIGGER off;
       CREATE RULE kept AS ON DELETE TO ${PARTITION} DO INSTEAD NOTHING;
       CREATE TABLE public.sites (name text PRIMARY KEY);
       ALTER TABLE ${TABLE} ADD FOREIGN KEY (root_domain) REFERENCES public.sites, ADD CHECK (rank_standard > 0), ADD COLUMN owner text, ADD COLUMN team text NOT NULL DEFAULT '';
       ALTER TABLE ${TABLE} ALTER COLUMN query SET NOT NULL;
       CREATE UNIQUE INDEX once ON search.ai_search_brands (account_id, time_period_start, prompt);
       ALTER TABLE search.ai_search_response ENABLE ROW LEVEL SECURITY; CREATE POLICY mine ON search.ai_search_response USING (account_id = 1)`,
    );
    const found = await findAdditions(client as never);
    await client.query('ROLLBACK');
    client.release();
    expect(found.map(({ relation, kind, name }) => `${kind} ${name} on ${relation}`)).toEqual([
      'index search.once on search.ai_search_brands',
      'policy mine on search.ai_search_response',
      `column query on ${TABLE}`,
      `constraint keyword_rankings_rank_standard_check on ${TABLE}`,
      `foreign key keyword_rankings_root_domain_fkey on ${TABLE}`,
      `trigger each on ${TABLE}`,
      `rule kept on ${PARTITION}`,
    ]);
    expect(found.find(({ kind }) => kind === 'policy')?.detail).toBe('PERMISSIVE USING (account_id = 1)');
  });
});

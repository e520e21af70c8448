// The summaries in single steps: what marks a week, who refreshes it, and what readers see when that fails.
import { describe, expect, inject, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { markRemovedJobs } from '../../../src/ledger/jobs.ts';
import { auditAndPublish } from '../../../src/pipeline/publish.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import { findProblems } from '../../../src/problems/find-problems.ts';
import { adoptSetting } from '../../../src/reports/account-settings.ts';
import { createAdoption } from '../../../src/reports/adoption.ts';
import { readFailingReports } from '../../../src/reports/failures.ts';
import { configuredDomains } from '../../../src/reports/own-domains.ts';
import { beginRebuild, checkReports, rebuild } from '../../../src/reports/rebuild.ts';
import { refreshWeek, sweepReports } from '../../../src/reports/refresh.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { pipelineOn } from '../../support/drive.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { quiet } from '../../support/status-rows.ts';
import { loadWindow, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';
import { findWrongWeeks } from '../../support/wrong-weeks.ts';

const ledger = useLedger();
/** On a cluster readers leave marked weeks out, and no trigger stores totals. */
const isCluster = inject('servers').citusWorkers.length > 0;
const never = new AbortController().signal;
const noClient = {} as ServiceClient;

const row = (job: Job, query: string, rank: string): unknown[] =>
  wireRow(job, {
    query,
    rank_true: rank,
    rank_standard: rank,
    root_domain: 'acme.com',
    subdomain: 'www.acme.com',
    average_search_volume: '10',
  });

async function marksOf(job: Job): Promise<Record<string, unknown>[]> {
  const { rows } = await ledger.pool.query<Record<string, unknown>>(
    'SELECT subject, week, is_live, failures FROM searchmill.stale_weeks WHERE account_id = $1 ORDER BY id',
    [job.accountId],
  );
  return rows;
}

const storedSearches = async (job: Job): Promise<number> => {
  const sql = 'SELECT count(*) AS n FROM search_stored.search_facts WHERE account_id = $1';
  return (await ledger.pool.query<{ n: number }>(sql, [job.accountId])).rows[0]?.n ?? 0;
};

/** Sweeps: no week of the job is marked any more, and so many searches of it are stored. */
async function expectSwept(job: Job, searches: number): Promise<void> {
  await sweepReports(ledger.pool, never);
  expect([await marksOf(job), await storedSearches(job)]).toEqual([[], searches]);
}

const weekOf = (job: Job) => ({ subject: 'rankings', accountId: String(job.accountId), week: WEEK.start }) as const;

describe('publishing', () => {
  it('marks the week it changes, and nothing when the same answer comes again', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const rows = [row(job, 'a', '1'), row(job, 'b', '2')];
    await loadWindow(pool, job, rows);
    expect(await marksOf(job)).toEqual([{ subject: 'rankings', week: WEEK.start, is_live: true, failures: 0 }]);
    expect(await refreshWeek(pool, weekOf(job))).toBe('stored');
    const versions = async (): Promise<unknown[]> =>
      (await pool.query('SELECT ctid, xmin::text FROM search_stored.search_facts WHERE account_id = $1', [job.accountId])).rows;
    const before = await versions();
    expect(await loadWindow(pool, job, rows)).toMatchObject({ inserted: 0, updated: 0, unchanged: 2, deleted: 0 });
    expect(await marksOf(job)).toEqual([]);
    expect(await versions()).toEqual(before);
  });

  it('marks the week when the same rows come for another question, since facts say what was asked for', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const depths = async (): Promise<unknown[]> =>
      (await pool.query('SELECT last_loaded AS depth FROM search_reports.search_facts WHERE account_id = $1', [job.accountId])).rows;
    for (const [depth, filters] of [
      [null, {}],
      [10, { max_rank: 10 }],
      [null, {}],
    ] as const) {
      await loadWindow(pool, { ...job, filters, filtersDigest: JSON.stringify(filters) }, [row(job, 'a', '1')]);
      expect(await depths()).toEqual(isCluster ? [] : [{ depth }]);
      await sweepReports(pool, never);
      expect(await depths()).toEqual([{ depth }]);
    }
    expect(await checkReports(pool, { accountId: String(job.accountId) })).toMatchObject({ marked: 0, differences: [] });
  });

  it('marks the week of a first answer without rows: what was asked for and is not there is a zero, and was unknown before', async () => {
    const { pool } = ledger;
    const { accountId } = jobOf();
    const of = (dataset: string): Job => jobOf({ accountId, dataset: datasetNamed(dataset) });
    const citations = of('ai_search_citations');
    const known = async (): Promise<unknown[]> =>
      (await pool.query('SELECT citations FROM search_reports.prompt_facts WHERE account_id = $1', [accountId])).rows;
    const responses = of('ai_search_response');
    await loadWindow(pool, responses, [wireRow(responses, { prompt: 'best boots?' })]);
    await sweepReports(pool, never);
    expect(await known()).toEqual([{ citations: null }]);
    await loadWindow(pool, citations, []);
    expect(await known()).toEqual(isCluster ? [] : [{ citations: 0 }]);
    await sweepReports(pool, never);
    expect(await known()).toEqual([{ citations: 0 }]);
  });

  it('leaves the weeks it marked to the next sweep of any process', async () => {
    const { pool } = ledger;
    const job = jobOf({ maxRejectedShare: 1 });
    await auditAndPublish(pipelineOn(pool, noClient), await stageWindow(pool, job, [[row(job, 'a', '1')]]), never);
    expect(await marksOf(job)).toHaveLength(1);
    await expectSwept(job, 1);
  });

  it('is not held back by summaries that cannot be made', async () => {
    const { pool } = ledger;
    const job = jobOf();
    await withBrokenSummaries(async () => {
      await auditAndPublish(pipelineOn(pool, noClient), await stageWindow(pool, job, [[row(job, 'a', '1')]]), never);
      await sweepReports(pool, never);
    });
    expect(await marksOf(job)).toMatchObject([{ failures: 1 }]);
    const { rows } = await pool.query('SELECT query FROM search.keyword_rankings WHERE account_id = $1', [job.accountId]);
    expect(rows).toEqual([{ query: 'a' }]);
    await pool.query('UPDATE searchmill.stale_weeks SET failed_at = NULL');
    await sweepReports(pool, never);
  });

  it('makes readers compute the newest four weeks at most, and leaves out other weeks until they are stored', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const weekFrom = (weeks: number): string => new Date(Date.parse('2025-11-09') + weeks * 7 * 86_400_000).toISOString().slice(0, 10);
    const weeks = Array.from({ length: 52 }, (_, number) => weekFrom(number));
    const live = async (): Promise<unknown[]> =>
      (await pool.query('SELECT week FROM search_reports.live_weeks WHERE account_id = $1 ORDER BY 1', [job.accountId])).rows;
    const of = (some: readonly string[]): unknown[] => some.map((week) => ({ week }));
    const load = async (from: number, to: number, query: string): Promise<void> => {
      const rows = weeks.slice(from, to).map((start) => wireRow(job, { query }, start));
      await loadWindow(pool, job, rows, { start: weekFrom(from), end: windowOfWeeks(weekFrom(to - 1), 1).end });
    };
    for (let from = 0; from < 52; from += 13) await load(from, from + 13, 'a');
    const computed = of(isCluster ? [] : weeks.slice(9, 13));
    expect(await live()).toEqual(computed);
    expect(await findWrongWeeks(pool, [job.accountId], weeks.slice(7, 14))).toEqual([]);
    // A week that readers compute stays computed; a week that they leave out stays left out.
    await load(0, 13, 'b');
    expect(await live()).toEqual(computed);
    expect(await findWrongWeeks(pool, [job.accountId], weeks.slice(7, 14))).toEqual([]);
    const waits = async (): Promise<boolean> => (await marksOf(job)).length > 0;
    while (await waits()) await sweepReports(pool, never);
    await load(0, 13, 'c');
    expect(await live()).toEqual(computed);
    while (await waits()) await sweepReports(pool, never);
    expect(await findWrongWeeks(pool, [job.accountId], weeks.slice(7, 14))).toEqual([]);
  });

  it('marks rows that two subjects are made from once for each', async () => {
    const { pool } = ledger;
    const job = jobOf({ dataset: datasetNamed('ai_search_citations') });
    await loadWindow(pool, job, [wireRow(job, { citation_domain: 'acme.com', citation_attribution: 'You' })]);
    expect((await marksOf(job)).map(({ subject }) => subject)).toEqual(['citations', 'answers']);
    await sweepReports(pool, never);
    expect(await marksOf(job)).toEqual([]);
    const { rows } = await pool.query('SELECT domain, source FROM search_reports.own_domains WHERE account_id = $1', [job.accountId]);
    expect(rows).toEqual([{ domain: 'acme.com', source: 'cited' }]);
  });
});

/** Something makes the summaries of rankings fail while `work` goes on, as a value that nobody thought of. */
async function withBrokenSummaries(work: () => Promise<void>): Promise<void> {
  const { pool } = ledger;
  await pool.query('ALTER TABLE search_stored.search_facts ADD CONSTRAINT broken CHECK (false) NOT VALID');
  try {
    await work();
  } finally {
    await pool.query('ALTER TABLE search_stored.search_facts DROP CONSTRAINT broken');
  }
}

describe('a week that cannot be refreshed', () => {
  it('is left out by readers, told by status, and there again when its refresh succeeds', async () => {
    const { pool } = ledger;
    const job = jobOf();
    await loadWindow(pool, job, [row(job, 'a', '1')]);
    // Citus does not say why a node refuses rows, so that it may pass.
    const failures = isCluster ? 3 : 1;
    await withBrokenSummaries(async () => {
      for (let tries = 0; tries < failures; tries += 1) expect(await refreshWeek(pool, weekOf(job))).toBe('failed');
    });
    expect(await marksOf(job)).toMatchObject([{ is_live: false, failures }]);
    expect(await findWrongWeeks(pool, [job.accountId], [WEEK.start])).toEqual([]);
    const { rows } = await pool.query(
      'SELECT state, is_published, reason FROM search_reports.weeks WHERE account_id = $1 AND dataset = $2',
      [job.accountId, 'keyword_rankings'],
    );
    expect(rows).toEqual([{ state: 'summarising', is_published: true, reason: 'being summarised' }]);
    const failingReports = await readFailingReports(pool);
    const [problem] = findProblems({ ...quiet, coverage: [], failingReports }, new Date());
    expect(problem).toMatchObject({
      needsYou: true,
      title: expect.stringMatching(new RegExp(`leave out rankings of account ${job.accountId}, 1 week \\(${WEEK.start}\\)`)),
      why: [expect.stringContaining('broken')],
    });
    // It waits for a minute for each failure.
    await sweepReports(pool, never);
    expect(await marksOf(job)).toHaveLength(1);
    await pool.query("UPDATE searchmill.stale_weeks SET failed_at = failed_at - interval '181 seconds'");
    await sweepReports(pool, never);
    expect(await marksOf(job)).toEqual([]);
    expect(await readFailingReports(pool)).toEqual([]);
    expect(await findWrongWeeks(pool, [job.accountId], [WEEK.start])).toEqual([]);
  });
});

describe('a refresh', () => {
  it('leaves what is published while it runs to the next', async () => {
    const { pool } = ledger;
    const job = jobOf();
    await loadWindow(pool, job, [row(job, 'a', '1')]);
    const blocker = await pool.connect();
    try {
      // The refresh has seen its marks, and waits before it stores the week.
      await blocker.query('BEGIN; LOCK TABLE search_stored.ranking_pages IN ACCESS EXCLUSIVE MODE');
      const refreshed = refreshWeek(pool, weekOf(job));
      await expect
        .poll(
          async () =>
            (await pool.query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'search_stored.ranking_pages'::regclass")).rowCount,
        )
        .toBeGreaterThan(0);
      await loadWindow(pool, job, [row(job, 'a', '1'), row(job, 'b', '2')]);
      await blocker.query('COMMIT');
      expect(await refreshed).toBe('stored');
    } finally {
      blocker.release();
    }
    expect(await marksOf(job)).toHaveLength(1);
    expect(await storedSearches(job)).toBe(1);
    expect(await findWrongWeeks(pool, [job.accountId], [WEEK.start])).toEqual([]);
    await sweepReports(pool, never);
    expect(await storedSearches(job)).toBe(2);
  });

  it('of the same weeks by many at once stores each once', async () => {
    const { pool } = ledger;
    const job = jobOf();
    for (let round = 0; round < 3; round += 1) {
      await loadWindow(pool, job, [row(job, 'a', '1'), row(job, `b${round}`, '2')]);
      await Promise.all(Array.from({ length: 6 }, () => refreshWeek(pool, weekOf(job))));
      await expectSwept(job, 2);
    }
  });

  it('does not store a week whose own domains change meanwhile', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const places = async (): Promise<unknown[]> =>
      (await pool.query('SELECT own_true FROM search_reports.ranking_searches WHERE account_id = $1', [job.accountId])).rows;
    for (let round = 0; round < 5; round += 1) {
      const ownDomains = round % 2 === 0 ? ['acme.com'] : ['other.com'];
      await loadWindow(pool, job, [row(job, `a${round}`, '1')]);
      await Promise.all([refreshWeek(pool, weekOf(job)), adoptSetting(pool, String(job.accountId), configuredDomains(ownDomains))]);
      await sweepReports(pool, never);
      expect(await marksOf(job)).toEqual([]);
      expect(await places()).toEqual([{ own_true: round % 2 === 0 ? 1 : null }]);
    }
  });
});

describe('own domains', () => {
  const LATER = { start: '2026-11-15', end: '2026-11-21' };
  const citing = (job: Job, domain: string, start: string = WEEK.start): unknown[] =>
    wireRow(job, { prompt: domain, citation_url: `https://${domain}/`, citation_domain: domain, citation_attribution: 'You' }, start);
  const citationsOf = (job: Job, week: string) => ({ subject: 'citations', accountId: String(job.accountId), week }) as const;
  async function domainsOf(job: Job, source: string): Promise<string[]> {
    const sql = 'SELECT domain FROM search_reports.own_domains WHERE account_id = $1 AND source = $2 ORDER BY 1';
    return (await ledger.pool.query<{ domain: string }>(sql, [job.accountId, source])).rows.map(({ domain }) => domain);
  }

  it('are those that the citations of all weeks name, whichever weeks are refreshed, also when refreshed at once', async () => {
    const { pool } = ledger;
    const job = jobOf({ dataset: datasetNamed('ai_search_citations') });
    for (let round = 0; round < 3; round += 1) {
      await loadWindow(pool, job, [citing(job, `a${round}.com`), citing(job, 'www.com'), citing(job, 'www.acme.com')]);
      await loadWindow(pool, job, [citing(job, `b${round}.com`, LATER.start)], LATER);
      const named = [`a${round}.com`, 'acme.com', `b${round}.com`, 'www.com'];
      if (round === 0) expect(await refreshWeek(pool, citationsOf(job, WEEK.start))).toBe('stored');
      else await Promise.all([WEEK.start, LATER.start].map((week) => refreshWeek(pool, citationsOf(job, week))));
      expect(await domainsOf(job, 'cited')).toEqual(named);
      await sweepReports(pool, never);
      expect(await domainsOf(job, 'cited')).toEqual(named);
    }
  });

  it('that are published between the search for them and the refresh are found, too', async () => {
    const { pool } = ledger;
    const job = jobOf({ dataset: datasetNamed('ai_search_citations') });
    await loadWindow(pool, job, [citing(job, 'a.com')]);
    let isPublished = false;
    const connect = async () => {
      if (!isPublished && (await domainsOf(job, 'cited')).length > 0) {
        isPublished = true;
        await loadWindow(pool, job, [citing(job, 'a.com'), citing(job, 'late.com')]);
      }
      return pool.connect();
    };
    const slow: Pool = new Proxy(pool, {
      get: (target, name) => {
        const value: unknown = name === 'connect' ? connect : Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    expect(await refreshWeek(slow, citationsOf(job, WEEK.start))).toBe('stored');
    expect(isPublished).toBe(true);
    expect((await marksOf(job)).filter(({ subject }) => subject === 'citations')).toEqual([]);
    expect(await domainsOf(job, 'cited')).toEqual(['a.com', 'late.com']);
    await sweepReports(pool, never);
  });

  it('are also recognised by the subdomain of a result, and told from other hosts of the same site', async () => {
    const { pool } = ledger;
    const job = jobOf({ ownDomains: ['shop.acme.com'] });
    await adoptSetting(pool, String(job.accountId), configuredDomains(job.ownDomains));
    const hosts = ['www.Shop.acme.com', 'old.shop.acme.com', 'blog.acme.com', 'workshop.acme.com'];
    await loadWindow(
      pool,
      job,
      hosts.map((subdomain, at) =>
        wireRow(job, { query: 'a', rank_true: String(at + 1), root_domain: 'acme.com', subdomain, normalized_url: subdomain }),
      ),
    );
    for (const isStored of isCluster ? [true] : [false, true]) {
      if (isStored) await sweepReports(pool, never);
      const { rows } = await pool.query(
        'SELECT site, is_own, true_1, true_20 FROM search_reports.ranking_sites WHERE account_id = $1 ORDER BY is_own',
        [job.accountId],
      );
      expect(rows).toEqual([
        { site: 'acme.com', is_own: false, true_1: 0, true_20: 2 },
        { site: 'acme.com', is_own: true, true_1: 1, true_20: 2 },
      ]);
      expect(await findWrongWeeks(pool, [job.accountId], [WEEK.start])).toEqual([]);
    }
  });

  it('below a known own domain mark nothing', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const citations = jobOf({ accountId: job.accountId, dataset: datasetNamed('ai_search_citations') });
    await loadWindow(pool, job, [row(job, 'a', '1')]);
    await loadWindow(pool, citations, [citing(citations, 'acme.com')]);
    await sweepReports(pool, never);
    expect(await marksOf(job)).toEqual([]);
    await loadWindow(pool, citations, [citing(citations, 'acme.com'), citing(citations, 'shop.acme.com')]);
    await refreshWeek(pool, citationsOf(job, WEEK.start));
    expect(await domainsOf(job, 'cited')).toEqual(['acme.com', 'shop.acme.com']);
    expect((await marksOf(job)).filter(({ subject }) => subject === 'rankings')).toEqual([]);
    const { rows } = await pool.query('SELECT search_reports.own_patterns($1) AS patterns', [job.accountId]);
    expect(rows).toEqual([{ patterns: ['%.acme.com'] }]);
    await sweepReports(pool, never);
  });

  it('of accounts without jobs are removed, while those of a new account stay', async () => {
    const { pool } = ledger;
    const job = jobOf({ ownDomains: ['acme.com'] });
    const unplanned = jobOf({ ownDomains: ['new.com'] });
    const jobs = [job, unplanned];
    await loadWindow(pool, job, [row(job, 'a', '1')]);
    const adopt = createAdoption(pool, () => ({ jobs, aliases: [] }), never);
    await adopt();
    await sweepReports(pool, never);
    expect([await domainsOf(job, 'configured'), await domainsOf(unplanned, 'configured')]).toEqual([['acme.com'], ['new.com']]);
    const { rows } = await pool.query<{ name: string }>('SELECT name FROM searchmill.jobs WHERE name <> $1', [job.name]);
    await markRemovedJobs(
      pool,
      rows.map(({ name }) => name),
      'test',
    );
    await adopt();
    expect([await domainsOf(job, 'configured'), await domainsOf(unplanned, 'configured')]).toEqual([[], ['new.com']]);
    expect(await marksOf(job)).toMatchObject([{ subject: 'rankings', is_live: false }]);
    await sweepReports(pool, never);
  });
});

describe('a rebuild', () => {
  it('mends rows that were changed by hand, which a check names, and goes on where it was interrupted', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const scope = { accountId: String(job.accountId), dataset: 'keyword_rankings' };
    const later = { start: '2026-11-15', end: '2026-11-21' };
    await loadWindow(pool, job, [row(job, 'a', '1'), row(job, 'b', '2')]);
    await loadWindow(pool, job, [wireRow(job, { query: 'a' }, later.start)], later);
    await sweepReports(pool, never);
    expect(await checkReports(pool, scope)).toEqual({ weeks: 2, marked: 0, differences: [] });
    await pool.query("DELETE FROM search.keyword_rankings WHERE account_id = $1 AND query = 'b'", [job.accountId]);
    expect((await checkReports(pool, scope)).differences).toContainEqual(
      expect.objectContaining({
        summary: 'search_facts',
        week: WEEK.start,
        surplus: 1,
        missing: 0,
        example: expect.stringContaining('"query": "b"'),
      }),
    );
    expect(await beginRebuild(pool, scope, false)).toEqual({ weeks: 2, isResumed: false });
    const cut = new AbortController();
    await expect(rebuild(pool, scope, cut.signal, () => cut.abort(new Error('cut')))).rejects.toThrow('cut');
    expect(await checkReports(pool, scope)).toMatchObject({ marked: 1 });
    expect(await beginRebuild(pool, scope, false)).toEqual({ weeks: 1, isResumed: true });
    const left: number[] = [];
    expect(await rebuild(pool, scope, never, (weeks) => left.push(weeks))).toEqual([]);
    expect(left).toEqual([0]);
    expect(await checkReports(pool, scope)).toEqual({ weeks: 2, marked: 0, differences: [] });
    // Restored, so that the ledger's counts hold.
    await loadWindow(pool, job, [row(job, 'a', '1'), row(job, 'b', '2')]);
  });
});

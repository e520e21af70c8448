// What the audit says of rows that an answer would delete: whose they are, and what was asked when they were published.
import { describe, expect, it } from 'vitest';
import { canonicalValue, digestQuestion } from '../../../src/config/jobs.ts';
import type { Job } from '../../../src/config/settings.ts';
import { addDays, type Window, windowOfWeeks } from '../../../src/core/weeks.ts';
import { aiSearchBrands } from '../../../src/datasets/ai-search-brands.ts';
import { aiSearchCitations } from '../../../src/datasets/ai-search-citations.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { readCoverage } from '../../../src/ledger/coverage.ts';
import { approveHeld } from '../../../src/ledger/endings.ts';
import { findLacking, readSlices, recordJob } from '../../../src/ledger/jobs.ts';
import type { Objection } from '../../../src/pipeline/audit.ts';
import { choosePlan } from '../../../src/pipeline/plan.ts';
import { drive, pipelineOn } from '../../support/drive.ts';
import { jobOf, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { scriptService } from '../../support/scripted-service.ts';
import { loadWindow, planLoads } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();

/** The job with other filters, and the digest that goes with them. */
const asking = (job: Job, filters: Record<string, unknown>): Job => ({
  ...job,
  filters: filters as Job['filters'],
  filtersDigest: digestQuestion({ ...job, filters }, String(canonicalValue(''))),
});
const newJob = (filters: Record<string, unknown>, changes: Partial<Job> = {}): Job => {
  const job = jobOf(changes);
  return asking({ ...job, connection: job.name }, filters);
};
/** `amount` rows, each with a query or prompt of its own, and with the given values in common. */
const rows = (job: Job, amount: number, values: Record<string, unknown>, prefix = '', start = WEEK.start): unknown[][] =>
  Array.from({ length: amount }, (_, index) =>
    wireRow(job, { [job.dataset.name.startsWith('ai_') ? 'prompt' : 'query']: `${prefix}${index}`, ...values }, start),
  );

/** Loads one answer of a job through the pipeline until it is published or held; returns the objections of what is held. */
async function load(
  job: Job,
  answer: readonly unknown[],
  { window = WEEK, mayShrink = false }: { window?: Window; mayShrink?: boolean } = {},
) {
  const { pool } = ledger;
  await planLoads(pool, job, [{ window, reason: 'backfill', mayShrink }]);
  await drive(pool, pipelineOn(pool, scriptService(schemaOf(job.dataset), [answer], 0)), job.name);
  return heldOf(job);
}

async function heldOf(job: Job): Promise<Objection[]> {
  const { rows: found } = await ledger.pool.query<{ objections: Objection[] | null; state: string }>(
    `SELECT e.state, e.objections FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
      WHERE s.job = $1 ORDER BY e.id DESC LIMIT 1`,
    [job.name],
  );
  return found[0]?.state === 'held' ? (found[0].objections ?? []) : [];
}

async function approve(job: Job): Promise<void> {
  const { pool } = ledger;
  const slices = await readSlices(pool, job.name);
  for (const { sliceId } of slices) await approveHeld(pool, sliceId);
  await drive(pool, pipelineOn(pool, scriptService([], [])), job.name);
}

const countBy = async (job: Job, column: string): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const row of await publishedRows(ledger.pool, job, [column])) {
    const value = String(row[column]);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
};

describe('a value that was asked for and has no row in an answer', () => {
  const columns = DATASETS.flatMap((dataset) =>
    dataset.columns.flatMap(({ name, heldFrom, pg }) =>
      heldFrom === undefined ? [] : [{ dataset, name, heldFrom, isNumber: pg === 'bigint' }],
    ),
  );

  it.each(columns.map((each) => [each.dataset.name, each.name, each] as const))(
    'holds a week of %s by %s, whatever else it has',
    async (_, column, { dataset, heldFrom, isNumber }) => {
      const job = newJob({}, { dataset });
      const [kept, gone, fresh] = isNumber ? ['1', '2', '3'] : ['kept', 'gone', 'fresh'];
      const before = rows(job, 90, { [column]: kept }, 'kept');
      expect(await load(job, [...before, ...rows(job, heldFrom, { [column]: gone }, 'gone')])).toEqual([]);
      const [objection] = await load(job, [...before, ...rows(job, heldFrom + 5, { [column]: fresh }, 'fresh')]);
      expect(objection?.rule).toBe('values');
      expect(objection?.message).toContain(`${gone} ${heldFrom} -> 0`);
      expect(await countBy(job, column)).toEqual({ [`${kept}`]: 90, [`${gone}`]: heldFrom });
    },
  );

  it('holds no week where it had only a few rows, where one row is left, or where another column changes', async () => {
    const job = newJob({}, { dataset: aiSearchBrands });
    const others = rows(job, 50, { ai_search_engine: 'chatgpt' }, 'chatgpt');
    expect(await load(job, [...others, ...rows(job, 9, { ai_search_engine: 'gemini' }, 'gemini')])).toEqual([]);
    expect(await load(job, others)).toEqual([]);
    expect(await load(job, [...others, ...rows(job, 40, { ai_search_engine: 'gemini', topic: 'a' }, 'gemini')])).toEqual([]);
    expect(await load(job, [...others, ...rows(job, 1, { ai_search_engine: 'gemini', topic: 'b' }, 'gemini')])).toEqual([]);
  });

  it('holds a window of several weeks where one week has none, and names the week', async () => {
    const window = windowOfWeeks(WEEK.start, 2);
    const job = newJob({}, { dataset: aiSearchBrands, weeksPerQuery: 2 });
    const second = addDays(WEEK.start, 7);
    const week = (start: string, engine: string): unknown[][] => rows(job, 20, { ai_search_engine: engine }, engine, start);
    const first = [...week(WEEK.start, 'chatgpt'), ...week(WEEK.start, 'gemini')];
    expect(await load(job, [...first, ...week(second, 'chatgpt'), ...week(second, 'gemini')], { window })).toEqual([]);
    const [objection] = await load(job, [...first, ...week(second, 'chatgpt')], { window });
    expect(objection?.message).toContain(`engines gemini 20 -> 0 in 1 week, such as ${second}`);
  });

  it('is published when somebody approves it, consented beforehand, or lets the job keep nothing', async () => {
    const narrow = { devices: ['DESKTOP'] };
    const both = (job: Job): unknown[][] => [...rows(job, 30, { device: 'DESKTOP' }, 'd'), ...rows(job, 20, { device: 'SMARTPHONE' }, 's')];
    for (const [changes, options, rules] of [
      [{}, {}, ['values']],
      [{}, { mayShrink: true }, []],
      [{ minKeepShare: 0 }, {}, []],
      [{ minKeepShare: 0.4 }, {}, []],
    ] as const) {
      const job = newJob({}, changes);
      expect(await load(job, both(job))).toEqual([]);
      const narrowed = asking(job, narrow);
      expect((await load(narrowed, rows(job, 30, { device: 'DESKTOP' }, 'd'), options)).map(({ rule }) => rule)).toEqual(rules);
      await approve(narrowed);
      expect(await countBy(job, 'device')).toEqual({ DESKTOP: 30 });
    }
  });
});

describe('a value that a job asks for, and that may have few rows left', () => {
  it('is still missed when it has none', async () => {
    const job = newJob({}, { minKeepShare: 0.1 });
    const desktop = rows(job, 30, { device: 'DESKTOP' }, 'd');
    expect(await load(job, [...desktop, ...rows(job, 20, { device: 'SMARTPHONE' }, 's')])).toEqual([]);
    expect((await load(job, desktop)).map(({ rule }) => rule)).toEqual(['values']);
  });
});

describe('an answer to other filters than those of the published week', () => {
  const citations = (job: Job, amount: number, topic: string, url: string): unknown[][] =>
    rows(job, amount, { topic, citation_url: url }, topic);

  it('is held where it has too few of the keys, however many rows it has, and says which filters changed', async () => {
    const job = newJob({ topics: ['shoes'] }, { dataset: aiSearchCitations });
    expect(await load(job, citations(job, 8, 'shoes', 'a'))).toEqual([]);
    const [objection] = await load(asking(job, { topics: ['hats'] }), citations(job, 9, 'hats', 'a'));
    expect(objection).toMatchObject({ rule: 'keys', filters: { before: { topics: ['shoes'] }, now: { topics: ['hats'] } } });
    expect(objection?.message).toContain('8 of 8 rows');
    expect(await countBy(job, 'topic')).toEqual({ shoes: 8 });
  });

  it('is published where the filters still ask for all they asked for, even if the answers were collected again', async () => {
    const job = newJob({ topics: ['shoes'] }, { dataset: aiSearchCitations });
    expect(await load(job, citations(job, 8, 'shoes', 'a'))).toEqual([]);
    const wide = [...citations(job, 8, 'shoes', 'b'), ...citations(job, 8, 'hats', 'b')];
    expect(await load(asking(job, { topics: ['SHOES', 'hats'] }), wide)).toEqual([]);
    expect(await load(asking(job, {}), [...citations(job, 8, 'shoes', 'c'), ...citations(job, 8, 'hats', 'c')])).toEqual([]);
  });

  it('is published without a change of filters, whatever the answers cite now', async () => {
    const job = newJob({}, { dataset: aiSearchCitations });
    expect(await load(job, citations(job, 20, 'shoes', 'a'))).toEqual([]);
    expect(await load(job, citations(job, 20, 'shoes', 'b'))).toEqual([]);
  });
});

describe('a value of a filter that moves from one job to another', () => {
  const setUp = () => {
    const alpha = newJob({ devices: ['DESKTOP', 'TABLET'] });
    const beta = newJob({ devices: ['SMARTPHONE'] }, { accountId: alpha.accountId });
    return {
      alpha,
      beta,
      nextAlpha: asking(alpha, { devices: ['DESKTOP'] }),
      nextBeta: asking(beta, { devices: ['SMARTPHONE', 'TABLET'] }),
    };
  };
  const of = (job: Job, ...devices: string[]): unknown[][] => devices.flatMap((device) => rows(job, 5, { device }, device));
  const all = { DESKTOP: 5, SMARTPHONE: 5, TABLET: 5 };

  it('is not deleted by the job that had it, with or without consent, until the other job has it', async () => {
    const { pool } = ledger;
    const { alpha, beta, nextAlpha, nextBeta } = setUp();
    await load(alpha, of(alpha, 'DESKTOP', 'TABLET'));
    await load(beta, of(beta, 'SMARTPHONE'));
    await recordJob(pool, nextBeta, undefined);
    const [objection] = await load(nextAlpha, of(alpha, 'DESKTOP'), { mayShrink: true });
    expect(objection).toMatchObject({ rule: 'others' });
    expect(objection?.message).toContain(`5 rows that would be deleted are what job ${beta.name} asks for now and has not loaded`);
    expect(await countBy(alpha, 'device')).toEqual(all);
    expect(await load(nextBeta, of(beta, 'SMARTPHONE', 'TABLET'))).toEqual([]);
    await approve(nextAlpha);
    expect(await countBy(alpha, 'device')).toEqual(all);
    expect(await load(nextBeta, of(beta, 'SMARTPHONE', 'TABLET'))).toEqual([]);
    expect(await countBy(alpha, 'device')).toEqual(all);
  });

  it('is deleted once the other job has loaded the week without getting it', async () => {
    const { pool } = ledger;
    const { alpha, beta, nextAlpha, nextBeta } = setUp();
    await load(alpha, of(alpha, 'DESKTOP', 'TABLET'));
    await recordJob(pool, nextBeta, undefined);
    await load(nextBeta, of(beta, 'SMARTPHONE'));
    expect(await load(nextAlpha, of(alpha, 'DESKTOP'), { mayShrink: true })).toEqual([]);
    expect(await countBy(alpha, 'device')).toEqual({ DESKTOP: 5, SMARTPHONE: 5 });
  });
});

describe('a week from which a load of another job has taken rows', () => {
  const since = WEEK.start;
  const expectation = { tick: new Date('2026-11-15T00:00:00Z'), weeks: [WEEK.start], retriesFailed: false };
  const wanted = (job: Job) => ({ name: job.name, first: since, recent: since, newest: since, tick: expectation.tick });

  it('is missing with the reason and planned, and published again by its next load', async () => {
    const { pool } = ledger;
    const alpha = newJob({ devices: ['DESKTOP'] }, { since });
    const beta = newJob({ devices: ['TABLET'] }, { since, accountId: alpha.accountId });
    await recordJob(pool, alpha, since);
    await load(alpha, rows(alpha, 5, { device: 'DESKTOP' }));
    expect(await findLacking(pool, [wanted(alpha)])).toEqual(new Set());
    // An answer to what this job asked once, that comes late; or spellings that prove nothing.
    await load(beta, rows(beta, 2, { device: 'DESKTOP' }));
    expect(await readCoverage(pool, alpha.name)).toMatchObject([
      { week: since, state: 'missing', isExpected: true, detail: `a load of job ${beta.name} took 2 of its 5 rows` },
    ]);
    expect(await findLacking(pool, [wanted(alpha)])).toEqual(new Set([alpha.name]));
    expect(choosePlan(alpha, expectation, await readSlices(pool, alpha.name))).toMatchObject([{ window: WEEK, reason: 'newest' }]);
    // The rows left of the week are still compared with.
    expect((await load(alpha, [])).map(({ rule }) => rule)).toEqual(['shrink']);
    await approve({ ...alpha, name: 'nobody' });
    await pool.query(`UPDATE searchmill.executions SET state = 'discarded', ended_at = now(), end_reason = 'test' WHERE state = 'held'`);
    expect(await load(alpha, rows(alpha, 5, { device: 'DESKTOP' }))).toEqual([]);
    expect(await readCoverage(pool, alpha.name)).toMatchObject([{ state: 'published', detail: null }]);
    expect(await readCoverage(pool, beta.name)).toMatchObject([{ state: 'missing' }]);
  });

  it('stays published where its job was removed, or asks another question by now', async () => {
    const { pool } = ledger;
    const alpha = newJob({ devices: ['DESKTOP', 'TABLET'] }, { since });
    await loadWindow(pool, alpha, rows(alpha, 5, { device: 'TABLET' }));
    await recordJob(pool, asking(alpha, { devices: ['DESKTOP'] }), since);
    const beta = newJob({ devices: ['TABLET'] }, { since, accountId: alpha.accountId });
    await load(beta, rows(beta, 5, { device: 'TABLET' }));
    expect(await readCoverage(pool, alpha.name)).toMatchObject([{ state: 'published' }]);
    await pool.query('UPDATE searchmill.jobs SET removed_at = now() WHERE name = $1', [beta.name]);
    const gamma = newJob({ devices: ['tablet'] }, { since, accountId: alpha.accountId });
    await load(gamma, rows(gamma, 5, { device: 'TABLET' }));
    expect(await readCoverage(pool, beta.name)).toMatchObject([{ state: 'published' }]);
  });
});

describe('two jobs that the service answers with the same rows', () => {
  const pair = (): [Job, Job] => {
    const one = newJob({ devices: ['DESKTOP'], min_rank: 1 });
    return [one, newJob({ devices: ['MOBILE'], min_rank: 1 }, { accountId: one.accountId })];
  };
  const answerOf = (job: Job): unknown[][] => rows(job, 3, { device: 'DESKTOP' });
  /** Whether the ledger has the week as published. */
  const isThere = async (job: Job): Promise<boolean> =>
    (await readSlices(ledger.pool, job.name)).some(({ publishedPlannedAt }) => publishedPlannedAt !== null);

  it('do not take them from each other for ever: the second taking back is held, and names both jobs and what makes no difference', async () => {
    const [one, other] = pair();
    expect(await load(one, answerOf(one))).toEqual([]);
    expect(await load(other, answerOf(other))).toEqual([]);
    expect(await isThere(one)).toBe(false);
    expect(await load(one, answerOf(one))).toEqual([]);
    expect(await load(other, answerOf(other))).toEqual([
      {
        rule: 'others',
        message: `the service gives jobs ${other.name} and ${one.name} the same 3 rows, which each has taken from the other before: devices makes no difference (${other.name}: devices [MOBILE]; ${one.name}: devices [DESKTOP]); keep one: remove ${other.name} from the file and reload it, which ends this load, or remove ${one.name}, reload, then approve`,
      },
    ]);
    expect([await isThere(one), await isThere(other)]).toEqual([true, false]);
  });

  it('are told again at each later attempt, from whichever side it comes, and a person may let one have them', async () => {
    const [one, other] = pair();
    for (const job of [one, other, one, other]) await load(job, answerOf(job));
    await approve(other);
    expect([await isThere(one), await isThere(other)]).toEqual([false, true]);
    expect(await load(one, answerOf(one))).toEqual([
      expect.objectContaining({ rule: 'others', message: expect.stringContaining(`jobs ${one.name} and ${other.name}`) }),
    ]);
  });

  it('may each have rows of their own again: then nothing is held, and what was before is forgotten', async () => {
    const [one, other] = pair();
    for (const job of [one, other, one]) await load(job, answerOf(job));
    expect(await load(other, rows(other, 3, { device: 'MOBILE' }))).toEqual([]);
    expect(await load(one, answerOf(one))).toEqual([]);
    expect([await isThere(one), await isThere(other)]).toEqual([true, true]);
    // The first taking, and the first taking back, as in the beginning.
    for (const job of [other, one])
      expect(await load(job, [...answerOf(one), ...rows(other, 3, { device: 'MOBILE' }, 'own ')])).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { drive, findLive, makeDue, pipelineOn, stepOnce } from '../../support/drive.ts';
import { jobOf, publishedRows, useLedger } from '../../support/ledger.ts';
import { makeMortal, makeSleepy } from '../../support/mortal-process.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { type ScriptedService, scriptService } from '../../support/scripted-service.ts';
import { planWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();

const row = (job: Job, query: string, title: string): unknown[] => wireRow(job, { query, title });
/** Pages with duplicates across them, a page without rows, and a row for quarantine. */
const pagesOf = (job: Job): unknown[][] => [
  [row(job, 'a', '1'), row(job, 'b', '1')],
  [row(job, 'a', '1'), row(job, 'c', 'NUL \0')],
  [],
  [row(job, 'a', '2'), row(job, 'd', '1')],
];
type Kind = 'plain' | 'spooled' | 'nameless';
const PUBLISHED = ['a 1 1', 'a 1 2', 'a 2 3', 'b 1 1', 'd 1 1'];

const newJob = (): Job => {
  const job = jobOf({ maxRejectedShare: 0.5 });
  // A connection of its own, so that nobody else's submit is taken.
  return { ...job, connection: job.name };
};

async function outcome(job: Job): Promise<unknown> {
  const rows = await publishedRows(ledger.pool, job, ['query', 'title', '_occurrence']);
  const { rows: ledgerSays } = await ledger.pool.query(
    `SELECT count(*) FILTER (WHERE e.state = 'published')::integer AS published,
            count(*) FILTER (WHERE e.ended_at IS NULL)::integer AS live,
            (SELECT count(*) FROM searchmill.publications p WHERE p.slice_id = min(s.id))::integer AS publications,
            (SELECT rows_inserted FROM searchmill.publications p WHERE p.slice_id = min(s.id)) AS inserted,
            (SELECT array_agg(q.page || '.' || q.position) FROM searchmill.quarantined_rows q WHERE q.execution_id = max(e.id)) AS quarantined,
            max(e.pages) AS pages, max(e.rows_received) AS received
       FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1`,
    [job.name],
  );
  return { rows: rows.map(({ query, title, _occurrence }) => `${query} ${title} ${_occurrence}`), ...ledgerSays[0] };
}
const GOOD = { rows: PUBLISHED, published: 1, live: 0, publications: 1, inserted: 5, quarantined: ['2.2'], pages: 4, received: 6 };

/** Lives of a process that loads a job and dies at event `dieAt`, and of the one that takes over. */
async function loadDyingAt(dieAt: number | undefined, kind: Kind): Promise<{ job: Job; service: ScriptedService; events: string[] }> {
  const { pool } = ledger;
  const job = newJob();
  const service = scriptService(schemaOf(job.dataset), pagesOf(job), 1, kind === 'spooled');
  if (kind === 'nameless') service.alterPage = (page, number) => (number === 1 ? page : { ...page, schema: [] });
  await planWindow(pool, job);
  const mortalPool = createPool(new Secret(ledger.url), { applicationName: 'mortal', max: 3 });
  const { events, isDead } = makeMortal(mortalPool, service, dieAt);
  const clock: Clock = {
    now: () => systemClock.now(),
    // A dead process does not wait for the database to come back.
    sleep: (ms, signal) => (isDead() ? Promise.reject(new Error('the process is dead')) : systemClock.sleep(ms, signal)),
  };
  for (let live = await findLive(pool, job.name); live && !isDead(); live = await findLive(pool, job.name)) {
    await makeDue(pool, job.name);
    await stepOnce(pipelineOn(mortalPool, service, { clock }), live).catch(() => undefined);
  }
  await mortalPool.end();
  service.beforeCall = () => undefined;
  service.afterCall = () => undefined;
  await drive(pool, pipelineOn(pool, service), job.name);
  return { job, service, events };
}

const count = (service: ScriptedService, call: string): number => service.calls.filter((each) => each.startsWith(call)).length;

/** Numbers of events: all of them where there is time, else some at even distances. */
function placesIn({ length }: readonly string[]): number[] {
  const runs = propertyRuns(length);
  return Array.from({ length: runs }, (_, run) => 1 + Math.floor((run * length) / runs));
}

describe.each([
  ['a load', 'plain'],
  ['a load of pages that are too large for memory', 'spooled'],
  ['a load of which only the first page has a schema', 'nameless'],
] as const)('%s', (_what, kind) => {
  it('asks for everything once if no process dies', async () => {
    const { job, service } = await loadDyingAt(undefined, kind);
    expect(await outcome(job)).toEqual(GOOD);
    expect(service.calls).toEqual(['submit', 'poll r1', 'poll r1', 'page r1/2', 'page r1/3', 'page r1/4']);
  });

  it('ends in the same table wherever its process dies, without a submit or a page too many', async () => {
    const { events } = await loadDyingAt(undefined, kind);
    expect(events.length).toBeGreaterThan(40);
    for (const dieAt of placesIn(events)) {
      const life = await loadDyingAt(dieAt, kind);
      const last = life.events.at(-1) ?? '';
      expect({ dieAt, last, ...((await outcome(life.job)) as object) }).toEqual({ dieAt, last, ...GOOD });
      // Only where the answer to the submit was not written down is it unknown whether the submit was spent.
      const isAnswerLost = last === 'submit answered' || /SET state = 'in_progress'/.test(last);
      expect({ dieAt, last, submits: count(life.service, 'submit') }).toEqual({ dieAt, last, submits: isAnswerLost ? 2 : 1 });
      // At most pages that had been read and not committed are asked for again.
      expect(count(life.service, 'page')).toBeLessThanOrEqual(3 + 3);
    }
  });
});

describe('a process that was suspended while another process took over its load', () => {
  /** The first life falls asleep at event `sleepAt`; another loads the job to its end; then the first goes on. */
  async function loadSleepingAt(
    sleepAt: number,
  ): Promise<{ job: Job; service: ScriptedService; events: string[]; last: string; isOver: boolean }> {
    const { pool } = ledger;
    const job = newJob();
    const service = scriptService(schemaOf(job.dataset), pagesOf(job));
    await planWindow(pool, job);
    const sleepyPool = createPool(new Secret(ledger.url), { applicationName: 'sleepy', max: 3 });
    const sleepy = makeSleepy(sleepyPool, service, sleepAt);
    const life = (async () => {
      for (let live = await findLive(pool, job.name); live; live = await findLive(pool, job.name)) {
        if (sleepy.events.length < sleepAt) await makeDue(pool, job.name);
        await stepOnce(pipelineOn(sleepyPool, service), live).catch(() => undefined);
        if (sleepy.events.length >= sleepAt) return false;
      }
      return true;
    })();
    const isOver = await Promise.race([life, sleepy.asleep.then(() => false)]);
    const last = sleepy.events.at(-1) ?? '';
    service.beforeCall = () => undefined;
    service.afterCall = () => undefined;
    if (!isOver) {
      await drive(pool, pipelineOn(pool, service), job.name);
      sleepy.wake();
      await life;
    }
    await sleepyPool.end();
    return { job, service, events: sleepy.events, last, isOver };
  }

  it('changes nothing when it goes on, wherever it was', async () => {
    const awake = await loadSleepingAt(Number.POSITIVE_INFINITY);
    expect(awake).toMatchObject({ isOver: true });
    expect(awake.events.length).toBeGreaterThan(30);
    for (const sleepAt of placesIn(awake.events)) {
      const { job, service, last } = await loadSleepingAt(sleepAt);
      expect({ sleepAt, last, ...((await outcome(job)) as object) }).toEqual({ sleepAt, last, ...GOOD });
      // A POST that waits in a suspended process leaves when it wakes, unless its permit is too old by then.
      const isSubmitOpen = /^submit|SET state = 'in_progress'/.test(last);
      expect({ sleepAt, last, submits: count(service, 'submit') }).toEqual({ sleepAt, last, submits: isSubmitOpen ? 2 : 1 });
    }
  });
});

// Twenty people read boards while four workers load: how long a page takes, whether anybody is refused, and how much the loads slow down.
import { setMaxListeners } from 'node:events';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { HARD_LIMITS, RECOMMENDED_LIMITS } from '../../src/core/limits.ts';
import { count } from '../../src/core/numbers.ts';
import { addDays, type IsoDate } from '../../src/core/weeks.ts';
import { freePort } from '../../test/support/free-port.ts';
import { startPageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import { OWN_DOMAIN } from '../support/board-rows.ts';
import { createDatabase, settle } from '../support/database.ts';
import { atMost, type Figure, type Result } from '../support/figure.ts';
import { ACCOUNTS, FIRST_WEEK, weeksFrom, writeJobs } from '../support/jobs.ts';
import { type LoadOptions, measureLoads } from '../support/loads.ts';
import { canMeasure, MEGABYTE, readMemory } from '../support/resources.ts';
import { startSearchmill } from '../support/searchmill.ts';
import { rank } from '../support/statistics.ts';
import { pause, until } from '../support/waiting.ts';
import { FIRST_ACCOUNT, fillBoards } from './boards.ts';

/** `loads`: weeks of each account; in full they need more reads than are recommended for a minute, but no more submits than are allowed. */
const SIZES = { quick: { weeks: 4, rows: 5_000, loads: 2 }, full: { weeks: 13, rows: 50_000, loads: 6 } };
const RECOMMENDED_READS = { ...HARD_LIMITS, read: RECOMMENDED_LIMITS.read };
const READERS = 20;
const WORKERS = 4;
/** Pause between two pages; a person looks for longer. */
const LOOK_MS = 1_000;
const GOALS = { keptMs: 300, readMs: 2_000, slowdown: 1.2, memory: 256, firstView: 250 };
const BOARDS = ['rankings', 'ai-visibility'];

type Compared = Readonly<{ alone: number; seconds: number; pages: readonly Page[] }>;
type Page = Readonly<{ ms: number; code: number /** Whether somebody read it before in the same state. */; isKept: boolean }>;

export const readers: Figure = {
  title: `${READERS} readers of boards while ${WORKERS} workers load`,
  async measure(bench) {
    const { weeks: weekCount, rows, loads } = SIZES[bench.mode];
    const database = await createDatabase(bench);
    await fillBoards(bench, database, { accounts: 1, weekCount });
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: rows, pageSize: 1000 });
    const known = writeJobs(bench, {
      baseUrl: service.baseUrl,
      accounts: [...ACCOUNTS, FIRST_ACCOUNT],
      isIdle: true,
      ownDomains: [OWN_DOMAIN],
    });
    await settle(database.pool);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const installation = { databaseUrl: database.url, jobsPath: known.path, variables: { ...known.variables, OPS_PORT: String(port) } };
    // As in compose.yaml: the scheduler serves the boards.
    const served = await startSearchmill(bench, installation, ['start', '--role', 'scheduler']);
    await until(async () => {
      if (served.hasEnded()) throw new Error(`the boards ended: ${served.errorOutput()}`);
      return fetch(`${url}/healthz`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      );
    }, bench.signal);
    const seen = new Set<string>();
    const compareLoads = async (limits: typeof HARD_LIMITS, first: IsoDate): Promise<Compared> => {
      const weeks = weeksFrom(first, 2 * loads);
      // Each time with a credential of its own, whose limits nobody has used.
      const load = (some: readonly IsoDate[]): LoadOptions => {
        const jobs = writeJobs(bench, { baseUrl: service.baseUrl, accounts: ACCOUNTS, limits });
        return { database, service, jobs, workers: WORKERS, weeks: some };
      };
      bench.log(`loads alone, at most ${limits.read} reads a minute`);
      const alone = await measureLoads(bench, load(weeks.slice(0, loads)));
      bench.log('the same beside readers');
      const { seconds, pages } = await readWhile(bench, url, load(weeks.slice(loads)), seen);
      return { alone: alone.seconds, seconds, pages };
    };
    const recommended = await compareLoads(RECOMMENDED_READS, FIRST_WEEK);
    const atOnce = await compareLoads(HARD_LIMITS, addDays(FIRST_WEEK, 7 * 2 * loads));
    const memory = (readMemory(served.pid)?.peak ?? Number.NaN) / MEGABYTE;
    return {
      results: [
        ...describePages(recommended, ''),
        describeLoads(recommended, ''),
        ...describePages(atOnce, AT_ONCE),
        describeLoads(atOnce, AT_ONCE),
        ...(canMeasure() ? [describeMemory(memory)] : []),
        await weighFirstView(url),
      ],
      notes: [
        `each reader opens a board and looks at it for ${LOOK_MS / 1000} s: half of them of an account of ${weekCount} weeks whose figures stay, the others of one that is being loaded`,
        `${count(recommended.pages.length, 'page')}, and ${atOnce.pages.length.toLocaleString('en-US')} beside loads at once; ${ACCOUNTS.length} accounts load ${count(loads, 'week')} of ${rows.toLocaleString('en-US')} rows each, once without readers and once with them, while workers, Postgres, boards, page server and readers share the machine`,
        `loads are sent ${RECOMMENDED_LIMITS.read} reads a minute, as the service recommends and jobs have by default; at once: ${HARD_LIMITS.read}, more than they need`,
      ],
    };
  },
};

const AT_ONCE = ', loads at once';

async function readWhile(bench: Bench, url: string, load: LoadOptions, seen: Set<string>): Promise<Omit<Compared, 'alone'>> {
  const ended = new AbortController();
  const pages: Page[] = [];
  const read = async (reader: number): Promise<void> => {
    for (let turn = 0; !ended.signal.aborted; turn += 1) {
      const account = reader % 2 === 0 ? FIRST_ACCOUNT : ACCOUNTS[0];
      const address = `${url}/boards/${BOARDS[turn % BOARDS.length]}?account=${account}`;
      const started = performance.now();
      const { statusCode, body } = await request(address, { headers: { 'accept-encoding': 'gzip' } });
      await body.arrayBuffer();
      // Figures of the first account do not change during the measurement.
      pages.push({ ms: performance.now() - started, code: statusCode, isKept: account === FIRST_ACCOUNT && seen.has(address) });
      seen.add(address);
      await pause(LOOK_MS, bench.signal);
    }
  };
  // Each reader adds a listener while it waits.
  setMaxListeners(2 * READERS, bench.signal);
  const all = Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader)));
  try {
    const { seconds } = await measureLoads(bench, load);
    return { seconds, pages };
  } finally {
    ended.abort();
    await all;
  }
}

function describePages({ pages }: Compared, pace: string): Result[] {
  const timeOf = (isKept: boolean): number =>
    rank(
      pages.filter((page) => page.isKept === isKept).map(({ ms }) => ms),
      0.95,
    );
  const [kept, read] = [timeOf(true), timeOf(false)];
  const refused = pages.filter(({ code }) => code !== 200).length;
  return [
    { figure: `a page whose state was read before, 95 % within${pace}`, ours: kept, unit: 'ms', ...atMost(kept, GOALS.keptMs, ' ms') },
    { figure: `any other page, 95 % within${pace}`, ours: read, unit: 'ms', ...atMost(read, GOALS.readMs, ' ms') },
    { figure: `pages refused${pace}`, ours: refused, unit: 'pages', ...atMost(refused, 0) },
  ];
}

function describeLoads({ alone, seconds: ours }: Compared, pace: string): Result {
  const ratio = ours / alone;
  return {
    figure: `the loads, time${pace}`,
    ours,
    unit: 's',
    peer: { name: 'without readers', value: alone },
    ratio,
    ...atMost(ratio, GOALS.slowdown, ' x'),
  };
}

function describeMemory(ours: number): Result {
  return { figure: 'memory of the process that serves boards, at most', ours, unit: 'MB', ...atMost(ours, GOALS.memory, ' MB') };
}

/** Bytes of the page and of everything that it refers to, for a browser with an empty cache. */
async function weighFirstView(url: string): Promise<Result> {
  const weigh = async (path: string): Promise<{ bytes: number; text: string }> => {
    const { headers, body } = await request(url + path, { headers: { 'accept-encoding': 'br, gzip' } });
    const content = Buffer.from(await body.arrayBuffer());
    return { bytes: content.length, text: headers['content-encoding'] === 'gzip' ? gunzipSync(content).toString() : '' };
  };
  const page = await weigh(`/boards/ai-visibility?account=${FIRST_ACCOUNT}`);
  const assets = [...new Set([...page.text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? ''))];
  const sizes = await Promise.all(assets.map(async (path) => (await weigh(path)).bytes));
  const ours = sizes.reduce((sum, bytes) => sum + bytes, page.bytes) / 1000;
  return { figure: 'first view of AI visibility over the wire', ours, unit: 'kB', ...atMost(ours, GOALS.firstView, ' kB') };
}

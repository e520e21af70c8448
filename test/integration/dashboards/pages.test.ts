// The dashboards over HTTP: what is shown, what is refused, and what happens when the database goes away.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import { createLogger, silentLogger } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';
import { accessFor } from '../../../src/dashboards/access.ts';
import { streamCsv } from '../../../src/dashboards/csv.ts';
import { createHttpServer } from '../../../src/dashboards/http-server.ts';
import { servePages } from '../../../src/dashboards/pages.ts';
import type { Panel } from '../../../src/dashboards/panel-file.ts';
import { createPanelPool, inSnapshot } from '../../../src/dashboards/run-panels.ts';
import { startDashboards } from '../../../src/dashboards/server.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { panelFile, serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { whileClosed } from '../../support/database-access.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { until } from '../../support/wait.ts';

const SERVER_FILE = fileURLToPath(new URL('../../support/dashboards-process.ts', import.meta.url));
const HOSTILE = `"><script>alert(1)</script>' OR 1=1 --\\`;
const ECHO = panelFile('SELECT (:country::text[])[1] AS country, :account::bigint AS account, :weeks::integer AS weeks', {
  Variables: 'account, country, weeks',
});

let database: TestDatabase;
let served: TestDashboards | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await served?.close();
  served = undefined;
});
afterAll(() => database.drop());

async function serve(...given: Parameters<typeof serveDashboards> extends [string, ...infer Rest] ? Rest : never): Promise<string> {
  served = await serveDashboards(database.url, ...given);
  return served.url;
}

async function get(url: string, headers: Record<string, string> = {}): Promise<{ code: number; text: string; headers: Headers }> {
  const response = await fetch(url, { headers, redirect: 'manual' });
  return { code: response.status, text: await response.text(), headers: response.headers };
}

/** Like fetch, with a Host header of one's own. */
async function getAs(host: string, url: string): Promise<number> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('a board', () => {
  it('takes its variables from the address, and their defaults where the address has none', async () => {
    const url = await serve({ panels: { echo: ECHO } });
    expect((await get(`${url}/boards/test/echo.csv`)).text).toBe('country,account,weeks\r\n,1,13\r\n');
    expect((await get(`${url}/boards/test/echo.csv?country=1&account=2&weeks=4&other=1`)).text).toBe('country,account,weeks\r\n1,2,4\r\n');
    expect((await get(`${url}/boards/test/echo.csv?country=&country=1`)).text).toBe('country,account,weeks\r\n1,1,13\r\n');
    expect((await get(`${url}/boards/test/echo.csv?country=&account=2&account=1`)).text).toBe('country,account,weeks\r\n,2,13\r\n');
    const { text } = await get(`${url}/boards/test?country=2`);
    expect(text).toContain('name="country" value="2" checked');
    expect(text).toContain('href="/boards/test/echo.csv?account=1&amp;country=2&amp;weeks=13"');
  });

  it('shows text from the address, and never runs it', async () => {
    const url = await serve({ panels: { echo: ECHO } });
    const { code, text } = await get(`${url}/boards/test?${new URLSearchParams({ country: HOSTILE })}`);
    expect(code).toBe(400);
    expect(text).not.toContain('<script>alert');
    expect(text).toContain('&lt;script');
    expect(text).toMatch(/country: &quot;>&lt;script>alert\(1\)&lt;\/script>.* is unknown; expected one of 1, 2</);
    expect(text).toContain('SELECT (NULL::text[])[1] AS country');
  });

  it.each([
    ['account=x', 'account: expected a whole number'],
    ['weeks=0', 'weeks: expected a whole number from 1 to 520, year, or two days in order, such as 2026-01-04..2026-06-28'],
    ['weeks=1e9', 'weeks: expected a whole number from 1 to 520, year, or two days in order, such as 2026-01-04..2026-06-28'],
    [
      'since=2026-11-08&until=2026-11-01',
      'weeks: expected a whole number from 1 to 520, year, or two days in order, such as 2026-01-04..2026-06-28',
    ],
    ['weeks=2026-13-01..', 'weeks: expected a whole number from 1 to 520, year, or two days in order, such as 2026-01-04..2026-06-28'],
    ['country=%00', 'country: expected text without the character NUL'],
  ])('says what is wrong with %s', async (query, sentence) => {
    const url = await serve({ panels: { echo: ECHO } });
    const page = await get(`${url}/boards/test?${query}`);
    expect(page.code).toBe(400);
    expect(page.text).toContain(sentence);
    expect(await get(`${url}/boards/test/echo.csv?${query}`)).toMatchObject({ code: 400, text: `${sentence}\n` });
  });

  it('shows the other panels when one fails, all of one moment', async () => {
    const moment = panelFile('SELECT now() AS moment, pg_current_snapshot()::text AS snapshot');
    const url = await serve({
      panels: { a: moment, b: panelFile('SELECT 1 / 0 AS x'), c: moment, d: panelFile('SELECT * FROM nowhere.at_all') },
    });
    const { code, text } = await get(`${url}/boards/test`);
    expect(code).toBe(200);
    expect(text.match(/could not be read: [^<]*/g)).toEqual([
      expect.stringContaining('division by zero'),
      expect.stringContaining('nowhere.at_all'),
    ]);
    const snapshots = [...text.matchAll(/<bdi>(\d+:\d+:[^<]*)<\/bdi>/g)].map(([, snapshot]) => snapshot);
    expect(snapshots).toHaveLength(2);
    expect(new Set(snapshots).size).toBe(1);
  });

  it('says why a panel is empty: no rows, no figures, or no job that loads them', async () => {
    const none = 'SELECT current_date AS day, 1 AS amount WHERE false';
    const ofAccount = `${none} AND :account::bigint = 1`;
    const axes = { Chart: 'line', X: 'day', Y: 'amount' };
    const url = await serve({
      panels: {
        rows: panelFile(none),
        figures: panelFile("SELECT current_date AS day, NULL::integer AS amount, 'held' AS reason", axes),
        anything: panelFile(ofAccount, { Variables: 'account' }),
        one: panelFile(ofAccount, { Variables: 'account', Datasets: 'ai_search_brands', Empty: 'No brand is named.' }),
        two: panelFile('SELECT current_date AS day, 1 AS amount, :account::bigint AS account', {
          ...axes,
          Variables: 'account',
          Datasets: 'ai_search_brands, ai_search_response',
        }),
      },
    });
    const { text } = await get(`${url}/boards/test`);
    const told = [...text.matchAll(/<section id="(\w+)"|<p class="(?:empty|notice)">([^<]*)</g)].map(([, id, sentence]) => id ?? sentence);
    expect(told).toEqual([
      'anything',
      'No job loads anything for this account.',
      'figures',
      'There are no rows with figures for these choices.',
      'one',
      'No job loads AI search brands for this account.',
      'rows',
      'There are no rows for these choices.',
      'two',
      'No job loads AI search brands or AI search response for this account.',
    ]);
    expect(text.match(/data-chart=/g)).toHaveLength(1);
  });

  it('is found from a shortened address', async () => {
    const url = await serve({ panels: { echo: ECHO } });
    const { code, headers } = await get(`${url}/boards/`);
    expect([code, headers.get('location')]).toEqual([302, '/boards']);
    for (const path of ['/', '/boards']) expect((await get(url + path)).text).toContain('href="/boards/test"');
  });

  it('cannot write, whatever its SQL says', async () => {
    const url = await serve({ panels: { write: panelFile("SELECT nextval(pg_get_serial_sequence('searchmill.slices', 'id')) AS one") } });
    expect((await get(`${url}/boards/test`)).text).toContain('read-only transaction');
  });

  it('shows the first rows of a long table, which has its own page with 2,000; the CSV has all', async () => {
    const url = await serve({ panels: { long: panelFile('SELECT n FROM generate_series(1, 4500) AS n') } });
    const board = (await get(`${url}/boards/test`)).text;
    expect(board.match(/<data /g)).toHaveLength(25);
    expect(board).toMatch(/<a href="\/boards\/test\/long[^>]*>All 2000 rows/);
    // The server orders all of them.
    expect((await get(`${url}/boards/test?sort.long=-n`)).text).toContain('<data value="2000">');
    const { text } = await get(`${url}/boards/test/long`);
    expect(text.match(/<data /g)).toHaveLength(2_000);
    expect(text).toContain('The CSV has all of them.');
    expect((await get(`${url}/boards/test/long.csv`)).text.split('\r\n')).toHaveLength(4_502);
  });

  it('is open as a table, with its explanation and SQL, where there is no JavaScript', async () => {
    const line = panelFile('SELECT current_date AS day, 1.50 AS amount', {
      Chart: 'line',
      X: 'day',
      Y: 'amount',
      Note: 'A note.',
      Unit: 'euros',
    });
    const url = await serve({ panels: { line } });
    const { text } = await get(`${url}/boards/test`);
    expect(text).toMatch(/<details class="figures-table" open/);
    for (const part of ['<data value="1.50">1.5</data>', 'By the test.', 'A note.', 'euros', 'SELECT current_date AS day'])
      expect(text).toContain(part);
  });
});

it('the figures of a column have the same digits after the point', async () => {
  const sql = `SELECT name, country, share FROM (VALUES ('a', 'US', 30.0), ('a', 'DE', 37.5), ('b', 'US', 12345.00), ('b', 'DE', NULL))
                 AS t (name, country, share)`;
  const heat = panelFile(sql, { Chart: 'heatmap', X: 'country', Y: 'share', Series: 'name', Unit: '%' });
  const { text } = await get(`${await serve({ panels: { heat } })}/boards/test`);
  const shown = [...text.matchAll(/<data value="[^"]*">([^<]*)</g)].map(([, figure]) => figure);
  expect(shown).toEqual(['37.5', '30.0', '12,345.0', '30.0 %', '37.5 %', '12,345.0 %']);
});

it('a panel says what has to be known of its figures, and why there are gaps', async () => {
  const sql = `SELECT day::date AS day, CASE n WHEN 2 THEN NULL ELSE n END AS amount, CASE n WHEN 2 THEN 'held (a job)' END AS reason, 'Only a part is loaded.' AS notice
    FROM (VALUES ('2026-11-01', 1), ('2026-11-08', 2), ('2026-11-15', 3)) AS days (day, n)`;
  const url = await serve({
    panels: {
      gaps: panelFile(sql, { Chart: 'line', X: 'day', Y: 'amount' }),
      none: panelFile('SELECT 1 AS one WHERE false', { Empty: 'Nothing.' }),
    },
  });
  const { text } = await get(`${url}/boards/test`);
  expect(text).toContain('<p class="notice"><bdi>Only a part is loaded.</bdi></p>');
  expect(text).toContain('<strong>Gaps:</strong> <bdi>2026-11-08: held (a job)</bdi>');
  expect(text).toContain('<p class="empty">Nothing.</p>');
  expect(text).not.toContain('<th scope="col" data-column="notice"');
});

describe('the CSV of a panel', () => {
  it('has every value as Postgres wrote it, and no formula for a spreadsheet', async () => {
    const sql = `SELECT -1.50::numeric AS number, 12345678901234567890::numeric AS large, 'a,"b"' AS quoted, E'two\\nlines' AS lines, NULL AS nothing,
      '=1+1' AS "=formula", '+1' AS plus, '-1' AS minus, '@x' AS at, E'\\t=1' AS tab, 'x;=1+1; -2;y' AS split, E'x\\t"=1' AS tabbed, E'x\\n@1' AS next, ' =1' AS blank, '＝1' AS wide, E'\\u202e=1' AS turned, 'x=1' AS plain`;
    const url = await serve({
      panels: {
        all: panelFile(
          sql.replace(
            /E'([^']*)'/g,
            (_, text: string) => `U&'${text.replace('\\n', '\\000a').replace('\\t', '\\0009').replace('\\u', '\\')}'`,
          ),
        ),
      },
    });
    const { text, headers } = await get(`${url}/boards/test/all.csv`);
    expect(headers.get('content-type')).toContain('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="searchmill-test-all.csv"');
    expect(text).toBe(
      `number,large,quoted,lines,nothing,'=formula,plus,minus,at,tab,split,tabbed,next,blank,wide,turned,plain\r\n-1.50,12345678901234567890,"a,""b""","two\nlines",,'=1+1,'+1,'-1,'@x,"'\t'=1","x;'=1+1;' -2;y","x\t'""=1","x\n'@1",' =1,'＝1,'\u202e=1,x=1\r\n`,
    );
  });

  it('begins as Excel knows UTF-8, and is named by what it is of', async () => {
    const url = await serve({ panels: { echo: ECHO, board: panelFile('SELECT 1 AS one') } });
    const csv = async (path: string): Promise<{ bytes: Buffer; name: string | null }> => {
      const answer = await fetch(`${url}/boards/test/${path}`);
      return { bytes: Buffer.from(await answer.arrayBuffer()), name: answer.headers.get('content-disposition') };
    };
    const echo = await csv('echo.csv?account=2&weeks=4');
    expect(echo.bytes.toString()).toBe('\ufeffcountry,account,weeks\r\n,2,4\r\n');
    expect(echo.name).toBe('attachment; filename="searchmill-2-test-echo-4-weeks.csv"');
    expect((await csv('board.csv?account=2&weeks=4')).name).toBe('attachment; filename="searchmill-test-board.csv"');
  });

  it('streams a million rows in flat memory', async () => {
    const rows = 1_000_000;
    await serve({ panels: { million: panelFile(`SELECT n, repeat('x', 200) AS filler FROM generate_series(1, ${rows}) AS n`) } });
    const server = fork(SERVER_FILE, [database.url, join(served?.folder ?? '', 'boards')], { execArgv: ['--import', 'tsx'] });
    try {
      const [url] = (await once(server, 'message')) as [string];
      const { body } = await fetch(`${url}/boards/test/million.csv`);
      const mostOf = { firstHalf: 0, secondHalf: 0 };
      let lines = 0;
      server.on('message', (rss: number) => {
        const half = lines < rows / 2 ? 'firstHalf' : 'secondHalf';
        mostOf[half] = Math.max(mostOf[half], rss);
      });
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        server.send('how much memory?');
        for (const byte of chunk) if (byte === 10) lines += 1;
      }
      expect(lines).toBe(rows + 1);
      // The whole CSV has 210 MB.
      expect(mostOf.secondHalf - mostOf.firstHalf).toBeLessThan(60_000_000);
    } finally {
      server.kill('SIGKILL');
    }
  });

  it('gives its connection back when the reader goes away', async () => {
    const url = await serve({
      panels: { endless: panelFile("SELECT n, repeat('x', 1000) AS filler FROM generate_series(1, 5000000) AS n") },
    });
    for (let reader = 0; reader < 6; reader += 1) {
      const gone = new AbortController();
      const { body } = await fetch(`${url}/boards/test/endless.csv`, { signal: gone.signal });
      await body?.getReader().read();
      gone.abort();
    }
    await until('the board', async () => (await get(`${url}/boards/nowhere`)).code === 404);
    expect((await get(`${url}/`)).code).toBe(200);
    const pool = createPool(new Secret(database.url), { applicationName: 'test', max: 1 });
    const busy =
      "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'searchmill dashboards' AND state <> 'idle' AND datname = current_database()";
    await until('the sessions to end', async () => (await pool.query<{ n: number }>(busy)).rows[0]?.n === 0);
    await pool.end();
  });
});

describe('many readers', () => {
  /** Waits as long as the gate is closed, if asked for ten weeks. */
  const GATED = panelFile(
    'SELECT (:country::text[])[1] AS country, CASE WHEN :weeks::integer = 10 THEN pg_advisory_xact_lock_shared(1)::text END AS gate',
    { Variables: 'country, weeks' },
  );
  let gate: pg.Client;
  beforeEach(async () => {
    gate = new pg.Client(database.url);
    await gate.connect();
    await gate.query('SELECT pg_advisory_lock(1)');
  });
  afterEach(() => gate.end());
  const countWaiting = async (): Promise<number> => {
    const { rows } = await gate.query<{ n: number }>(
      "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE application_name = 'searchmill dashboards' AND wait_event = 'advisory' AND datname = current_database()",
    );
    return rows[0]?.n ?? 0;
  };

  it('are served when they are twenty', async () => {
    const url = await serve({ panels: { gated: GATED } });
    const readers = Array.from({ length: 20 }, () => get(`${url}/boards/test?weeks=10`));
    await until('boards that are read', async () => (await countWaiting()) > 0);
    await gate.query('SELECT pg_advisory_unlock(1)');
    expect((await Promise.all(readers)).map(({ code }) => code)).toEqual(Array(20).fill(200));
  });

  it.each([
    ['GET', '/boards/test'],
    ['GET', '/%62oards/test'],
    ['GET', '/%62oards/test/gated.csv'],
    ['HEAD', '/boards/test'],
  ])('too many of %s %s at once are told to come back, and get their board when others have gone', async (method, path) => {
    const url = await serve({ panels: { gated: GATED } });
    const gone = new AbortController();
    const readers = Array.from({ length: 40 }, () =>
      fetch(`${url}${path}?weeks=10`, { method, signal: gone.signal }).catch(() => undefined),
    );
    const told = await Promise.any(
      readers.map(async (reader) => {
        const answer = await reader;
        if (answer?.status !== 503) throw new Error('not told');
        return [answer.headers.get('retry-after'), await answer.text()];
      }),
    );
    expect(told).toEqual(['5', method === 'HEAD' ? '' : expect.stringContaining('Too many people are reading boards right now.')]);
    await until('boards that are read', async () => (await countWaiting()) > 0);
    gone.abort();
    await until('room', async () => (await get(`${url}/boards/test?weeks=1`)).code === 200);
    expect((await get(`${url}/boards/test?weeks=1`)).code).toBe(200);
  });

  it('lose no connection to one who stops reading a CSV', async () => {
    const pool = createPanelPool(new Secret(database.url));
    const panel = { sql: "SELECT n, repeat('x', 1000) AS filler FROM generate_series(1, 5000000) AS n" } as Panel;
    const stream = await streamCsv(pool, panel, {}, { gone: new AbortController().signal, maxIdleMs: 200, maxAheadBytes: 1_000_000 });
    const error = (await once(stream, 'end').catch((reason: unknown) => reason)) as Error;
    expect(String(error.cause)).toContain('nobody has read it for 0.2 s');
    expect((await inSnapshot(pool, (client) => client.query('SELECT 1 AS one'))).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it('may have accounts with as many digits as a bigint', async () => {
    const url = await serve({ panels: { echo: ECHO } });
    expect((await get(`${url}/boards/test?account=9223372036854775807`)).text).toContain('9223372036854775807');
    const refused = await get(`${url}/boards/test?account=9223372036854775808`);
    expect([refused.code, refused.text]).toEqual([400, expect.stringContaining('account: expected a whole number')]);
  });
});

describe('every page', () => {
  it('forbids scripts, styles and frames of other origins', async () => {
    const url = await serve();
    for (const path of ['/', '/boards/data-health', '/assets/pages.css', '/boards/none']) {
      const { headers } = await get(url + path);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe|\*|data:/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect((await get(`${url}/boards/data-health`)).text).not.toMatch(/ style="|<style|<script>|onclick/);
  });

  it('blames the database for failures of the database, and puts a fault of our own into the log', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'error', format: 'json', destination: { write: (line: string) => void lines.push(line) } });
    const pool = createPanelPool(new Secret(database.url), { max: 1 });
    const access = accessFor({ host: '127.0.0.1', password: undefined, pool });
    const fail = (path: string, error: () => unknown) => (server: FastifyInstance) =>
      server.get(path, async () => {
        throw error();
      });
    const serveMore = (server: FastifyInstance): void => {
      fail('/mistake', () => new TypeError('of our own'))(server);
      server.get('/mistake-in-turn', () => inSnapshot(pool, () => Promise.reject(new RangeError('of our own'))));
      fail('/away', () => new StoreError('gone', { retryable: true }))(server);
      server.get('/refused', () => pool.query('SELECT 1 / 0'));
    };
    const server = createHttpServer({});
    try {
      await server.register(servePages, { pool, boards: [], access, log, more: { links: [], notesAddress: '/notes', serve: serveMore } });
      const ask = (url: string) => server.inject({ url, headers: { host: 'localhost' } });
      for (const url of ['/mistake', '/mistake-in-turn']) {
        const mistake = await ask(url);
        expect(mistake.statusCode).toBe(500);
        expect(mistake.body).not.toContain('database');
        expect(lines.pop()).toContain('of our own');
      }
      for (const url of ['/away', '/refused']) {
        const { statusCode, body } = await ask(url);
        expect([statusCode, body]).toEqual([503, expect.stringContaining('The database does not answer right now.')]);
      }
      expect(lines).toEqual([]);
    } finally {
      await server.close();
      await pool.end();
    }
  });

  it('is there again when the database is, and explains the outage meanwhile', async () => {
    const url = await serve({ panels: { echo: ECHO } });
    expect((await get(`${url}/boards/test?weeks=4`)).code).toBe(200);
    await whileClosed(database.url, async (open) => {
      const away = await get(`${url}/boards/test?weeks=4`);
      expect(away).toMatchObject({ code: 503 });
      expect(away.text).toContain('The database does not answer right now. This page retries by itself.');
      expect(away.text).toContain('<a href="/boards/test?weeks=4">Try again now</a>');
      expect(away.text).not.toContain(new URL(database.url).password);
      expect((await get(`${url}/boards/test/echo.csv`)).code).toBe(503);
      await open();
      await until('the page', async () => (await get(`${url}/boards/test?weeks=4`)).code === 200);
    });
  });
});

describe('who may see it', () => {
  it('is anybody on this machine, under a loopback name only', async () => {
    const url = await serve();
    const { host, port } = new URL(url);
    for (const name of [host, `localhost:${port}`, `[::1]:${port}`]) expect(await getAs(name, `${url}/boards`)).toBe(200);
    for (const name of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', '10.0.0.1'])
      expect(await getAs(name, url)).toBe(403);
  });

  it('is nobody when the pages listen on another address without a password', async () => {
    const options = { host: '0.0.0.0', port: 0, databaseUrl: new Secret(database.url), password: undefined, log: silentLogger };
    await expect(startDashboards(options)).rejects.toThrow(
      /OPS_HOST: 0.0.0.0 can be reached by others, so the dashboards need a password; set OPS_PASSWORD/,
    );
  });

  it('is anybody who knows the password, until the session is ended', async () => {
    const url = await serve({ password: 'open sesame', panels: { echo: ECHO } });
    const logIn = (password: string, to = '/boards/test?weeks=4'): Promise<Response> =>
      fetch(`${url}/login`, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ password, to }) });

    for (const path of ['/', '/boards/test', '/boards/test/echo.csv']) {
      const { code, headers, text } = await get(url + path);
      expect([code, headers.get('location'), text]).toEqual([303, `/login?${new URLSearchParams({ to: path })}`, '']);
    }
    expect((await get(`${url}/assets/pages.css`)).code).toBe(200);
    const form = await get(`${url}/login?to=${encodeURIComponent('/boards/test?weeks=4')}`);
    expect(form.text).toContain('value="/boards/test?weeks=4"');
    expect(form.text).not.toContain('Panel');

    const refused = await logIn('open sesam');
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
    const let_in = await logIn('open sesame');
    expect([let_in.status, let_in.headers.get('location')]).toEqual([303, '/boards/test?weeks=4']);
    const cookie = let_in.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^searchmill_session_[0-9a-f]{8}=\d+\.[\w-]{22}\.\.[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    expect(cookie).not.toContain('sesame');
    const [session = ''] = cookie.split(';');
    expect((await get(`${url}/boards/test`, { cookie: session })).code).toBe(200);
    const [name, value = ''] = session.split('=');
    const [until_, id, , signature = ''] = value.split('.');
    for (const forged of [
      `${name}=`,
      `${name}=${Number(until_) + 1}.${id}..${signature}`,
      `${name}=${until_}.${id}..${signature.slice(1)}`,
      `${name}=${until_}.${'A'.repeat(22)}..${signature}`,
      `${name}=${until_}.${id}.${Buffer.from('boss').toString('base64url')}.${signature}`,
      `${name}=${until_}.${signature}`,
      `${name}=${until_}`,
    ]) {
      expect((await get(`${url}/boards/test`, { cookie: forged })).code).toBe(303);
    }
    const secure = await fetch(`${url}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'x-forwarded-proto': 'https' },
      body: new URLSearchParams({ password: 'open sesame' }),
    });
    expect(secure.headers.get('set-cookie')).toMatch(/; Secure$/);
    const out = await fetch(`${url}/logout`, { method: 'POST', redirect: 'manual', headers: { cookie: session } });
    expect(out.headers.get('set-cookie')).toMatch(/^searchmill_session_[0-9a-f]{8}=; .*Max-Age=0/);
    // A copy of the cookie is logged out, too.
    expect((await get(`${url}/boards/test`, { cookie: session })).code).toBe(303);
    const [again = ''] = ((await logIn('open sesame')).headers.get('set-cookie') ?? '').split(';');
    expect((await get(`${url}/boards/test`, { cookie: again })).code).toBe(200);
  });

  it.each([
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    '/boards/\\evil',
    '/boards/\r\nx-evil: 1',
    '/boardsevil',
    'javascript:alert(1)',
  ])('is led to one of our pages and not to %s', async (to) => {
    const url = await serve({ password: 'open sesame' });
    const answer = await fetch(`${url}/login`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ password: 'open sesame', to }),
    });
    expect(answer.headers.get('location')).toBe('/');
  });

  it('takes forms from its own pages only, and answers what is no form with a sentence', async () => {
    const url = await serve({ password: 'open sesame' });
    const post = (headers: Record<string, string>, body: BodyInit = new URLSearchParams({ password: 'open sesame' })) =>
      fetch(`${url}/login`, { method: 'POST', redirect: 'manual', headers, body });
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const refused = await post(headers);
      expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null]);
      expect((await fetch(`${url}/logout`, { method: 'POST', headers })).status).toBe(403);
    }
    for (const headers of [{}, { origin: url }, { 'sec-fetch-site': 'same-origin', origin: url }])
      expect((await post(headers)).status).toBe(303);
    const json = await post({ 'content-type': 'application/json' }, '{"password":"open sesame"}');
    expect([json.status, await json.text()]).toEqual([415, expect.stringContaining('Expected a form')]);
    expect((await post({ 'content-type': 'application/json' }, '{')).status).toBe(400);
  });

  it('may log in as often as it likes with the right password', async () => {
    const url = await serve({ password: 'open sesame' });
    const body = (): URLSearchParams => new URLSearchParams({ password: 'open sesame' });
    for (let time = 0; time < 15; time += 1)
      expect((await fetch(`${url}/login`, { method: 'POST', redirect: 'manual', body: body() })).status).toBe(303);
  });

  it('cannot guess the password: ten attempts a minute are allowed', async () => {
    const url = await serve({ password: 'open sesame' });
    const tried: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      tried.push((await fetch(`${url}/login`, { method: 'POST', body: new URLSearchParams({ password: `guess ${attempt}` }) })).status);
    }
    expect(tried).toEqual([...Array(10).fill(401), 429, 429]);
    const right = await fetch(`${url}/login`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ password: 'open sesame' }),
    });
    expect(right.status).toBe(429);
    expect(await right.text()).toContain('Too many wrong passwords from here.');
  });

  it('is told apart by address behind a trusted proxy only', async () => {
    const url = await serve({ password: 'open sesame', trustedProxies: ['127.0.0.0/8'] });
    const other = await serveDashboards(database.url, { password: 'open sesame' });
    const logIn = (at: string, address: string, password: string) =>
      fetch(`${at}/login`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'x-forwarded-for': address },
        body: new URLSearchParams({ password }),
      });
    try {
      for (const at of [url, other.url]) for (let attempt = 0; attempt < 11; attempt += 1) await logIn(at, '192.0.2.1', 'a guess');
      expect((await logIn(url, '192.0.2.1', 'open sesame')).status).toBe(429);
      expect((await logIn(url, '192.0.2.2', 'open sesame')).status).toBe(303);
      const refused = await logIn(other.url, '192.0.2.2', 'open sesame');
      expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('set OPS_TRUSTED_PROXIES')]);
    } finally {
      await other.close();
    }
  });

  it('cannot guess the password from many addresses, while those who know it are let in', async () => {
    const url = await serve({ password: 'open sesame', trustedProxies: ['loopback'] });
    const logIn = (address: string, password: string, signal?: AbortSignal) =>
      fetch(`${url}/login`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'x-forwarded-for': address },
        body: new URLSearchParams({ password }),
        ...(signal && { signal }),
      });
    const answers: number[] = [];
    const gone = new AbortController();
    const guesses = Array.from({ length: 50 }, async (_, host) => {
      for (let attempt = 0; attempt < 10 && !gone.signal.aborted; attempt += 1) {
        const answer = await logIn(`192.0.2.${host}`, `guess ${attempt}`, gone.signal).catch(() => undefined);
        if (answer) answers.push(answer.status);
      }
    });
    await until('the quick attempts to be spent', () => answers.length >= 30);
    // A client that comes for the first time is looked at before those that have failed already.
    expect((await logIn('198.51.100.7', 'open sesame')).status).toBe(303);
    expect(answers.filter((status) => status === 401).length).toBeLessThan(60);
    gone.abort();
    await Promise.all(guesses);
  });
});

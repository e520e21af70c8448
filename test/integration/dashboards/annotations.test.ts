// What happened in the weeks of a chart: marks in the drawing, the list under it, the CSV, and the notes that people add and remove.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { createPanelPool } from '../../../src/dashboards/run-panels.ts';
import { readAnnotations } from '../../../src/ledger/annotations.ts';
import { overflowOf, violationsOf } from '../../support/board-browser.ts';
import { runCli } from '../../support/command-line.ts';
import { isChromiumThere, launchBrowser } from '../../support/dashboards.ts';
import { createLogin } from '../../support/database-access.ts';
import { useOperatorPages } from '../../support/operator-pages.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const BEFORE = addDays(NEWEST, -7);
const HOSTILE = '=1"><script>window.isHacked=1</script>';

const pages = useOperatorPages(jobsSince(BEFORE, { rankings: 'keyword_rankings', elsewhere: 'keyword_rankings, account_id: 23456' }));
const { stack, logIn, textOf, post } = pages;

const BOARD = '/boards/rankings?account=12345';
const NOTES = '/operations/notes?account=12345';
const cli = (...args: string[]) => runCli(['note', ...args], { env: stack.env });

describe('a note', () => {
  it('is accepted only from our own forms with a session, and recorded with its author', async () => {
    const cookie = await logIn();
    const page = await textOf(NOTES, cookie);
    // A board is the same for all who read it, so it leads there.
    for (const board of [await textOf(BOARD, cookie), await textOf(BOARD)]) {
      expect(board).toContain(`href="${NOTES}"`);
      expect(board).not.toContain('name="formToken"');
    }
    const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const fields = { action: 'note', account: '12345', day: addDays(NEWEST, 2), text: 'shop\nmoved', formToken, to: NOTES };
    expect((await post(pages.guarded, fields)).status).toBe(303);
    expect((await post(pages.open, fields)).status).toBe(403);
    expect((await post(pages.guarded, { ...fields, formToken: '' }, { cookie })).status).toBe(403);
    expect((await post(pages.guarded, fields, { cookie, origin: 'https://evil.example' })).status).toBe(403);
    for (const wrong of [{ account: '99999' }, { day: 'today' }, { text: ' ' }, { text: 'x'.repeat(201) }])
      expect((await post(pages.guarded, { ...fields, ...wrong }, { cookie })).status, JSON.stringify(wrong)).toBe(409);
    expect(await stack.read('SELECT FROM searchmill.annotations')).toEqual([]);
    const done = await post(pages.guarded, fields, { cookie });
    expect([done.status, done.headers.get('location')]).toEqual([303, NOTES]);
    expect(await stack.read('SELECT actor, action, account_id, window_start::text, reason FROM searchmill.actions')).toEqual([
      { actor: 'Ann on the pages', action: 'note', account_id: 12345, window_start: addDays(NEWEST, 2), reason: 'shop moved' },
    ]);
    // Without a session there is the command instead of the form.
    expect(page).toContain('name="text"');
    expect(await textOf(NOTES)).not.toContain('name="formToken"');
    expect(await textOf(NOTES)).toContain('note add --account 12345');
    expect(await textOf(NOTES, cookie)).toContain('<bdi>shop moved (Ann on the pages)</bdi>');
    for (const strange of ['', '?account=x', '?account=1&account=2'])
      expect((await fetch(`${pages.open.url}/operations/notes${strange}`)).status).toBe(404);
  });

  it('is in the list of each chart of its account, in the CSV, and nowhere else', async () => {
    const html = await textOf(BOARD);
    expect(html).toContain(`data-week="${NEWEST}"`);
    // Told once, at the foot; the number of its week stands in the charts.
    expect(html.split('<bdi>shop moved (Ann on the pages)</bdi>')).toHaveLength(2);
    expect(await textOf('/boards/rankings?account=23456')).not.toContain('shop moved');
    const lines = (await textOf('/boards/rankings/market-share.csv?account=12345')).trim().split('\r\n');
    expect(lines[0]).toMatch(/,annotations$/);
    for (const line of lines.slice(1)) expect(line.includes('shop moved (Ann on the pages)'), line).toBe(line.startsWith(NEWEST));
  });

  it('is told at the foot of each board that chooses weeks, also where no chart has any', async () => {
    for (const board of ['home', 'rankings', 'signals']) {
      const notes = (weeks: string) =>
        textOf(`/boards/${board}?account=12345&weeks=${weeks}`).then((html) => html.split('id="what-happened"')[1] ?? '');
      for (const weeks of ['13', 'year', `..${NEWEST}`]) expect(await notes(weeks), `${board}, ${weeks}`).toContain('shop moved');
      expect(await notes(`${addDays(NEWEST, 7)}..`), board).not.toContain('shop moved');
    }
  });

  it('is added, listed and removed on the command line', async () => {
    expect((await cli('add', '--account', '777', '--date', NEWEST, '--text', 'x')).err).toContain('no job has account 777');
    expect((await cli('add', '--account', '12345', '--text', 'x')).err).toContain('--week or --date');
    const added = await cli('add', '--account', 'all', '--week', BEFORE, '--text', HOSTILE, '--json');
    const { noteId } = JSON.parse(added.out);
    expect(JSON.parse((await cli('list', '--account', '23456', '--json')).out)).toMatchObject([
      { accountId: null, week: BEFORE, kind: 'note', text: HOSTILE, noteId },
    ]);
    expect((await cli('list')).out).toContain('shop moved');
    expect((await cli('remove', String(noteId))).code).toBe(0);
    expect((await cli('remove', String(noteId))).code).toBe(2);
    const actions = await stack.read('SELECT action, reason FROM searchmill.actions ORDER BY id DESC LIMIT 2');
    expect(actions).toEqual(['remove_note', 'note'].map((action) => ({ action, reason: HOSTILE })));
  });
});

it('a login of one account sees what is about it and about all', async () => {
  const { pool } = stack;
  expect((await cli('add', '--account', '23456', '--date', NEWEST, '--text', 'of the other')).code).toBe(0);
  await cli('add', '--account', 'all', '--date', NEWEST, '--text', 'of all');
  const user = await createLogin(pool, stack.databaseUrl, 'searchmill_account');
  await pool.query('INSERT INTO searchmill.account_logins (login, account_id) VALUES ($1, 12345)', [user.name]);
  const asUser = createPanelPool(new Secret(user.url), { max: 1 });
  try {
    const seen = await readAnnotations(asUser, null);
    expect(new Set(seen.map(({ accountId }) => accountId))).toEqual(new Set([null, '12345']));
    expect(new Set(seen.filter(({ kind }) => kind === 'note').map(({ text }) => text))).toEqual(new Set(['of all', 'shop moved']));
    await expect(asUser.query('SELECT FROM searchmill.annotations')).rejects.toThrow('permission denied');
  } finally {
    await asUser.end();
    await pool.query('DELETE FROM searchmill.account_logins');
    await user.drop();
  }
});

describe.skipIf(!isChromiumThere)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each([360, 800, 1440])('marks are drawn and told, and strange notes are text, at %i px', async (width) => {
    const { noteId } = JSON.parse((await cli('add', '--account', '12345', '--date', NEWEST, '--text', HOSTILE, '--json')).out);
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: width === 800 ? 'dark' : 'light' });
    try {
      await page.goto(pages.open.url + BOARD);
      const panel = page.locator('#market-share');
      const canvas = panel.locator('.canvas');
      // A dashed line with the number of the mark.
      expect(await canvas.locator('svg path[stroke-dasharray]').count()).toBeGreaterThan(0);
      await canvas.focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      expect(await panel.locator('[aria-live]').textContent()).toMatch(/\(\d+\) shop moved \(Ann on the pages\)/);
      expect(await page.locator('.what-happened').textContent()).toContain(HOSTILE);
      expect(await page.locator('#groups sup.mark, #groups .empty').count()).toBeGreaterThan(0);
      expect(await page.evaluate('window.isHacked')).toBeUndefined();
      expect(await overflowOf(page)).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
    } finally {
      await page.close();
      await cli('remove', String(noteId));
    }
  });
});

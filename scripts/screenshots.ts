// npx tsx scripts/screenshots.ts [--address URL] [--folder F] [--widths 360,800] [--pages home,prompt] [--dark] [--fold 900]
// Takes pictures of all pages, or of the named ones, with the installed Chromium. --fold limits their height. For those of the README:
// --fold 1000 --widths 1200 --pages home,prompt --folder docs/pictures
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const { address, folder, widths, pages, dark, fold } = parseArgs({
  options: {
    address: { type: 'string', default: 'http://127.0.0.1:9464' },
    folder: { type: 'string', default: 'screenshots' },
    widths: { type: 'string', default: '360,800,1400' },
    pages: { type: 'string' },
    dark: { type: 'boolean', default: false },
    fold: { type: 'string' },
  },
}).values;

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  for (const width of widths.split(',').map(Number)) {
    const page = await browser.newPage({ viewport: { width, height: Number(fold ?? 900) }, colorScheme: dark ? 'dark' : 'light' });
    await page.goto(address);
    const links = await page.locator('nav a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    for (const href of links) {
      const { pathname } = new URL(href, address);
      const title = pathname.split('/').at(-1) ?? '';
      if (pages !== undefined && !pages.split(',').includes(title)) continue;
      await page.goto(new URL(href, address).href);
      await page.waitForLoadState('networkidle');
      const name = `${title}-${width}${dark ? '-dark' : ''}.png`;
      await page.screenshot({ path: join(folder, name), fullPage: fold === undefined });
      console.log(join(folder, name));
    }
    await page.close();
  }
} finally {
  await browser.close();
}

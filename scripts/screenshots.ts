// npx tsx scripts/screenshots.ts <address> <folder> [widths] [dark]: pictures of every board, by the Chromium of this machine.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [address = 'http://127.0.0.1:9464', folder = 'screenshots', widths = '360,800,1400', scheme = 'light'] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const width of widths.split(',').map(Number)) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme === 'dark' ? 'dark' : 'light' });
    await page.goto(address);
    const boards = await page.locator('nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    for (const path of ['/', ...boards]) {
      await page.goto(new URL(path, address).href);
      await page.waitForLoadState('networkidle');
      const name = `${path.split('/').at(-1) || 'overview'}-${width}${scheme === 'dark' ? '-dark' : ''}.png`;
      await page.screenshot({ path: join(folder, name), fullPage: true });
      console.log(join(folder, name));
    }
    await page.close();
  }
} finally {
  await browser.close();
}

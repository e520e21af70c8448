// Texts of a megabyte in every text column of every table: each board answers, and the process stays as small as docs/operations.md says.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { addDays } from '../../../src/core/weeks.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import type { Dataset } from '../../../src/datasets/dataset.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { finishReports } from '../../../src/reports/refresh.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { type WireValues, wireRow } from '../../support/wire-rows.ts';

const SERVER_FILE = fileURLToPath(new URL('../../support/dashboards-process.ts', import.meta.url));
const BOARDS_FOLDER = fileURLToPath(new URL('../../../dashboards', import.meta.url));
const TEXT_BYTES = 1_000_000;
const ROWS = 2;
const MAX_BYTES = 512 * 1024 * 1024;
const ANSWER_WITHIN_MS = 60_000;

const ledger = useLedger();

/** Each text of a row is its own; words of vocabularies that boards count by stay what they are. */
function longRow(dataset: Dataset, row: number): WireValues {
  const texts = dataset.columns
    .filter(({ pg, name }) => pg === 'text' && !name.endsWith('_attribution') && name !== 'collection_frequency')
    .map(({ name }) => [
      name,
      `${name.endsWith('_url') || name.endsWith('domain') ? `host${row}.example/` : `${name} ${row} `}${'x'.repeat(TEXT_BYTES)}`,
    ]);
  return {
    rank_standard: String(row + 1),
    ...Object.fromEntries(texts),
    sentiment_score: '0.5',
    brand_or_product_attribution: 'You',
    citation_attribution: 'You',
  };
}

it('every board answers, and the process takes no more than it may', async () => {
  const { pool, url: database } = ledger;
  const { accountId } = jobOf();
  for (const dataset of DATASETS) {
    const job = jobOf({ dataset, accountId });
    for (const back of [-7, 0]) {
      const window = { start: addDays(WEEK.start, back), end: addDays(WEEK.end, back) };
      const rows = Array.from({ length: ROWS }, (_, row) => wireRow(job, longRow(dataset, row), window.start));
      await loadWindow(pool, job, rows, window);
    }
  }
  await finishReports(pool, new AbortController().signal, () => undefined);
  const server = fork(SERVER_FILE, [database, BOARDS_FOLDER], { execArgv: ['--import', 'tsx'] });
  try {
    const [url] = (await once(server, 'message')) as [string];
    for (const { name } of readBoards()) {
      const askedAt = performance.now();
      const answer = await fetch(`${url}/boards/${name}?account=${accountId}`);
      const page = await answer.text();
      expect([name, answer.status]).toEqual([name, 200]);
      expect(performance.now() - askedAt, name).toBeLessThan(ANSWER_WITHIN_MS);
      expect(page.length, name).toBeLessThan(10_000_000);
      expect([name, page.match(/This panel could not be read.{0,200}/gs)]).toEqual([name, null]);
    }
    if (process.platform === 'linux') {
      const most = Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1024;
      expect(most).toBeLessThan(MAX_BYTES);
    }
  } finally {
    server.kill('SIGKILL');
  }
});

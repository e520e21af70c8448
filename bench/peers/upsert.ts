// The hand-written pipeline as the benchmark sees it.
import { fileURLToPath } from 'node:url';
import type { PageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import { runChild } from '../support/children.ts';
import type { Database } from '../support/database.ts';
import type { UpsertReport, UpsertWish } from './upsert-program.ts';

const PROGRAM = fileURLToPath(new URL('./upsert-program.ts', import.meta.url));

/** Loads the first pages of a topic with the hand-written pipeline. */
export async function loadByUpsert(
  bench: Bench,
  database: Database,
  service: PageService,
  wish: Omit<UpsertWish, 'baseUrl'>,
): Promise<UpsertReport> {
  const parameters = [...process.execArgv, PROGRAM, JSON.stringify({ baseUrl: service.baseUrl, ...wish } satisfies UpsertWish)];
  const { output } = await runChild(bench, process.execPath, parameters, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', DATABASE_URL: database.url.reveal() },
  });
  return JSON.parse(output) as UpsertReport;
}

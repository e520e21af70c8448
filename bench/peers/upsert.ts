// Runs the hand-written pipeline for the benchmark.
import { fileURLToPath } from 'node:url';
import type { PageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import { runChild } from '../support/children.ts';
import type { Database } from '../support/database.ts';
import type { UpsertOptions } from './upsert-program.ts';

const PROGRAM = fileURLToPath(new URL('./upsert-program.ts', import.meta.url));

/** Loads the first pages of a slice with the hand-written pipeline. Returns the seconds. */
export async function loadByUpsert(
  bench: Bench,
  database: Database,
  service: PageService,
  options: Omit<UpsertOptions, 'baseUrl'>,
): Promise<number> {
  const parameters = [...process.execArgv, PROGRAM, JSON.stringify({ baseUrl: service.baseUrl, ...options } satisfies UpsertOptions)];
  const { output } = await runChild(bench, process.execPath, parameters, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', DATABASE_URL: database.url.reveal() },
  });
  return Number(output);
}

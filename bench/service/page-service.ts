// Starts and controls a page server for the benchmark.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../support/bench.ts';
import { adoptChild } from '../support/children.ts';
import type { CallRecord, ServiceOptions } from './page-server.ts';

const PROGRAM = fileURLToPath(new URL('./page-server.ts', import.meta.url));

export type PageService = Readonly<{
  baseUrl: string;
  pid: number;
  /** The calls recorded so far. */
  readRecord: () => Promise<CallRecord>;
  /** From now on, queries return restated answers: 1 % of the rows differ between versions. */
  restate: (version: number) => Promise<unknown>;
  stop: () => Promise<void>;
}>;

/** Starts a page server; resolves when its prepared pages are made. */
export async function startPageService(bench: Bench, options: ServiceOptions): Promise<PageService> {
  const program = fork(PROGRAM, [JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const { pid, exited, errorOutput, stop } = adoptChild(bench, program);
  const ended = exited.then(() => Promise.reject(new Error(`the page server ended: ${errorOutput()}`)));
  const [port] = await Promise.race([once(program, 'message'), ended]);
  const baseUrl = `http://127.0.0.1:${port}`;
  const ask = async (path: string): Promise<CallRecord> => (await (await fetch(`${baseUrl}${path}`)).json()) as CallRecord;
  return { baseUrl, pid, readRecord: () => ask('/record'), restate: (version) => ask(`/restate/${version}`), stop };
}

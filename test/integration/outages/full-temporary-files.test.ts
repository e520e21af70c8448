// The folder of temporary files is really full: a tmpfs of a megabyte under a worker that many large answers come to at once. Only root may
// mount one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { aiSearchResponse } from '../../../src/datasets/ai-search-response.ts';
import { runCli } from '../../support/command-line.ts';
import { type FakeService, sendJson, startFakeService } from '../../support/fake-service.ts';
import { ensureBuilt, killPrograms, startProgram } from '../../support/program.ts';
import { whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const LOADS = 16;
const MAX_MB = 256;
/** 20 MiB of an answer, in rows as long responses make them. */
const ROWS = 200;
const TEXT = 'An assistant answers at length. '.repeat(3_300);

const reason = whyNoSmallDisk();

describe.skipIf(reason !== undefined)(`TMPDIR is full${reason === undefined ? '' : `, skipped: ${reason}`}`, () => {
  let stack: TestStack;
  let service: FakeService;
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    await ensureBuilt();
    const weeks = new Map<string, string>();
    service = await startFakeService((response, { body }) => {
      const { executionId, ...submit } = JSON.parse(body) as { executionId?: string; time_period_start?: string };
      const week = weeks.get(executionId ?? '');
      if (executionId !== undefined && week !== undefined) return sendPage(response, executionId, week);
      const id = `e-${weeks.size}`;
      weeks.set(id, submit.time_period_start ?? '');
      return sendJson(response, 202, { executionId: id, executionState: 'IN_PROGRESS', requestId: 'r', results: [], schema: [] });
    });
    stack = await createTestStack({
      queue: { kind: 'postgres', redisUrl: undefined },
      jobs: `
connections:
  main: { base_url: "${service.url}", auth: { token: any }, limits: { submits_per_minute: 40, reads_per_minute: 5000 } }
jobs:
  - { name: responses, dataset: ai_search_response, account_id: 12345, since: ${addDays(NEWEST, -7 * (LOADS - 1))}, weeks_per_query: 1, lookback_weeks: 0, schedule: { cron: "0 0 * * 0", timezone: UTC } }
`,
    });
    folder = mkdtempSync(join(tmpdir(), 'searchmill-small-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
    env = { ...stack.env, TMPDIR: folder };
  });
  afterAll(async () => {
    await killPrograms();
    await service.close();
    await stack.close();
    execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true });
  });

  it('large answers are refused with the folder and what helps, memory stays within its bound, and all is loaded once there is room', async () => {
    const worker = startProgram(['start', '--concurrency', String(LOADS)], env);
    const message =
      `no room for a large answer: memory for pages is full, and no temporary file can be written in ${folder} (ENOSPC); what helps: ` +
      `make 1024 MiB of room in ${folder}, or set TMPDIR to a folder on disk that has it`;
    const read = () => stack.read<{ state: string; error: string | null }>('SELECT state, last_error AS error FROM searchmill.executions');
    // Other errors that answers meet on a busy machine do not matter here.
    await until('most answers to be refused', async () => (await read()).filter(({ error }) => error === message).length > LOADS / 2);
    expect(worker.stdout).toContain(`MiB are free in ${folder}, and one large answer may take 256`);
    const status = await runCli(['status'], { env: stack.env });
    expect(status.out).toContain('no room for a large answer');
    expect(status.out).toContain(`make 1024 MiB of room in ${folder}`);

    execFileSync('mount', ['-o', 'remount,size=1g', folder]);
    await until('all weeks', async () => {
      await stack.pool.query('UPDATE searchmill.executions SET due_at = now() WHERE ended_at IS NULL AND due_at > now()');
      const all = await read();
      return all.length >= LOADS && all.every(({ state }) => state === 'published');
    });
    const peakMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8'))?.[1]) / 1024;
    worker.send('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    expect(await stack.read('SELECT count(*)::int AS rows FROM search.ai_search_response')).toEqual([{ rows: LOADS * ROWS }]);
    expect(await read()).toHaveLength(LOADS);
    expect(peakMb).toBeLessThan(MAX_MB);
  });
});

/** One page of one week, row by row, so that the test itself holds none of it. */
async function sendPage(response: ServerResponse, executionId: string, week: string): Promise<void> {
  const { columns } = aiSearchResponse;
  const textOf = (name: string, type: string, row: number): string => {
    if (name === 'time_period_end') return addDays(week, 6);
    if (name === 'account_id') return '12345';
    if (name === 'collection_frequency') return 'WEEKLY';
    if (name === 'ai_response') return TEXT;
    if (type === 'date') return week;
    return name === 'prompt' ? `prompt ${row}` : '1';
  };
  const schema = columns.map(({ name, wire }) => ({ name, type: wire }));
  const head = { executionId, executionState: 'COMPLETED', requestId: 'r', nextPageId: null, totalRowCount: ROWS, schema };
  function* pieces(): Generator<string> {
    yield `${JSON.stringify(head).slice(0, -1)},"results":[`;
    for (let row = 0; row < ROWS; row++) {
      yield (row === 0 ? '' : ',') + JSON.stringify(columns.map(({ name, wire }) => textOf(name, wire, row)));
    }
    yield ']}';
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  // The client closes the connection when it has no room for the rest.
  await pipeline(Readable.from(pieces()), response).catch(() => undefined);
}

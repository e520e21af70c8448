// One trial of a tool: an empty database, a sandbox of its own that watches it, and a folder.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { CallReport } from '../../sandbox/protocol/observations.ts';
import { HARD_LIMITS } from '../../src/core/limits.ts';
import { addDays, type IsoDate, lastCompleteWeek } from '../../src/core/weeks.ts';
import type { Bench } from '../support/bench.ts';
import { startChild } from '../support/children.ts';
import { createDatabase, type Database, openServerClock } from '../support/database.ts';
import { commandOf } from '../support/searchmill.ts';
import { until } from '../support/waiting.ts';
import type { Task, Tool } from './connector-tools.ts';
import { type GroupEnd, type ProgramGroup, startGroup } from './program-group.ts';

const TOKEN = 'peers-token';

export type TrialOptions = Readonly<{ weeks: number; size: string; queryMs?: number; submitsPerMinute?: number }>;
/** Rows by week, of the sandbox's account. */
export type RowsByWeek = ReadonlyMap<IsoDate, number>;

export type Trial = Readonly<{
  first: IsoDate;
  database: Database;
  /** Of the tool. */
  folder: string;
  postgresCpu: (() => number) | undefined;
  report: () => Promise<CallReport>;
  /** Calls /control of the sandbox: a plan of faults, or without one none. */
  setFaults: (fault: object | undefined) => Promise<void>;
  /** Starts the tool; `part` narrows or moves what it loads. */
  start: (part?: Partial<Task>) => ProgramGroup;
  /** Runs it to its end. Throws if a peer fails; ours may end with 1, which says that a load is held. */
  run: (part?: Partial<Task>) => Promise<GroupEnd>;
  /** Empty while there is no table. */
  rows: () => Promise<RowsByWeek>;
  count: (expression: string) => Promise<number>;
  end: () => Promise<void>;
}>;

/** Begins a trial. The sandbox and the database go at `end`, or with the figure's scope. */
export async function beginTrial(bench: Bench, tool: Tool, options: TrialOptions): Promise<Trial> {
  const { weeks, size, queryMs = 20, submitsPerMinute = HARD_LIMITS.submit } = options;
  const limits = ['--submits', String(submitsPerMinute), '--reads', '100000'];
  const words = commandOf([
    'sandbox',
    '--port',
    '0',
    '--size',
    size,
    '--query-ms',
    String(queryMs),
    '--token',
    TOKEN,
    '--control',
    ...limits,
  ]);
  const sandbox = await startChild(bench, words[0] ?? '', words.slice(1));
  const service = await until(async () => {
    if (sandbox.hasEnded()) throw new Error(`the sandbox ended: ${sandbox.errorOutput()}`);
    return /http:\/\/127\.0\.0\.1:\d+/.exec(sandbox.output())?.[0];
  }, bench.signal);
  const database = await createDatabase(bench);
  const folder = mkdtempSync(join(bench.directory, 'peer-'));
  // The newest week but one is certainly whole.
  const first = addDays(lastCompleteWeek(new Date(), 'UTC', 'sunday'), -7 * weeks);
  const task: Task = {
    ...{ service, token: TOKEN, submitsPerMinute, databaseUrl: database.url.reveal() },
    ...{ first, weeks, folder, reloads: false },
  };
  const start = (part: Partial<Task> = {}): ProgramGroup => {
    const { command, env } = tool.prepare({ ...task, ...part });
    return startGroup(bench, command, env);
  };
  const ask = async <T>(text: string): Promise<readonly T[]> => {
    try {
      return (await database.pool.query<T & object>(text)).rows;
    } catch (error) {
      // Before the tool has made its table.
      if (['42P01', '3F000'].includes(String((error as { code?: unknown }).code))) return [];
      throw error;
    }
  };
  return {
    first,
    database,
    folder,
    postgresCpu: await openServerClock(bench, database),
    report: async () => (await (await fetch(`${service}/report`)).json()) as CallReport,
    setFaults: async (fault) => {
      const about = fault ? { method: 'PUT', body: JSON.stringify({ rules: [{ on: { call: 'submit' }, fault }] }) } : { method: 'DELETE' };
      const answer = await fetch(`${service}/control/faults`, about);
      if (!answer.ok) throw new Error(`the sandbox refused the faults: ${await answer.text()}`);
    },
    start,
    run: async (part) => {
      const end = await start(part).ended;
      if (end.code !== 0 && !(end.code === 1 && tool.name === 'Searchmill'))
        throw new Error(`${tool.name} ended with ${end.code}: ${end.output}`);
      return end;
    },
    rows: async () => {
      const text = `SELECT left(time_period_start::text, 10) AS week, count(*)::float8 AS rows FROM ${tool.table} GROUP BY 1`;
      return new Map((await ask<{ week: IsoDate; rows: number }>(text)).map(({ week, rows }) => [week, rows]));
    },
    count: async (expression) =>
      (await ask<{ found: number }>(`SELECT (${expression})::float8 AS found FROM ${tool.table}`))[0]?.found ?? 0,
    end: async () => {
      await sandbox.stop();
      await database.drop();
    },
  };
}

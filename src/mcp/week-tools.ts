// The tools for weeks: what changed, coverage, one search over time, answers word for word, and the status of the loads.
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { systemClock } from '../core/clock.ts';
import { asTyped } from '../core/own-command.ts';
import { findProblems } from '../problems/find-problems.ts';
import { readStatus } from '../problems/read-status.ts';
import { findVerdict } from '../problems/verdict.ts';
import { knowsAccount, readAnswers, readAnswerWeeks, readChanges, readCoverageOf, readSearchHistory } from '../warehouse/assistants.ts';
import type { Client } from '../warehouse/pool.ts';
import type { Asking } from './asking.ts';
import { type AnswerRows, type DataAnswer, dataAnswer, MAX_ROWS, refusal } from './data-answer.ts';
import { strictInput } from './strict-input.ts';

/** Most rows read. Those above MAX_ROWS are only counted and named. */
const READ_ROWS = 20_000;
const MAX_ANSWERS = 10;
const MAX_PROBLEMS = 30;
const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

const account = z
  .string()
  .regex(/^-?\d{1,18}$/)
  .describe('Number of the account, as returned by list_boards');
const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((given) => !given.includes('\0'), 'expected text without the character NUL');
const weeks = z.int().min(1).max(104).default(13).describe('How many of the newest weeks');

export function addWeekTools(server: McpServer, asking: Asking): void {
  server.registerTool(
    'what_changed',
    {
      title: 'Weeks that changed',
      description:
        'Lists what happened to weeks, the newest first: published, revised, held, removed, with counts of rows. Counts are those of the whole publication, which may cover several weeks: do not add them up. Pass the last cursor to get only newer events.',
      inputSchema: strictInput({
        account: account.optional(),
        after_cursor: z.int().min(0).default(0),
        limit: z.int().min(1).max(MAX_ROWS).default(50),
      }),
      annotations: READ_ONLY,
    },
    (input) =>
      answerAbout(asking, input.account, async (client) => {
        const changes = await readChanges(client, { accountId: input.account ?? null, cursor: input.after_cursor, most: input.limit + 1 });
        return dataAnswer({ cursor: changes[0]?.cursor ?? input.after_cursor }, firstOf('changes', changes, input.limit));
      }),
  );
  server.registerTool(
    'coverage',
    {
      title: 'Which weeks are there',
      description:
        'Lists the state of each week of each job: published, running, held, failed, missing, and why. Figures of a week that is not published are gaps, not zeros.',
      inputSchema: strictInput({ job: text(63).optional().describe('Name of a job; default: all'), weeks }),
      annotations: READ_ONLY,
    },
    (input) =>
      asking.answer(async (client) => {
        const read = (job: string | null) => readCoverageOf(client, { job, weeks: input.weeks, most: READ_ROWS });
        const found = await read(input.job ?? null);
        if (found.length > 0 || input.job === undefined) return dataAnswer({}, weeksOf(found));
        const jobs = [...new Set((await read(null)).map(({ job }) => String(job)))];
        return refusal(`No job of this name has weeks in this range. Jobs that have: ${jobs.join(', ') || 'none'}.`);
      }),
  );
  server.registerTool(
    'search_history',
    {
      title: 'One search over time',
      description:
        'Our best place for one keyword in each week, by engine, country and device. If gap has a reason, our place is unknown: it is not a loss. Without a gap, a null place means that we were not found as deep as the search was tracked, by standard rank (place: results that are links) or by true rank (truePlace: any result of the page).',
      inputSchema: strictInput({ account, search: text(500).min(1).describe('The keyword'), weeks }),
      annotations: READ_ONLY,
    },
    (input) =>
      answerAbout(asking, input.account, async (client) => {
        const asked = { accountId: input.account, search: input.search, weeks: input.weeks, most: READ_ROWS };
        return dataAnswer({ search: input.search }, weeksOf(await readSearchHistory(client, asked)));
      }),
  );
  server.registerTool(
    'get_answers',
    {
      title: 'Answers of AI assistants',
      description: `Up to ${MAX_ANSWERS} answers of AI assistants in one week, with their prompts, the first 2,000 characters of each. They are quotations. If gap has a reason, the answers of the week are incomplete.`,
      inputSchema: strictInput({
        account,
        week: z.iso.date().optional().describe('The Sunday that begins the week; default: the newest'),
        assistant: text(100).optional(),
        prompt_contains: text(500).optional(),
        limit: z.int().min(1).max(MAX_ANSWERS).default(5),
      }),
      annotations: READ_ONLY,
    },
    (input) =>
      answerAbout(asking, input.account, async (client) => {
        const known = await readAnswerWeeks(client, input.account);
        const chosen = known.find(({ week, isPublished }) => (input.week === undefined ? isPublished : week === input.week));
        if (!chosen) return refusal(`There is no such week of answers. Weeks: ${known.map(({ week }) => week).join(', ') || 'none'}.`);
        const asked = {
          accountId: input.account,
          week: chosen.week,
          assistant: input.assistant ?? null,
          contains: input.prompt_contains ?? null,
          most: input.limit + 1,
        };
        const told = { week: chosen.week, gap: chosen.reason };
        return dataAnswer(told, firstOf('answers', await readAnswers(client, asked), input.limit));
      }),
  );
  server.registerTool(
    'status',
    {
      title: 'State of the loads',
      description: 'Says whether anyone needs to act, and lists the problems, with commands for an operator. It changes nothing.',
      inputSchema: strictInput({}),
      annotations: READ_ONLY,
    },
    () =>
      asking.guard(async () => {
        const status = await readStatus(asking.pool);
        const problems = findProblems(status, systemClock.now());
        const { text, expected, published, underWay } = findVerdict(status, problems);
        const told = problems.slice(0, MAX_PROBLEMS).map(({ kind, severity, job, title, why, commands }) => ({
          kind,
          severity,
          job,
          title: asTyped(title),
          why: why.map(asTyped),
          commands: commands.map(asTyped),
        }));
        return dataAnswer(
          { verdict: text, weeks: { expected, published, underWay }, problems: problems.length },
          { name: 'list', all: told },
        );
      }),
  );
}

/** Refuses an unknown account: an answer without rows would read as if nothing had happened. */
function answerAbout(asking: Asking, accountId: string | undefined, read: (client: Client) => Promise<DataAnswer>): Promise<DataAnswer> {
  return asking.answer(async (client) => {
    if (accountId === undefined || (await knowsAccount(client, accountId))) return read(client);
    return refusal('This account is unknown. list_boards names the accounts.');
  });
}

/** The first `most` rows. The caller reads one more to know whether there are more. */
const firstOf = (name: string, rows: readonly unknown[], most: number): AnswerRows => ({
  name,
  all: rows.slice(0, most),
  isCut: rows.length > most,
});

/** Rows with the newest week first, so that the oldest are left out. */
function weeksOf(all: readonly Readonly<Record<string, unknown>>[]): AnswerRows {
  const weekOf = (row: unknown): string => String((row as { week?: unknown } | undefined)?.week);
  return {
    name: 'weeks',
    all,
    isCut: all.length === READ_ROWS,
    nameRows: (left) => `weeks from ${weekOf(left[0])} back to ${weekOf(left.at(-1))}`,
  };
}

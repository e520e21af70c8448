// The tools for weeks: what changed, coverage, one search over time, answers word for word, and the status of the loads.
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { systemClock } from '../core/clock.ts';
import { nameSome } from '../core/name-some.ts';
import { asTyped } from '../core/own-command.ts';
import { addressOf } from '../dashboards/links.ts';
import type { Client } from '../postgres/pool.ts';
import { findProblems } from '../problems/find-problems.ts';
import { readStatus } from '../problems/read-status.ts';
import { findVerdict } from '../problems/verdict.ts';
import type { Asking } from './asking.ts';
import { knowsAccount, readAccounts, readAnswers, readAnswerWeeks, readChanges, readCoverageOf, readSearchHistory } from './assistants.ts';
import { type AnswerRows, type DataAnswer, dataAnswer, MAX_ROWS, refusal } from './data-answer.ts';
import { account, findNearest, restFrom, text, weeks, whole } from './inputs.ts';
import { strictInput } from './strict-input.ts';

/** Most rows read. Those above MAX_ROWS are only counted and named. */
const READ_ROWS = 20_000;
const MAX_ANSWERS = 10;
const MAX_PROBLEMS = 30;
const MAX_NAMED = 20;
const COVERED = 'Only weeks whose state is published have figures; those of all others are unknown, not zero.';
const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

export function addWeekTools(server: McpServer, asking: Asking): void {
  server.registerTool(
    'what_changed',
    {
      title: 'Weeks that changed',
      description:
        'Lists what happened to weeks, the newest first: published, revised, held, removed, with counts of rows. Counts are those of the whole publication, which may cover several weeks: do not add them up. Pass cursor as after_cursor to get only newer events, and next.before_cursor to get older ones.',
      inputSchema: strictInput({
        account: account.optional(),
        after_cursor: whole(0).default(0),
        before_cursor: whole(1).optional().describe('To page backwards: next.before_cursor of the answer before'),
        limit: whole(1, MAX_ROWS).default(50),
      }),
      annotations: READ_ONLY,
    },
    (input) =>
      answerAbout(asking, input.account, async (client) => {
        const { account: accountId = null, after_cursor: cursor, before_cursor: before = null, limit } = input;
        const changes = await readChanges(client, { accountId, cursor, before, most: limit + 1 });
        const nextOf = (shown: readonly unknown[]) => ({
          before_cursor: (shown.at(-1) as { cursor?: number } | undefined)?.cursor ?? before,
        });
        const link = addressOf('data-health/revised', { account: accountId, week: null, things: [] });
        const means = 'A revised week has other figures than it was first published with; a held or removed one has none.';
        return dataAnswer({ means, link, cursor: changes[0]?.cursor ?? cursor }, { ...firstOf('changes', changes, limit), nextOf });
      }),
  );
  server.registerTool(
    'coverage',
    {
      title: 'Which weeks are there',
      description:
        'Lists the state of each week of each job: published, running, held, failed, missing, and why. Figures of a week that is not published are gaps, not zeros.',
      inputSchema: strictInput({ job: text(63).optional().describe('Name of a job; default: all'), weeks, rest_from: restFrom }),
      annotations: READ_ONLY,
    },
    (input) =>
      asking.answer(async (client) => {
        const read = (job: string | null) => readCoverageOf(client, { job, weeks: input.weeks, most: READ_ROWS });
        const found = await read(input.job ?? null);
        if (found.length > 0 || input.job === undefined)
          return dataAnswer({ means: COVERED, link: '/boards/data-health#coverage' }, weeksOf(found, input.rest_from));
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
      inputSchema: strictInput({ account, search: text(500).min(1).describe('The keyword'), weeks, rest_from: restFrom }),
      annotations: READ_ONLY,
    },
    (input) =>
      answerAbout(asking, input.account, async (client) => {
        const asked = { accountId: input.account, search: input.search, weeks: input.weeks, most: READ_ROWS };
        const found = await readSearchHistory(client, asked);
        const isTracked = found.some(({ engine, country, device }) => (engine ?? country ?? device ?? null) !== null);
        const nearest = isTracked ? undefined : await findNearest(client, { accountId: input.account, kind: 'searches' }, input.search);
        if (nearest) return refusal('This search is not tracked. list_tracked has all; these are the nearest:', { nearest });
        const link = addressOf('search', { account: input.account, week: null, things: [['keyword', input.search]] });
        const why = `/boards/why?${new URLSearchParams({ account: input.account, measure: 'visibility', keyword: input.search })}`;
        const means = 'Our best place for this keyword by week; a place without a gap that is null was not found as deep as trackedTo.';
        return dataAnswer({ means, search: input.search, link, why }, weeksOf(found, input.rest_from));
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
        assistant: text(100).optional().describe('Name of an assistant, as returned by list_tracked'),
        topic: text(500).optional().describe('Name of a topic, as returned by list_tracked'),
        prompt_contains: text(500).optional(),
        limit: whole(1, MAX_ANSWERS).default(5),
        rest_from: restFrom,
      }),
      annotations: READ_ONLY,
    },
    (input) =>
      answerAbout(asking, input.account, async (client) => {
        const known = await readAnswerWeeks(client, input.account);
        const chosen = known.find(({ week, isPublished }) => (input.week === undefined ? isPublished : week === input.week));
        if (!chosen) return refusal(`There is no such week of answers. Weeks: ${known.map(({ week }) => week).join(', ') || 'none'}.`);
        const { account: accountId, assistant = null, topic = null, prompt_contains: contains = null, limit, rest_from: from } = input;
        const most = from + limit + 1;
        const found = await readAnswers(client, { accountId, week: chosen.week, assistant, topic, contains, most });
        for (const [kind, given] of Object.entries({ assistants: assistant, topics: topic } as const)) {
          if (given === null || found.length > 0) continue;
          const nearest = await findNearest(client, { accountId, kind: kind as 'assistants' | 'topics', week: chosen.week }, given);
          if (nearest) return refusal(`None of the ${kind} of this week has this name. These are the nearest:`, { nearest });
        }
        const link = addressOf('ai-visibility', { account: accountId, week: chosen.week, things: [] });
        const means = 'Quotations of what assistants answered in this week: words of others, not figures.';
        return dataAnswer({ means, week: chosen.week, gap: chosen.reason, link }, { ...firstOf('answers', found, from + limit), from });
      }),
  );
  server.registerTool(
    'status',
    {
      title: 'State of the loads',
      description: 'Says whether anyone needs to act, and lists the problems, with commands for an operator. It changes nothing.',
      inputSchema: strictInput({ rest_from: restFrom }),
      annotations: READ_ONLY,
    },
    ({ rest_from: from }) =>
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
          {
            means: 'What of the loads works, and what needs somebody.',
            link: '/boards/data-health',
            verdict: text,
            weeks: { expected, published, underWay },
            problems: problems.length,
          },
          { name: 'list', all: told, from },
        );
      }),
  );
}

/** Refuses an unknown account: an answer without rows would read as if nothing had happened. */
export function answerAbout(
  asking: Asking,
  accountId: string | undefined,
  read: (client: Client) => Promise<DataAnswer>,
): Promise<DataAnswer> {
  return asking.answer(async (client) => {
    if (accountId === undefined || (await knowsAccount(client, accountId))) return read(client);
    const known = (await readAccounts(client)).map((each) => each.account);
    return refusal(`This account is unknown. Accounts: ${nameSome(known, MAX_NAMED) || 'none'}.`);
  });
}

/** The first `most` rows. The caller reads one more to know whether there are more. */
const firstOf = (name: string, rows: readonly unknown[], most: number): AnswerRows => ({
  name,
  all: rows.slice(0, most),
  isCut: rows.length > most,
});

/** Rows with the newest week first, so that the oldest are left out. */
function weeksOf(all: readonly Readonly<Record<string, unknown>>[], from: number): AnswerRows {
  const weekOf = (row: unknown): string => String((row as { week?: unknown } | undefined)?.week);
  return {
    name: 'weeks',
    all,
    from,
    isCut: all.length === READ_ROWS,
    nameRows: (left) => `weeks from ${weekOf(left[0])} back to ${weekOf(left.at(-1))}`,
  };
}

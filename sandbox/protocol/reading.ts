// The poll and page steps: the progress of an execution, and its rows. Source: service specification, "Poll body", "Paginate body" and
// "States and transitions".
import { z } from 'zod';
import type { Clock } from '../../src/core/clock.ts';
import { PAGE_SIZE } from '../../src/core/limits.ts';
import { FIRST_PAGE, type PageStart, readPage, rowsToJson } from '../queries/pages.ts';
import { describeIssue } from '../queries/submit-body.ts';
import { type Answer, completed, inProgress, type RecordForm, refusal } from './answers.ts';
import type { Exchange, Step } from './exchange.ts';
import type { Execution, Executions } from './executions.ts';
import type { Observations, Violation } from './observations.ts';
import type { PageTokens } from './page-tokens.ts';

export const pollSchema = z.strictObject({ executionId: z.string().meta({ description: 'Identifier from the answer to the submit.' }) });
export const paginateSchema = z.strictObject({
  executionId: z.string().meta({ description: 'Identifier from the answer to the submit.' }),
  nextPageId: z.string().meta({ description: 'Token from the immediately previous answer.' }),
  pageSize: z.int().min(PAGE_SIZE.min).max(PAGE_SIZE.max).optional().meta({ default: PAGE_SIZE.default, description: 'Rows to return.' }),
});

export type ReadTools = Readonly<{
  executions: Executions;
  tokens: PageTokens;
  observations: Observations;
  clock: Clock;
  pageMs: number;
  records: RecordForm;
}>;

/** 202 while the query runs; then 200 with the first page, for every poll. */
export function answerPoll(tools: ReadTools): Step {
  return (exchange) => {
    if (exchange.call !== 'poll') return undefined;
    const parsed = pollSchema.safeParse(exchange.body);
    if (!parsed.success) return refusal(400, describeIssues(parsed.error, exchange, 'a poll body (which executionId makes it)'));
    const execution = findExecution(tools, exchange, parsed.data.executionId);
    if ('status' in execution) return execution;
    if (!isCompleted(execution, exchange.receivedAt)) return inProgress(execution.id, exchange.requestId, tools.records);
    execution.lastPageId = null;
    return answerPageAt(tools, exchange, execution, { start: FIRST_PAGE, size: PAGE_SIZE.default });
  };
}

/**
 * 200 with the page that a token stands for. Any token of the execution is valid as long as the execution, because an answer may be lost and
 * a client may continue from an earlier place; but only one page at a time.
 */
export function answerPage(tools: ReadTools): Step {
  const { tokens, observations, clock, pageMs } = tools;
  return async (exchange) => {
    if (exchange.call !== 'page') return undefined;
    const parsed = paginateSchema.safeParse(exchange.body);
    if (!parsed.success) return refusal(400, describeIssues(parsed.error, exchange, 'a paginate body (which nextPageId makes it)'));
    const { executionId, nextPageId, pageSize = PAGE_SIZE.default } = parsed.data;
    const execution = findExecution(tools, exchange, executionId);
    if ('status' in execution) return execution;
    const refuse = (violation: Violation, message: string): Answer => {
      observations.noteViolation(violation);
      return refusal(400, message);
    };
    if (!isCompleted(execution, exchange.receivedAt)) return refuse('earlyPages', `execution ${executionId} has not completed yet`);
    const start = tokens.read(executionId, nextPageId);
    if (!start) return refuse('foreignPageIds', `nextPageId is not a token of execution ${executionId}`);
    if (execution.isPageInFlight) {
      return refuse('parallelPages', `pagination is sequential: another page of execution ${executionId} is still being answered`);
    }
    execution.isPageInFlight = true;
    exchange.onFinished(() => {
      execution.isPageInFlight = false;
    });
    noteOrder(observations, execution, nextPageId);
    if (pageMs > 0) await clock.sleep(pageMs);
    return answerPageAt(tools, exchange, execution, { start, size: pageSize });
  };
}

function answerPageAt(
  { executions, tokens, records }: ReadTools,
  exchange: Exchange,
  execution: Execution,
  { start, size }: Readonly<{ start: PageStart; size: number }>,
): Answer {
  const totalRows = execution.totalRows ?? 0;
  const { rows, next } = readPage(executions.planOf(execution), start, size, totalRows);
  execution.newestPageId = next ? tokens.issue(execution.id, next) : null;
  return completed({
    executionId: execution.id,
    requestId: exchange.requestId,
    dataset: execution.query.dataset,
    rowsJson: rowsToJson(rows),
    nextPageId: execution.newestPageId,
    totalRows,
    form: records,
  });
}

/** The execution with that id, or a refusal. A foreign execution is reported as unknown. */
function findExecution({ executions, observations }: ReadTools, exchange: Exchange, id: string): Execution | Answer {
  const refuse = (violation: Violation, message: string): Answer => {
    observations.noteViolation(violation);
    return refusal(400, message);
  };
  exchange.executionId = id;
  const execution = executions.find(id);
  if (!execution) return refuse('unknownExecutions', `executionId ${id} is not known`);
  if (execution.credential !== exchange.credential) return refuse('foreignExecutions', `executionId ${id} is not known`);
  if (execution.query.dataset !== exchange.dataset) {
    return refuse('foreignExecutions', `executionId ${id} belongs to the operation ${execution.query.dataset.name}`);
  }
  if (execution.expiresAtMs <= exchange.receivedAt.getTime()) return refuse('expiredExecutions', `executionId ${id} has expired`);
  if (execution.failure !== undefined) throw execution.failure;
  return execution;
}

function isCompleted({ readyAtMs, totalRows }: Execution, at: Date): boolean {
  return totalRows !== undefined && readyAtMs <= at.getTime();
}

function noteOrder(observations: Observations, execution: Execution, pageId: string): void {
  if (pageId === execution.lastPageId) observations.noteViolation('repeatedPages');
  else if (pageId !== execution.newestPageId) observations.noteViolation('outOfOrderPages');
  execution.lastPageId = pageId;
}

function describeIssues(error: z.ZodError, exchange: Exchange, what: string): string {
  return error.issues.flatMap((issue) => describeIssue(issue, exchange.body, what)).join('; ');
}

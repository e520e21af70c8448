// The submit step: a checked question becomes an execution. Source: service specification, "States and transitions".
import { DATASETS } from '../../src/datasets/index.ts';
import type { Query } from '../queries/query.ts';
import { parseSubmit, type SubmitParse, submitSchema } from '../queries/submit-body.ts';
import { hashText, share } from '../world/hash.ts';
import { type Calendar, newestWeek } from '../world/reported-weeks.ts';
import type { World } from '../world/world.ts';
import { inProgress, type RecordForm, refusal } from './answers.ts';
import type { Exchange, Step } from './exchange.ts';
import type { Executions } from './executions.ts';
import type { Observations } from './observations.ts';

/** Reads submit bodies for one company. */
export type QuestionReader = (operation: string, body: unknown, askedAt: Date) => SubmitParse;

export function createQuestionReader(world: World, calendar: Calendar): QuestionReader {
  const known = new Map(DATASETS.map((dataset) => [dataset.name as string, { dataset, schema: submitSchema(dataset) }]));
  const accountIds = new Set(world.propertiesByAccount.keys());
  return (operation, body, askedAt) => {
    const entry = known.get(operation);
    if (!entry) return { problems: [`there is no operation ${operation}`] };
    return parseSubmit(entry.dataset, entry.schema, body, { accountIds, newestWeek: newestWeek(askedAt, calendar) });
  };
}

export type SubmitTools = Readonly<{
  readQuestion: QuestionReader;
  /** Returns the problems with the period of a question. */
  checkPeriod: (query: Query) => readonly string[];
  /** Adds the revisions of the rows since they were first reported. */
  revise: (query: Query, exchange: Exchange) => Query;
  executions: Executions;
  observations: Observations;
  queryMs: number;
  records: RecordForm;
}>;

export function answerSubmit(tools: SubmitTools): Step {
  const { readQuestion, checkPeriod, revise, executions, observations, queryMs, records } = tools;
  return (exchange) => {
    const { call, credential, dataset, body, receivedAt, requestId } = exchange;
    if (call !== 'submit' || !credential) return undefined;
    const parsed = readQuestion(dataset.name, body, receivedAt);
    if ('problems' in parsed) return refusal(400, parsed.problems.join('; '));
    const misfits = checkPeriod(parsed.query);
    if (misfits.length > 0) return refusal(400, misfits.join('; '));
    const execution = executions.create(
      revise(parsed.query, exchange),
      credential,
      receivedAt.getTime(),
      durationOf(parsed.query, queryMs),
    );
    exchange.executionId = execution.id;
    observations.noteSubmit({
      operation: dataset.name,
      credential: credential.name,
      executionId: execution.id,
      at: receivedAt.toISOString(),
      body,
    });
    return inProgress(execution.id, requestId, records);
  };
}

/** Duration of a query in milliseconds: the same for the same question. */
function durationOf({ dataset, window, filters }: Query, queryMs: number): number {
  const question = `${dataset.name} ${window.start} ${window.end} ${JSON.stringify(filters)}`;
  return queryMs * (0.5 + share(hashText(question)));
}

// Faults in what the service says about an execution: the sandbox makes its own answer first, so that its state of the execution stays
// consistent, and then alters that answer.
import { type Answer, inProgress, type RecordForm } from '../protocol/answers.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { Execution, Executions } from '../protocol/executions.ts';
import type { Observations } from '../protocol/observations.ts';
import type { PageTokens } from '../protocol/page-tokens.ts';
import { FIRST_PAGE, type PageStart } from '../queries/pages.ts';
import { applyFlaws, type ContentFlaw, flawOfAnswer, flawOfExecution } from './content.ts';
import { failed, refuseId } from './endings.ts';
import type { FaultOf, FaultOfStage } from './fault.ts';
import { closePage, openPage, type PageRecord } from './page-record.ts';
import type { PlanRun } from './plan-run.ts';

export type AlterationTools = Readonly<{ executions: Executions; tokens: PageTokens; observations: Observations; records: RecordForm }>;

/** A successful answer. `lastPageId` is the page requested before this call. */
export type Answered = Readonly<{ exchange: Exchange; execution: Execution; lastPageId: string | null; answer: Answer }>;

export class Alterations {
  readonly #tools: AlterationTools;
  // Both last as long as the execution, whatever happens to the plan.
  readonly #flaws = new WeakMap<Execution, readonly ContentFlaw[]>();
  readonly #failures = new WeakMap<Execution, FaultOf<'failed'>>();
  /** Makes tokens unique. */
  #variant = 0;

  constructor(tools: AlterationTools) {
    this.#tools = tools;
  }

  flawsOf(execution: Execution): readonly ContentFlaw[] {
    return this.#flaws.get(execution) ?? [];
  }

  /**
   * The answer with all faults applied. Without `mayMeet` no rule is evaluated, because the answer will not arrive; only faults that began
   * earlier continue.
   */
  alter(answered: Answered, run: PlanRun | undefined, mayMeet: boolean): Answer {
    const { exchange, execution, answer } = answered;
    const rules = mayMeet ? run : undefined;
    const ending = this.#goOnEnding(answered, run) ?? (rules && this.#beginEnding(answered, rules));
    if (ending) return ending;
    const hasRows = answer.status === 200;
    let altered = answer;
    if (hasRows) altered = this.#alterPage(answered, rules);
    else if (rules && exchange.call === 'submit') {
      this.#flaws.set(execution, rules.meet('content', exchange, execution).map(flawOfExecution));
      for (const { fault } of rules.meet('tokens', exchange, execution))
        if (fault.kind === 'odd_token') altered = nameOddly(altered, fault);
    }
    for (const { fault } of rules?.meet('status', exchange, execution) ?? [])
      altered =
        fault.kind === 'lower_case' ? writeInLowerCase(altered) : { ...altered, status: hasRows ? fault.completed : fault.in_progress };
    return altered;
  }

  #goOnEnding({ exchange, execution }: Answered, run: PlanRun | undefined): Answer | undefined {
    const failure = this.#failures.get(execution);
    if (failure) {
      this.#tools.observations.noteViolation('failedExecutions');
      exchange.faults.push('failed');
      return failed(execution.id, exchange.requestId, failure);
    }
    if (exchange.call !== 'poll' || !run?.takeStuckPoll(execution)) return undefined;
    exchange.faults.push('stuck');
    return inProgress(execution.id, exchange.requestId, this.#tools.records);
  }

  #beginEnding({ exchange, execution }: Answered, run: PlanRun): Answer | undefined {
    const fault = run.meet('execution', exchange, execution, 1)[0]?.fault;
    switch (fault?.kind) {
      case 'failed':
        this.#failures.set(execution, fault);
        return failed(execution.id, exchange.requestId, fault);
      case 'stuck':
        run.stick(execution, fault.polls);
        // A poll is the first stuck call.
        return exchange.call === 'poll' && run.takeStuckPoll(execution)
          ? inProgress(execution.id, exchange.requestId, this.#tools.records)
          : undefined;
      case 'expired_id':
        execution.expiresAtMs = exchange.receivedAt.getTime();
        return refuseId(execution.id, fault.kind);
      case 'rejected_id':
        this.#tools.executions.forget(execution.id);
        return refuseId(execution.id, fault.kind);
      default:
        return undefined;
    }
  }

  #alterPage({ exchange, execution, lastPageId, answer }: Answered, run: PlanRun | undefined): Answer {
    const asked = typeof exchange.body?.nextPageId === 'string' ? exchange.body.nextPageId : null;
    const start = (asked === null ? undefined : this.#tools.tokens.read(execution.id, asked)) ?? FIRST_PAGE;
    const flaws = [
      ...this.flawsOf(execution),
      ...(run?.meet('content', exchange, execution) ?? []).map((met) => flawOfAnswer(met, start.rowsBefore)),
    ];
    const astray = run?.meet('tokens', exchange, execution) ?? [];
    if (flaws.length + astray.length === 0) return answer;
    const page = openPage(answer);
    for (const { fault } of flaws) if (fault.kind === 'endless_pages') this.#goOn(fault, page, execution, asked);
    for (const { fault } of astray) this.#leadAstray(fault, page, execution, { asked, start, lastPageId });
    // A client is expected to follow the token.
    execution.newestPageId = page.nextPageId ?? null;
    applyFlaws(page, execution.query, start.rowsBefore, flaws);
    return closePage(answer, page);
  }

  #leadAstray(fault: FaultOfStage<'tokens'>, page: PageRecord, { id }: Execution, { asked, start, lastPageId }: Whereabouts): void {
    const { tokens } = this.#tools;
    if (fault.kind === 'repeated_token') page.nextPageId = asked;
    else if (fault.kind === 'cyclic_token') {
      // The page requested before this one; for the first page, or one requested twice, the very first page.
      page.nextPageId = lastPageId !== null && lastPageId !== asked ? lastPageId : tokens.issue(id, FIRST_PAGE);
    } else if (fault.kind === 'empty_page') {
      page.results = [];
      page.nextPageId = tokens.issue(id, start, ++this.#variant);
    } else if (page.nextPageId) {
      const next = tokens.read(id, page.nextPageId);
      // The long token is valid; the other one cannot be stored.
      page.nextPageId = fault.value === 'long' && next ? tokens.issue(id, next, '1'.repeat(fault.size)) : `${page.nextPageId}\u0000`;
    }
  }

  /** Adds page numbers to the tokens, so that a circle leads back to exactly the same tokens. */
  #goOn(
    { afterwards, circle = Number.POSITIVE_INFINITY }: FaultOf<'endless_pages'>,
    page: PageRecord,
    execution: Execution,
    asked: string | null,
  ): void {
    const { tokens } = this.#tools;
    const pageNumber = (asked === null ? 0 : tokens.variantOf(asked)) + 1;
    const own = page.nextPageId ? tokens.read(execution.id, page.nextPageId) : undefined;
    const end =
      afterwards === 'rows_again' ? FIRST_PAGE : { unit: Number.MAX_SAFE_INTEGER, offset: 0, rowsBefore: execution.totalRows ?? 0 };
    const isBack = pageNumber >= circle;
    page.nextPageId = tokens.issue(execution.id, isBack ? FIRST_PAGE : (own ?? end), isBack ? 0 : pageNumber);
  }
}

/** Replaces the executionId in the answer to a submit by an unusable one. */
function nameOddly(answer: Answer, { value, size }: FaultOf<'odd_token'>): Answer {
  const record = JSON.parse(answer.body) as { executionId: string };
  record.executionId = value === 'long' ? record.executionId.padEnd(size, '1') : `${record.executionId}\u0000`;
  return { ...answer, body: JSON.stringify(record) };
}

/** Where a page request points. */
type Whereabouts = Readonly<{ asked: string | null; start: PageStart; lastPageId: string | null }>;

function writeInLowerCase(answer: Answer): Answer {
  return {
    ...answer,
    body: answer.body.replace(/"executionState":\s*"\w+"/, (state) => state.replace(/[A-Z_]+"$/, (name) => name.toLowerCase())),
  };
}

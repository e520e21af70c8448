// A service that answers from a script, without HTTP: for tests of what the pipeline makes of answers and failures.

import { parsedRows } from '../../src/codec/page-rows.ts';
import { ProtocolError } from '../../src/core/errors.ts';
import type { Page, PollAnswer } from '../../src/service/answers.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import type { WireColumn } from '../../src/service/wire.ts';
import { spoolRows } from './spool.ts';

export type ScriptedService = ServiceClient & {
  /** Every call that reached the service, such as `submit`, `poll r1`, `page r1 2`. */
  readonly calls: string[];
  /** Runs before each call and after its answer was made; what it throws the caller gets. */
  beforeCall: (call: string) => void | Promise<void>;
  afterCall: (call: string) => void | Promise<void>;
  /** Makes another page of the one that the script has under `number`, which counts from 1. */
  alterPage: (page: Page, number: number) => Page;
};

/**
 * A service whose every query has the same pages, in files if `isSpooled`. Polls answer IN_PROGRESS as often as `inProgress`
 * says, for each query.
 */
export function scriptService(
  schema: readonly WireColumn[],
  pages: readonly (readonly unknown[])[],
  inProgress = 1,
  isSpooled = false,
): ScriptedService {
  const calls: string[] = [];
  const polls = new Map<string, number>();
  const total = pages.reduce((rows, page) => rows + page.length, 0);
  const pageOf = async (executionId: string, number: number): Promise<Page> => {
    const rows = pages[number - 1];
    if (!rows) throw new ProtocolError(`the script has no page ${number}`);
    const page: Page = {
      rows: (isSpooled ? await spoolRows(rows) : undefined) ?? parsedRows(rows),
      schema,
      nextPageId: number < pages.length ? `${executionId}/${number + 1}` : null,
      totalRowCount: BigInt(total),
      requestId: null,
      bytes: 100,
      waitMs: 0,
      networkMs: 0,
    };
    return service.alterPage(page, number);
  };
  const answer = async <T>(call: string, make: () => T | Promise<T>, onAnswered?: () => Promise<void>): Promise<T> => {
    await service.beforeCall(call);
    calls.push(call);
    await onAnswered?.();
    const made = await make();
    await service.afterCall(call);
    return made;
  };
  const service: ScriptedService = {
    calls,
    beforeCall: () => undefined,
    afterCall: () => undefined,
    alterPage: (page) => page,
    async submit(_dataset, _body, call) {
      await call.onPermit?.();
      return answer('submit', () => ({ state: 'accepted' as const, executionId: `r${calls.length}`, requestId: null }));
    },
    poll: (_dataset, executionId, call) =>
      answer(
        `poll ${executionId}`,
        async (): Promise<PollAnswer> => {
          const polled = (polls.get(executionId) ?? 0) + 1;
          polls.set(executionId, polled);
          if (polled <= inProgress) return { state: 'in_progress', requestId: null };
          return { state: 'completed', page: await pageOf(executionId, 1) };
        },
        call.onAnswered,
      ),
    paginate: (_dataset, { executionId, nextPageId }, call) =>
      answer(
        `page ${nextPageId}`,
        () => {
          if (!nextPageId.startsWith(`${executionId}/`)) throw new ProtocolError('a token of another query');
          return pageOf(executionId, Number(nextPageId.split('/')[1]));
        },
        call.onAnswered,
      ),
    probe: (_dataset, call) => answer('probe', () => undefined, call.onAnswered),
    close: async () => undefined,
  };
  return service;
}

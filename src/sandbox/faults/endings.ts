// What an execution answers that comes to nothing.
import type { ExecutionState } from '../../service/wire.ts';
import { type Answer, refusal } from '../protocol/answers.ts';
import type { FaultOf } from './fault.ts';

/** The specification shows no body of a FAILED answer; its error has the shape of a 400's. */
export function failed(executionId: string, requestId: string, { status, message }: FaultOf<'failed'>): Answer {
  const state: ExecutionState = 'FAILED';
  const reason = message === null ? {} : { error: 'QUERY_FAILED', message };
  const record = {
    executionId,
    executionState: state,
    requestId,
    results: [],
    schema: [],
    nextPageId: null,
    totalRowCount: null,
    ...reason,
  };
  return { status, headers: {}, body: JSON.stringify(record) };
}

/** In the sandbox's usual words for such an id. */
export function refuseId(executionId: string, kind: 'expired_id' | 'rejected_id'): Answer {
  return refusal(400, `executionId ${executionId} ${kind === 'expired_id' ? 'has expired' : 'is not known'}`);
}

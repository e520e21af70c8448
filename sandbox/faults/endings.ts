// The answers of an execution that ends without rows.
import type { ExecutionState } from '../../src/service/wire.ts';
import { type Answer, refusal } from '../protocol/answers.ts';
import type { FaultOf } from './fault.ts';

/** The specification shows no body of a FAILED answer; by default its error has the shape of a 400's. */
export function failed(
  executionId: string,
  requestId: string,
  { status, message, message_times: times, message_in: place }: FaultOf<'failed'>,
): Answer {
  const state: ExecutionState = 'FAILED';
  const reason = message === null ? {} : reasonIn(place, message.repeat(times));
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

function reasonIn(place: FaultOf<'failed'>['message_in'], message: string): Readonly<Record<string, unknown>> {
  const code = 'QUERY_FAILED';
  switch (place) {
    case 'message':
      return { error: code, message };
    case 'errorMessage':
      return { errorMessage: message };
    case 'error':
      return { error: { code, message } };
    case 'errors':
      return { errors: [{ message }] };
  }
}

/** Uses the sandbox's usual message for such an id. */
export function refuseId(executionId: string, kind: 'expired_id' | 'rejected_id'): Answer {
  return refusal(400, `executionId ${executionId} ${kind === 'expired_id' ? 'has expired' : 'is not known'}`);
}

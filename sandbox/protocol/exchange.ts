// One request and its way to an answer. It passes the steps in order; the first step that returns an answer ends it. A step reads what earlier
// steps set on the exchange, so steps can be inserted before or after any of them.
import type { Dataset } from '../../src/datasets/dataset.ts';
import type { FaultKind } from '../faults/fault.ts';
import type { Answer } from './answers.ts';
import type { Credential } from './credentials.ts';
import type { Call } from './observations.ts';

export type Exchange = {
  readonly dataset: Dataset;
  readonly requestId: string;
  readonly receivedAt: Date;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly parameters: URLSearchParams;
  readonly rawBody: string;
  /** Calls back once, when the answer was sent or the connection is gone. */
  readonly onFinished: (callback: () => void) => void;
  /** Set by `authenticate`. */
  credential: Credential | undefined;
  /** Set by `readBody`. */
  body: Readonly<Record<string, unknown>> | undefined;
  call: Call | undefined;
  /** Set by the answering step, for logs. */
  executionId: string | undefined;
  /** Faults applied by the plan, for logs. */
  readonly faults: FaultKind[];
};

export type Step = (exchange: Exchange) => Answer | undefined | Promise<Answer | undefined>;

/** Runs the exchange through the steps until one answers. Undefined when none did. */
export async function passThrough(steps: readonly Step[], exchange: Exchange): Promise<Answer | undefined> {
  for (const step of steps) {
    const answer = await step(exchange);
    if (answer) return answer;
  }
  return undefined;
}

/** Runs the exchange through the steps. Throws when none answers. */
export async function answerBy(steps: readonly Step[], exchange: Exchange): Promise<Answer> {
  const answer = await passThrough(steps, exchange);
  if (answer) return answer;
  throw new Error('no step of the sandbox answered the request');
}

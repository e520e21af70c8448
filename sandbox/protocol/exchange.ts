// One request on its way to its answer. It passes the steps in order; the first step that returns an answer ends it.
// A step reads what earlier steps left on the exchange, so another step can be put before or after any of them.
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
  /** Calls back once, when the answer is out or the connection is gone. */
  readonly onFinished: (callback: () => void) => void;
  /** Left by `authenticate`. */
  credential: Credential | undefined;
  /** Left by `readBody`. */
  body: Readonly<Record<string, unknown>> | undefined;
  call: Call | undefined;
  /** Left by the answering step, for logs. */
  executionId: string | undefined;
  /** What was put in its way by the fault plan, for logs. */
  readonly faults: FaultKind[];
};

export type Step = (exchange: Exchange) => Answer | undefined | Promise<Answer | undefined>;

/** Takes the exchange through the steps, until one answers. Undefined when none did. */
export async function passThrough(steps: readonly Step[], exchange: Exchange): Promise<Answer | undefined> {
  for (const step of steps) {
    const answer = await step(exchange);
    if (answer) return answer;
  }
  return undefined;
}

/** Takes the exchange through the steps. Throws when no step answers. */
export async function answerBy(steps: readonly Step[], exchange: Exchange): Promise<Answer> {
  const answer = await passThrough(steps, exchange);
  if (answer) return answer;
  throw new Error('no step of the sandbox answered the request');
}

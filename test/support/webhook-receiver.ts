// A receiver of webhooks that verifies every signature, as one of another maker would.
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type FakeService, type ReceivedRequest, startFakeService } from './fake-service.ts';

const KEY = Buffer.alloc(32, 7);
export const WEBHOOK_SECRET = `whsec_${KEY.toString('base64')}`;

export type Received = Readonly<{ id: string; type: string; data: Record<string, unknown> }>;

export interface WebhookReceiver {
  readonly url: string;
  /** What was accepted, in order. */
  readonly accepted: Received[];
  /** Every request, accepted or not. */
  readonly requests: ReceivedRequest[];
  /** Answers the next requests in place of accepting them; undefined accepts. */
  answer: ((response: ServerResponse, request: ReceivedRequest) => void) | undefined;
  close(): Promise<void>;
}

/** Answers 200 to what is signed with WEBHOOK_SECRET, 401 to the rest. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const accepted: Received[] = [];
  let service: FakeService | undefined;
  const receiver: WebhookReceiver = {
    get url() {
      return `${service?.url}/hook/path-secret`;
    },
    accepted,
    get requests() {
      return service?.received ?? [];
    },
    answer: undefined,
    close: async () => service?.close(),
  };
  service = await startFakeService((response, request) => {
    if (receiver.answer) return receiver.answer(response, request);
    const message = verify(request);
    if (message) accepted.push(message);
    response.statusCode = message ? 200 : 401;
    response.end();
  });
  return receiver;
}

/** By the rules of Standard Webhooks, twice: by their library, and by hand as docs/operations.md says. */
function verify({ headers, body }: ReceivedRequest): Received | undefined {
  const id = String(headers['webhook-id']);
  const signature = createHmac('sha256', KEY).update(`${id}.${headers['webhook-timestamp']}.${body}`).digest('base64');
  if (headers['webhook-signature'] !== `v1,${signature}`) return undefined;
  const message = new Webhook(WEBHOOK_SECRET).verify(body, headers as Record<string, string>) as Omit<Received, 'id'>;
  return { ...message, id };
}

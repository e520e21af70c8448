// Sends one message to one target, over HTTP or by e-mail. The result never contains any part of an address or a key.

import { IncomingWebhook } from '@slack/webhook';
import { Webhook } from 'standardwebhooks';
import { fetch as fetchThrough, type Response as Received, type RequestInit as RequestThrough } from 'undici';
import type { NotifyTarget } from '../config/notify.ts';
import { SECOND, systemClock } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { openPool } from '../egress/pool.ts';
import { findRoute, type HttpProxy, type Proxies } from '../egress/route.ts';
import { describeUnknownUser, ProxyError } from '../egress/tunnel.ts';
import { lackingText } from '../ledger/notifications.ts';
import { parseRetryAfter } from '../service/retry-after.ts';
import type { Answer } from './answer.ts';
import { sendMail } from './mail.ts';
import type { Message } from './message-lines.ts';
import { slackText } from './slack-text.ts';

const MAX_SEND_MS = 10 * SECOND;
const MAX_ANSWER_BYTES = 4_096;

/** Statuses that mean the message is refused, not that the target has a problem. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

type TargetOf<Kind extends NotifyTarget['kind']> = Extract<NotifyTarget, { kind: Kind }>;

export type DeliveryOptions = Readonly<{
  proxies: Proxies;
  signal: AbortSignal;
  /** Digests of recipients that are left out. */
  settled?: readonly string[];
}>;

/** Sends the message once. Never throws. When `signal` aborts, the message may or may not have been delivered. */
export async function deliver(
  target: NotifyTarget,
  messageId: string,
  message: Message,
  { proxies, signal, settled = [] }: DeliveryOptions,
): Promise<Answer> {
  if (target.kind === 'unset') return failure(lackingText(target.reason));
  if (target.kind === 'email') return sendMail(target.url, target.mail, { messageId, message, settled, signal });
  const { origin } = new URL(target.url.reveal());
  const { proxy } = findRoute(proxies, origin);
  const pool = openPool(origin, { proxy, connections: 1, pipelining: 0, connectTimeoutMs: MAX_SEND_MS });
  let answered: Received | undefined;
  let word = '';
  using deadline = openDeadline(MAX_SEND_MS, signal);
  const post: typeof fetch = async (input, init) => {
    const request = { ...(init as RequestThrough), redirect: 'manual', signal: deadline.signal, dispatcher: pool } as const;
    answered = await fetchThrough(String(input), request);
    word = await readStart(answered);
    return new Response(word || null, { status: answered.status });
  };
  try {
    await sendOverHttp(target, messageId, message, post);
  } catch (error) {
    if (answered === undefined) return failure(describeFailure(error, signal));
  } finally {
    await pool.destroy();
  }
  if (answered === undefined) return failure('no answer');
  return judge(answered, proxy, target.kind === 'slack' ? wordOf(word, target) : '');
}

/** Not async, so that the compiler refuses a kind of target that is not here. */
function sendOverHttp(target: TargetOf<'slack' | 'webhook'>, messageId: string, message: Message, post: typeof fetch): Promise<void> {
  switch (target.kind) {
    case 'slack':
      return sendToSlack(target, message, post);
    case 'webhook':
      return sendSigned(target, messageId, message, post);
  }
}

async function sendToSlack({ url }: TargetOf<'slack'>, message: Message, post: typeof fetch): Promise<void> {
  await new IncomingWebhook(url.reveal(), { fetch: post }).send({ text: slackText(message) });
}

/** Signed over id, time and body. Source: https://www.standardwebhooks.com. */
async function sendSigned({ url, secret }: TargetOf<'webhook'>, messageId: string, message: Message, post: typeof fetch): Promise<void> {
  const body = JSON.stringify(message);
  const sentAt = new Date();
  await post(url.reveal(), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'searchmill',
      'webhook-id': messageId,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / SECOND)),
      'webhook-signature': new Webhook(secret.reveal()).sign(messageId, sentAt, body),
    },
    body,
  });
}

function judge(answered: Received, proxy: HttpProxy | undefined, word: string): Answer {
  const { status } = answered;
  if (status === 407 && proxy) return failure(`the proxy ${proxy.name} ${describeUnknownUser(proxy)}`);
  if (status >= 300 && status < 400) return failure(`${status}: a redirect, which is not followed; configure its target instead`);
  const text = word === '' ? String(status) : `${status} ${word}`;
  const retryAfterMs = parseRetryAfter(Object.fromEntries(answered.headers), systemClock);
  return { isDelivered: status >= 200 && status < 300, text, isRefused: REFUSALS.has(status), retryAfterMs };
}

function failure(text: string): Answer {
  return { isDelivered: false, text, isRefused: false, retryAfterMs: undefined };
}

/** Uses error codes only, since messages of fetch may contain the address. */
function describeFailure(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'stopped while sending';
  for (let cause = error; cause instanceof Error; cause = cause.cause ?? (cause as { original?: unknown }).original) {
    if (cause instanceof ProxyError) return cause.message;
    if (cause.name === 'TimeoutError') return `no answer within ${MAX_SEND_MS / SECOND} s`;
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+|CERT_\w+|DEPTH_\w+|SELF_SIGNED_\w+|UNABLE_\w+|ERR_(TLS|SSL)_\w+)$/.test(code)) {
      return `cannot be reached: ${code}`;
    }
  }
  return 'cannot be reached';
}

/** The start of an answer's body; empty if reading it fails, since the status alone decides whether the message was accepted. */
async function readStart(answered: Received): Promise<string> {
  const reader = answered.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (text.length < MAX_ANSWER_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return '';
  } finally {
    reader.cancel().catch(() => undefined);
  }
  return text.slice(0, MAX_ANSWER_BYTES);
}

/** Slack's one-word answer, such as `invalid_token`. Empty for anything else and for a part of the target's address. */
function wordOf(text: string, { url }: TargetOf<'slack'>): string {
  return /^[a-z_]{2,40}$/.test(text) && !url.reveal().split(/\W/).includes(text) ? text : '';
}

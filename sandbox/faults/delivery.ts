// Answers that do not arrive properly: late, in pieces, cut off, or not at all. They are written to the connection directly, uncompressed,
// because no framework sends half an answer.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../src/core/clock.ts';
import { joinSignals } from '../../src/core/deadline.ts';
import type { Answer } from '../protocol/answers.ts';
import { bombOf } from './bombs.ts';
import type { FaultOfStage } from './fault.ts';

/** How an answer is sent; a null answer resets the connection at once. */
export type Delivery = Readonly<{ answer: Answer | null; spoiledBy?: FaultOfStage<'delivery'> }>;

/** Applies a delivery fault to an answer. */
export function spoil(answer: Answer, fault: FaultOfStage<'delivery'>): Delivery {
  if (fault.kind === 'lost_submit') return { answer: null };
  if (fault.kind === 'empty_body') return { answer: { status: 200, headers: {}, body: '' } };
  if (fault.kind === 'not_json') {
    const isHtml = fault.body === 'html';
    const body = isHtml ? '<!doctype html><title>Sign in</title><p>Please sign in to go on.</p>' : answer.body.slice(1, -1);
    return { answer: { status: 200, headers: isHtml ? { 'content-type': 'text/html' } : {}, body } };
  }
  return { answer, spoiledBy: fault };
}

/** Whether the spoiled answer still arrives complete at a patient client. */
export function arrivesWhole(fault: FaultOfStage<'delivery'>): boolean {
  if (fault.kind === 'interim') return fault.times <= FEW_INTERIM;
  return fault.kind === 'slow' || ((fault.kind === 'stall_headers' || fault.kind === 'stall_body') && fault.ms !== undefined);
}

/** The status that is sent, or null when none is. */
export function statusSent({ answer, spoiledBy }: Delivery): number | null {
  return answer === null || (spoiledBy?.kind === 'stall_headers' && spoiledBy.ms === undefined)
    ? null
    : spoiledBy?.kind === 'bomb'
      ? spoiledBy.status
      : answer.status;
}

export type DeliveryTools = Readonly<{ clock: Clock; closing: AbortSignal }>;

const PIECES = 10;
/** Number of interim answers that any client should tolerate. */
const FEW_INTERIM = 10;
const REASONS = { 100: 'Continue', 102: 'Processing', 103: 'Early Hints' } as const;
/** In real time: a client that receives bytes and a reset together may take it for an orderly end. */
const RESET_AFTER_MS = 20;

/** Sends a spoiled answer. Resolves when everything was sent. */
export async function deliverSpoiled(raw: ServerResponse, { answer, spoiledBy }: Delivery, tools: DeliveryTools): Promise<void> {
  if (answer === null || !spoiledBy) {
    raw.socket?.resetAndDestroy();
    return;
  }
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  using over = joinSignals(gone.signal, tools.closing);
  const wait = (ms: number | undefined): Promise<boolean> => waitUnlessOver(ms, tools.clock, over.signal);
  if (spoiledBy.kind === 'stall_headers' && !(await wait(spoiledBy.ms))) return;

  if (spoiledBy.kind === 'bomb') {
    const bomb = await bombOf(spoiledBy);
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip', 'content-length': bomb.length };
    raw.writeHead(spoiledBy.status, headers).end(bomb);
    return;
  }
  if (spoiledBy.kind === 'interim') {
    // A client that receives too many of them closes the connection.
    for (let sent = 0; sent < spoiledBy.times && !raw.destroyed; sent++)
      if (raw.socket?.write(`HTTP/1.1 ${spoiledBy.status} ${REASONS[spoiledBy.status]}\r\n\r\n`) === false)
        await Promise.race([once(raw.socket, 'drain'), once(raw, 'close')]);
  }
  const body = Buffer.from(answer.body, 'utf8');
  const isChunked = spoiledBy.kind === 'truncated' && spoiledBy.body === 'chunked';
  const length = isChunked ? {} : { 'content-length': body.length };
  raw.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8', ...answer.headers, ...length });
  raw.flushHeaders();
  const half = Math.floor(body.length / 2);
  switch (spoiledBy.kind) {
    case 'reset_in_body':
      raw.write(body.subarray(0, half));
      await delay(RESET_AFTER_MS);
      raw.socket?.resetAndDestroy();
      break;
    case 'truncated':
      raw.write(body.subarray(0, half), () => raw.socket?.destroySoon());
      break;
    case 'stall_body':
      raw.write(body.subarray(0, half));
      if (await wait(spoiledBy.ms)) raw.end(body.subarray(half));
      break;
    case 'slow':
      for (let piece = 0; piece < PIECES; piece++) {
        if (!(await wait(spoiledBy.ms / PIECES))) return;
        raw.write(body.subarray(Math.floor((body.length * piece) / PIECES), Math.floor((body.length * (piece + 1)) / PIECES)));
      }
      raw.end();
      break;
    case 'drip':
      for (let sent = 0; sent < body.length; sent += spoiledBy.bytes) {
        raw.write(body.subarray(sent, sent + spoiledBy.bytes));
        if (!(await wait(spoiledBy.every_ms))) return;
      }
      raw.end();
      break;
    default:
      raw.end(body);
  }
}

/** Waits `ms`, or for ever without it. Returns false when the client is gone or the sandbox closes meanwhile. */
async function waitUnlessOver(ms: number | undefined, clock: Clock, over: AbortSignal): Promise<boolean> {
  if (over.aborted) return false;
  const isOver = once(over, 'abort').then(() => false);
  if (ms === undefined) return isOver;
  const isDone = clock.sleep(ms, over).then(
    () => true,
    () => false,
  );
  return Promise.race([isDone, isOver]);
}

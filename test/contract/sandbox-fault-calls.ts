// Calls to a sandbox that means ill, as near to the wire as needed: some answers never come, and some not whole.
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { FaultPlanInput } from '../../sandbox/faults/plan.ts';
import type { SandboxOptions } from '../../sandbox/options.ts';
import type { Sandbox } from '../../sandbox/server.ts';
import { StandingClock, startTinySandbox, TOKEN } from './sandbox-calls.ts';

export type Rule = FaultPlanInput['rules'][number];
export type Held = Readonly<{ sandbox: Sandbox; clock: StandingClock }>;

/** A tiny sandbox with a standing clock and these rules, closed after the test. */
export async function startFaulty(rules: readonly Rule[], options: SandboxOptions = {}): Promise<Held> {
  const clock = new StandingClock();
  const sandbox = await startTinySandbox({ clock, records: 'specified', faults: { rules }, ...options });
  onTestFinished(() => sandbox.close());
  return { sandbox, clock };
}

export type PlainReply = Readonly<{ status: number; headers: Headers; text: string }>;

/** POSTs an object and takes whatever comes back as text. Follows no redirect. */
export async function post(
  sandbox: Sandbox,
  operation: string,
  body: object,
  headers: Record<string, string> = TOKEN,
): Promise<PlainReply> {
  const response = await fetch(`${sandbox.url}/data-api/v1/async/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export type RawReply = Readonly<{
  /** Everything that came, header lines and framing included; each character is a byte. */
  received: string;
  /** How the other side left: an orderly end, or a reset. */
  ending: 'end' | 'reset';
}>;

export interface RawCall {
  /** What has come so far. */
  readonly received: string;
  /** Resolves when at least that text has come. */
  until(text: string): Promise<void>;
  /** Resolves when the other side has left. */
  readonly ended: Promise<RawReply>;
  /** Hangs up. */
  hangUp(): void;
}

/** POSTs an object over a connection of its own, and shows what comes while it comes. `isLast` asks the other side to leave after it. */
export function postRaw(sandbox: Sandbox, operation: string, body: object, isLast = false): RawCall {
  const { hostname, port } = new URL(sandbox.url);
  const json = JSON.stringify(body);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  const received = (): string => Buffer.concat(chunks).toString('latin1');
  const watchers = new Set<() => void>();
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    for (const watch of watchers) watch();
  });
  const ended = new Promise<RawReply>((resolve) => {
    socket.on('end', () => resolve({ received: received(), ending: 'end' }));
    socket.on('error', () => resolve({ received: received(), ending: 'reset' }));
    socket.on('close', () => resolve({ received: received(), ending: 'end' }));
  });
  socket.write(
    `POST /data-api/v1/async/${operation} HTTP/1.1\r\nhost: sandbox\r\nauthorization: ${TOKEN.authorization}\r\n` +
      `content-type: application/json\r\n${isLast ? 'connection: close\r\n' : ''}content-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
  return {
    get received() {
      return received();
    },
    until: (text) =>
      new Promise((resolve) => {
        const watch = (): void => {
          if (!received().includes(text)) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      }),
    ended,
    hangUp: () => socket.destroy(),
  };
}

/** Lets everything that can happen without time passing happen. */
export async function settle(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
}

// Watches processes from outside: asks each for /healthz all the time, and notes when the answer was late through no fault of
// the machine. The machine's share is what an idle process beside answered late in that time, which is this one's own
// lateness too, and the time the process was ready to run and had no processor.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import type { Post } from './crew.ts';

const PROBE_EVERY_MS = 250;
/** Answers of the idle process are remembered for this long. */
const MEMORY_MS = 15 * 60_000;
const IDLE = `require('http').createServer((_, response) => response.end()).listen(0, '127.0.0.1', function () { console.log(this.address().port); })`;

export type Freeze = Readonly<{ post: string; at: string; ms: number; lastLine: string }>;

export type ProbeReport = Readonly<{
  probes: number;
  /** The longest that any process did not answer, in milliseconds, without the machine's share. */
  longestFreezeMs: number;
  /** Those above the limit. */
  freezes: readonly Freeze[];
  peakRssMb: Readonly<Record<string, number>>;
}>;

/** An answer that is waited for. */
type Span = { readonly sentMs: number; endedMs: number | undefined };

export class Prober {
  readonly #posts: readonly Post[];
  readonly #freezeMs: number;
  readonly #controlPort: number;
  readonly #timer: NodeJS.Timeout;
  readonly #end: () => void;
  readonly #asking = new Map<Post, { pid: number; note: () => void }>();
  readonly #peakRssMb: Record<string, number> = {};
  readonly #freezes: Freeze[] = [];
  #control: Span[] = [];
  #probes = 0;
  #longestMs = 0;

  /** Watches until `stop`; notes what is longer than `freezeMs`. */
  static async open(posts: readonly Post[], freezeMs: number): Promise<Prober> {
    const idle = spawn(process.execPath, ['-e', IDLE], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = (await once(idle.stdout, 'data')) as [Buffer];
    return new Prober(posts, freezeMs, Number(port.toString()), () => idle.kill());
  }

  private constructor(posts: readonly Post[], freezeMs: number, controlPort: number, end: () => void) {
    this.#posts = posts;
    this.#freezeMs = freezeMs;
    this.#controlPort = controlPort;
    this.#end = end;
    this.#timer = setInterval(() => this.#probe(), PROBE_EVERY_MS);
  }

  stop(): ProbeReport {
    clearInterval(this.#timer);
    for (const { note } of this.#asking.values()) note();
    this.#end();
    return { probes: this.#probes, longestFreezeMs: Math.round(this.#longestMs), freezes: this.#freezes, peakRssMb: this.#peakRssMb };
  }

  #probe(): void {
    const now = performance.now();
    this.#control = this.#control.filter(({ endedMs = now }) => endedMs > now - MEMORY_MS);
    if (this.#control.at(-1)?.endedMs !== undefined || this.#control.length === 0) {
      const span: Span = { sentMs: now, endedMs: undefined };
      this.#control.push(span);
      void answered(this.#controlPort).then(() => {
        span.endedMs = performance.now();
      });
    }
    for (const post of this.#posts) {
      const pid = post.attendingPid;
      if (pid !== undefined) this.#peakRssMb[post.name] = Math.max(this.#peakRssMb[post.name] ?? 0, peakRssMb(pid));
      // A process that took the place of one that never answered is asked anew.
      if (pid !== undefined && this.#asking.get(post)?.pid !== pid) this.#ask(post, pid);
    }
  }

  #ask(post: Post, pid: number): void {
    const { disturbances } = post;
    const span: Span = { sentMs: performance.now(), endedMs: undefined };
    const waitedBeforeMs = runQueueMs(pid);
    let waitedMs = 0;
    const watch = setInterval(() => {
      waitedMs = Math.max(waitedMs, runQueueMs(pid) - waitedBeforeMs);
    }, PROBE_EVERY_MS);
    let isNoted = false;
    const note = (): void => {
      if (isNoted) return;
      isNoted = true;
      clearInterval(watch);
      if (this.#asking.get(post)?.note === note) this.#asking.delete(post);
      if (post.disturbances !== disturbances) return;
      span.endedMs = performance.now();
      waitedMs = Math.max(waitedMs, runQueueMs(pid) - waitedBeforeMs);
      this.#judge(post, span.endedMs - span.sentMs - waitedMs - this.#machineLateMs(span.sentMs, span.endedMs));
    };
    this.#asking.set(post, { pid, note });
    void answered(post.opsPort).then((isAnswered) => {
      if (isAnswered && post.disturbances === disturbances) post.isReady = true;
      this.#probes++;
      note();
    });
  }

  #judge(post: Post, lateMs: number): void {
    this.#longestMs = Math.max(this.#longestMs, lateMs);
    if (lateMs <= this.#freezeMs) return;
    this.#freezes.push({ post: post.name, at: new Date().toISOString(), ms: Math.round(lateMs), lastLine: post.lastLines(1) });
  }

  #machineLateMs(fromMs: number, toMs: number): number {
    const lates = this.#control.map(({ sentMs, endedMs = toMs }) => (endedMs < fromMs || sentMs > toMs ? 0 : endedMs - sentMs));
    return Math.max(0, ...lates);
  }
}

/** Resolves when there is an answer, or will be none: true when there was one. */
function answered(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (response) => {
      response.resume();
      response.once('close', () => resolve(true));
    });
    request.once('error', () => resolve(false));
  });
}

/** How long the process's main thread was ready to run and had no processor, since it began. 0 where nobody counts it. */
function runQueueMs(pid: number): number {
  return Number(readProc(pid, 'schedstat').split(' ')[1] ?? 0) / 1e6;
}

function peakRssMb(pid: number): number {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0) / 1024);
}

/** Empty when the process has ended, and where there is no /proc. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

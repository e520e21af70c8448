// A sandbox in a thread of its own, for the demo: inventing rows takes as much of a core as loading them, and must not make loads wait.
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SandboxOptions } from './options.ts';

/** Options that can be sent to a thread. */
export type SandboxThreadOptions = Pick<SandboxOptions, 'size' | 'port' | 'story' | 'storyWeek'>;

export type SandboxThread = Readonly<{
  url: string;
  /** Ends the thread, and with it the server. */
  close(): Promise<void>;
}>;

/** Most rows live for one answer only. With room for those of several, they are gone before they count as old. */
const YOUNG_MEGABYTES = 32;

/** Starts the thread and waits until its sandbox listens: on `port`, or on any other if that one is taken. Throws what starting it throws. */
export async function startSandboxThread(options: SandboxThreadOptions): Promise<SandboxThread> {
  // The file beside this one, which ends in .js once it is built.
  const entry = new URL(`./thread-entry${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(entry, { workerData: options, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES } });
  const [url] = (await once(thread, 'message')) as [string];
  return {
    url,
    async close() {
      await thread.terminate();
    },
  };
}

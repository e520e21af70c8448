// Reads the jobs file in a thread of its own. A file of a megabyte takes seconds to parse and to check, and a running service must go on
// answering health checks and renewing its leases meanwhile.
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ConfigurationError } from '../core/errors.ts';
import type { LoadedJobsConfig } from './jobs-config.ts';
import { type PackedValue, Unpacker } from './packed-settings.ts';
import type { EnvironmentVariables } from './variables.ts';

/** What the thread is given, and what it sends for each message it gets: the next part of the packed result, or why there is none. */
export type ThreadInput = Readonly<{ path: string; env: EnvironmentVariables }>;
export type ThreadOutput = Readonly<{ part: readonly PackedValue[]; isLast: boolean }> | Readonly<{ mistakes: string }>;

/** As loadJobsConfig, without holding up this thread. Throws ConfigurationError naming every mistake. */
export async function loadJobsConfigInThread(path: string, env: EnvironmentVariables): Promise<LoadedJobsConfig> {
  // The file beside this one, which ends in .js once it is built.
  const entry = new URL(`./config-thread-entry${extname(import.meta.url)}`, import.meta.url);
  const input: ThreadInput = { path, env: { ...env } };
  // Without the variables of the process: those of the file are sent.
  const thread = new Worker(entry, { workerData: input, env: {} });
  // A process that stops does not wait for it.
  thread.unref();
  try {
    const unpacker = new Unpacker();
    for (let isLast = false; !isLast; ) {
      thread.postMessage('next');
      const [output] = (await once(thread, 'message')) as [ThreadOutput];
      if ('mistakes' in output) throw new ConfigurationError(output.mistakes);
      await unpacker.add(output.part);
      ({ isLast } = output);
    }
    return unpacker.last as LoadedJobsConfig;
  } finally {
    await thread.terminate();
  }
}

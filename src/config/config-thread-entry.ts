// What runs in the thread of config-thread.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { ConfigurationError } from '../core/errors.ts';
import type { ThreadInput, ThreadOutput } from './config-thread.ts';
import { loadJobsConfig } from './jobs-config.ts';
import { packParts } from './packed-settings.ts';

function load({ path, env }: ThreadInput): ThreadOutput[] {
  try {
    const parts = packParts(loadJobsConfig(path, env));
    return parts.map((part, at) => ({ part, isLast: at === parts.length - 1 }));
  } catch (error) {
    if (error instanceof ConfigurationError) return [{ mistakes: error.message }];
    throw error;
  }
}

const outputs = load(workerData as ThreadInput).values();
// One for each message: of several at once, all are received in one turn.
parentPort?.on('message', () => parentPort?.postMessage(outputs.next().value));

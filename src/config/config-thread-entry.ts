// What runs in the thread of config-thread.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { ConfigurationError } from '../core/errors.ts';
import { pack, type ThreadInput, type ThreadOutput } from './config-thread.ts';
import { loadJobsConfig } from './jobs-config.ts';

function load({ path, env }: ThreadInput): ThreadOutput {
  try {
    return { loaded: pack(loadJobsConfig(path, env)) };
  } catch (error) {
    if (error instanceof ConfigurationError) return { mistakes: error.message };
    throw error;
  }
}

parentPort?.postMessage(load(workerData as ThreadInput));

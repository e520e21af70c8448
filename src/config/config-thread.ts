// Reads the jobs file in a thread of its own. A file of a megabyte takes seconds to parse and to check, and a running service must go on
// answering health checks and renewing its leases meanwhile.
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ConfigurationError } from '../core/errors.ts';
import { Secret } from '../core/secret.ts';
import { DATASETS, datasetNamed } from '../datasets/index.ts';
import { deepFreeze } from './freeze.ts';
import type { LoadedJobsConfig } from './jobs-config.ts';
import type { EnvironmentVariables } from './variables.ts';

/** What the thread is given, and what it sends: the packed result, or why there is none. */
export type ThreadInput = Readonly<{ path: string; env: EnvironmentVariables }>;
export type ThreadOutput = Readonly<{ loaded: unknown }> | Readonly<{ mistakes: string }>;

/** As loadJobsConfig, without holding up this thread. Throws ConfigurationError naming every mistake. */
export async function loadJobsConfigInThread(path: string, env: EnvironmentVariables): Promise<LoadedJobsConfig> {
  // The file beside this one, which ends in .js once it is built.
  const entry = new URL(`./config-thread-entry${extname(import.meta.url)}`, import.meta.url);
  const input: ThreadInput = { path, env: { ...env } };
  // Without the variables of the process: those of the file are sent.
  const thread = new Worker(entry, { workerData: input, env: {} });
  // A process that stops does not wait for it.
  thread.unref();
  const [output] = (await once(thread, 'message')) as [ThreadOutput];
  if ('mistakes' in output) throw new ConfigurationError(output.mistakes);
  return deepFreeze(unpack(output.loaded) as LoadedJobsConfig);
}

const SECRET = '\u0000secret';
const DATASET = '\u0000dataset';

/** A value with its secrets and datasets in a form that can be sent between threads. */
export function pack(value: unknown): unknown {
  if (value instanceof Secret) return { [SECRET]: value.reveal() };
  const dataset = DATASETS.find((each) => each === value);
  if (dataset) return { [DATASET]: dataset.name };
  return mapParts(value, pack);
}

export function unpack(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (SECRET in value) return new Secret(String(value[SECRET]));
  if (DATASET in value) return datasetNamed(String(value[DATASET]));
  return mapParts(value, unpack);
}

function mapParts(value: unknown, change: (part: unknown) => unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, part]) => [key, change(part)]));
  if (Array.isArray(value)) return value.map(change);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, change(part)]));
}

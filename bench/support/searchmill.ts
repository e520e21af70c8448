// Runs Searchmill as it is built and shipped, with the Node options of `npm start`.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Secret } from '../../src/core/secret.ts';
import type { Bench } from './bench.ts';
import { type Child, runChild, startChild } from './children.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const NODE_OPTIONS = readNodeOptions();

export type Installation = Readonly<{
  databaseUrl: Secret;
  redisUrl?: string | undefined;
  jobsPath: string;
  variables?: NodeJS.ProcessEnv;
}>;

/** The words of a command that runs `searchmill <parameters>`. */
export const commandOf = (parameters: readonly string[]): string[] => [process.execPath, ...NODE_OPTIONS, MAIN, ...parameters];

/** Starts `searchmill <parameters>`. */
export function startSearchmill(bench: Bench, installation: Installation, parameters: readonly string[]): Promise<Child> {
  return startChild(bench, process.execPath, [...NODE_OPTIONS, MAIN, ...parameters], { env: environmentOf(installation) });
}

/** Starts worker processes, each with `concurrency` executions at once; default: the worker's own. */
export function startWorkers(bench: Bench, installation: Installation, workers: number, concurrency?: number): Promise<Child[]> {
  const parameters = ['start', '--role', 'worker', ...(concurrency === undefined ? [] : ['--concurrency', String(concurrency)])];
  return Promise.all(Array.from({ length: workers }, () => startSearchmill(bench, installation, parameters)));
}

/** Runs `searchmill <parameters>` to its end. Throws when it fails. */
export function runSearchmill(
  bench: Bench,
  installation: Installation,
  parameters: readonly string[],
): Promise<Readonly<{ output: string; seconds: number }>> {
  return runChild(bench, process.execPath, [...NODE_OPTIONS, MAIN, ...parameters], { env: environmentOf(installation) });
}

function readNodeOptions(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

function environmentOf({ databaseUrl, redisUrl, jobsPath, variables }: Installation): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return {
    PATH,
    HOME,
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl.reveal(),
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    SEARCHMILL_CONFIG: jobsPath,
    LOG_LEVEL: 'warn',
    OPS_PORT: '0',
    ...variables,
  };
}

// What runs in the thread of thread.ts: starts the sandbox and sends its address.
import { parentPort, workerData } from 'node:worker_threads';
import { startSandbox } from './server.ts';
import type { SandboxThreadOptions } from './thread.ts';

const options = workerData as SandboxThreadOptions;
const sandbox = await startSandbox(options).catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error;
  return startSandbox({ ...options, port: 0 });
});
parentPort?.postMessage(sandbox.url);

// Health check of the container engine: exits with status 0 or 1.
// `start` must answer /healthz, which means alive, not ready: a container must not be restarted because the database is unreachable. The other verbs
// (run, backfill, migrate ...) serve nothing and end by themselves, which the engine notices.
import { readFileSync } from 'node:fs';
import { get } from 'node:http';

/** The command line of process 1, or of a file given by tests. */
const words = readFileSync(process.argv[2] ?? '/proc/1/cmdline', 'utf8').split('\0');
const parameters = words.slice(words.findIndex((word) => word.endsWith('dist/main.js')) + 1);
const verb = parameters.find((word, at) => !word.startsWith('-') && !['-c', '--config'].includes(parameters[at - 1]));

if (verb === 'start') {
  const { OPS_HOST = '0.0.0.0', OPS_PORT = '9464' } = process.env;
  const host = ['0.0.0.0', '::', ''].includes(OPS_HOST) ? '127.0.0.1' : OPS_HOST;
  const request = get({ host, port: Number(OPS_PORT || 9464), path: '/healthz', timeout: 4000 }, ({ statusCode }) => {
    process.exit(statusCode === 200 ? 0 : 1);
  });
  request.on('timeout', () => request.destroy(new Error('no answer within 4 s')));
  request.on('error', (error) => {
    console.error(`/healthz: ${error.message}`);
    process.exit(1);
  });
}

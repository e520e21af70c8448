// npm run citus -- <command...>: starts a Citus cluster on loopback, runs the command with TEST_CITUS_URL, and ends the cluster.
// Without a command the cluster stays up until Ctrl-C.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findCitus, joinNodes, startCitusCluster } from '../test/support/citus-cluster.ts';

const [command, ...parameters] = process.argv.slice(2);
const found = await findCitus();
if ('missingBecause' in found) {
  console.error(`skipped: ${found.missingBecause}`);
  process.exit(0);
}
const interrupted = new Promise<number>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(130));
});
const cluster = await startCitusCluster(found.programs);
try {
  await joinNodes(cluster.nodes);
  const [TEST_CITUS_URL] = cluster.nodes;
  console.log(`TEST_CITUS_URL=${TEST_CITUS_URL}: a coordinator and ${cluster.nodes.length - 1} workers`);
  process.exitCode = await (command === undefined ? interrupted : runCommand(command, parameters, { ...process.env, TEST_CITUS_URL }));
} finally {
  await cluster.stop();
}

async function runCommand(program: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(program, words, { stdio: 'inherit', env });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

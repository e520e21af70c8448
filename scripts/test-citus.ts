// npm run test:citus [files]: runs the tests of what touches the seven tables on a Citus cluster: that of TEST_CITUS_URL, or one of a coordinator and
// two workers on loopback that ends with the tests. --up starts the cluster and keeps it until Ctrl-C.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findCitus, joinNodes, startCitusCluster } from '../test/support/citus-cluster.ts';

const WAREHOUSE =
  'auditing checkpoints crashes distributing drifting keep-weeks large-slices migrations outside-rows overlapping-slices partitions promoting promotion-undo publishing random-events readers replaying reports reports-random republishing roles row-keys';
const END_TO_END = 'catching-up exactness interruptions odd-answers periods weeks';
const FILES = [
  ...WAREHOUSE.split(' ').map((name) => `test/integration/warehouse/${name}.test.ts`),
  ...END_TO_END.split(' ').map((name) => `test/integration/end-to-end/${name}.test.ts`),
  'test/integration/outages/silent-sessions.test.ts',
  'test/integration/dashboards',
  'test/integration/mcp',
  'test/integration/signals',
];

const chosen = process.argv.slice(2);
const given = process.env.TEST_CITUS_URL;
if (given) process.exitCode = await runTests(given);
else process.exitCode = await onOwnCluster();

async function onOwnCluster(): Promise<number> {
  const found = await findCitus();
  if ('missingBecause' in found) {
    console.error(`skipped: ${found.missingBecause}`);
    return 0;
  }
  const interrupted = new Promise<number>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(130));
  });
  const cluster = await startCitusCluster(found.programs);
  try {
    await joinNodes(cluster.nodes);
    console.log(`TEST_CITUS_URL=${cluster.nodes[0]}: a coordinator and ${cluster.nodes.length - 1} workers`);
    return await (chosen[0] === '--up' ? interrupted : runTests(cluster.nodes[0]));
  } finally {
    await cluster.stop();
  }
}

async function runTests(TEST_CITUS_URL: string): Promise<number> {
  const projects = ['integration', 'long', 'waiting'].flatMap((name) => ['--project', name]);
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...(chosen.length > 0 ? chosen : FILES)];
  const tests = spawn(process.execPath, vitest, { stdio: 'inherit', env: { ...process.env, TEST_CITUS_URL } });
  const [code] = (await once(tests, 'exit')) as [number | null];
  return code ?? 1;
}

// What is tried of Redis, on a Valkey: Sentinels, clusters, access rights, outages. TEST_VALKEY_PROGRAM names one that is not on the PATH.
import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';

const program = process.env.TEST_VALKEY_PROGRAM || 'valkey-server';
const isMissing = spawnSync(program, ['--version']).error !== undefined;

if (isMissing) {
  console.log('skipped: Valkey is not here; set TEST_VALKEY_PROGRAM or install valkey-server');
  describe.skip('Valkey', () => undefined);
} else {
  process.env.TEST_REDIS_PROGRAM = program;
  for (const suite of ['access', 'cluster', 'cluster-replicas', 'outages', 'sentinel'])
    await import(`../integration/outages/redis-${suite}.test.ts`);
}

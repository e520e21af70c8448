// A queue that is opened while its Postgres cannot be reached: it must work as soon as that has passed.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { openQueueBackend, type QueueBackend } from '../../../src/queue/backend/backend.ts';
import { migrateQueue } from '../../../src/queue/backend/queue-tables.ts';
import { openProxy, type TcpProxy } from '../../chaos/tcp-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { until } from '../../support/wait.ts';

let database: TestDatabase;
let proxy: TcpProxy;
let backend: QueueBackend;

beforeAll(async () => {
  database = await createTestDatabase();
  await migrateQueue(new Secret(database.url));
  const url = new URL(database.url);
  proxy = await openProxy(Number(url.port));
  url.host = `127.0.0.1:${proxy.port}`;
  backend = await openQueueBackend({ databaseUrl: new Secret(url.href), redisUrl: undefined, ledgerId: '', onError: () => undefined });
});
afterAll(async () => {
  await backend.close();
  await proxy.close();
  await database.drop();
});

it('a queue opened while the database is away rings and answers when it is back', async () => {
  proxy.refuse();
  const queue = backend.openQueue('steps');
  const answered: string[] = [];
  const worker = backend.openWorker('steps', async (job) => void answered.push(job.name), { concurrency: 1 });
  const running = worker.run();
  await expect(queue.add('early', {})).rejects.toThrow();
  proxy.release();
  await queue.add('late', {});
  await until('its answer', () => answered.includes('late'));
  await worker.close();
  await queue.close();
  await running;
});

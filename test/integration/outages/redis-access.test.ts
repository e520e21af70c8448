// A Redis that lets nobody in without a client certificate and gives the user of the queue no right but those that
// docs/scaling.md names: all weeks are loaded through it, and each refusal is told with what to do.
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { openRedisConnections } from '../../../src/queue/backend/redis-connections.ts';
import { explainRedisError } from '../../../src/queue/backend/redis-errors.ts';
import { freePort } from '../../support/free-port.ts';
import { findQueueRefusal } from '../../support/queue-refusal.ts';
import { recordLog } from '../../support/recorded-log.ts';
import { documentedRule } from '../../support/redis-rule.ts';
import { isRedisMissing, type RedisProcess, spawnRedis } from '../../support/redis-server.ts';
import { createSelfSignedCertificate } from '../../support/self-signed-certificate.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, sandboxJobs } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const PASSWORD = 'hunter2-of-the-queue';
const JOBS = sandboxJobs('account_id: 12345, since: 2026-09-06, page_size: 100, max_submits: 1, schedule: { cron: "0 6 * * 1" }', {
  rankings: 'keyword_rankings',
  answers: 'ai_search_response',
});

describe.skipIf(isRedisMissing('access rights'))('a Redis that asks for credentials', () => {
  let folder: string;
  let server: RedisProcess;
  let administrator: Redis;
  let port: number;
  const { log, lines } = recordLog();
  const addressOf = (credential: string, host: string, files: Readonly<Record<string, string>>): string => {
    const options = Object.entries(files).map(([option, file]) => `${option}=${join(folder, file)}`);
    return `rediss://${credential}@${host}:${port}?${options.join('&')}`;
  };
  const GOOD = { sslrootcert: 'server.pem', sslcert: 'client.pem', sslkey: 'client.key' };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'searchmill-redis-access-'));
    for (const name of ['server', 'client', 'stranger']) {
      const { cert, key } = createSelfSignedCertificate();
      await writeFile(join(folder, `${name}.pem`), cert);
      await writeFile(join(folder, `${name}.key`), key);
    }
    port = await freePort();
    const tls = ['--tls-cert-file', join(folder, 'server.pem'), '--tls-key-file', join(folder, 'server.key')];
    const clients = ['--tls-ca-cert-file', join(folder, 'client.pem'), '--tls-auth-clients', 'yes'];
    const user = ['--user', 'searchmill', ...documentedRule(PASSWORD)];
    const own = [
      '--port',
      '0',
      '--tls-port',
      String(port),
      '--bind',
      '127.0.0.1',
      '127.0.0.2',
      '--requirepass',
      'hunter1',
      ...tls,
      ...clients,
    ];
    server = await spawnRedis(port, ['--dir', folder, ...own, ...user]);
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    administrator = new Redis(port, '127.0.0.1', {
      password: 'hunter1',
      tls: { ca: read('server.pem'), cert: read('client.pem'), key: read('client.key') },
    });
  });
  afterAll(async () => {
    administrator.disconnect();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('carries the queue with a private CA, a client certificate and the rights that the documentation names', async () => {
    const clock = createSimulatedClock('2026-09-14T07:00:00Z');
    const redisUrl = new Secret(addressOf(`searchmill:${PASSWORD}`, 'localhost', GOOD));
    const stack = await createTestStack({ queue: { kind: 'redis', redisUrl }, jobs: JOBS, clock, sandbox: { queryMs: 1_500 } });
    try {
      const instance = await stack.start({ log });
      await stack.settle();
      await until('both weeks', async () => (await stack.read(`SELECT FROM searchmill.executions WHERE state = 'published'`)).length === 2);
      await instance.pingQueue();
      await instance.stop();
      expect(await expectExactlyServed(stack)).toHaveLength(2);
      expect(await administrator.acl('LOG')).toEqual([]);
      expect(lines.join('')).not.toContain('queue problem');
    } finally {
      // The stack removes its keys.
      await administrator.acl('SETUSER', 'searchmill', '+keys');
      await stack.close();
    }
  });

  it.each([
    [
      'an unknown CA',
      () => addressOf(`searchmill:${PASSWORD}`, '127.0.0.1', { ...GOOD, sslrootcert: 'stranger.pem' }),
      /because its issuer is unknown; .*sslrootcert/,
    ],
    [
      'no CA',
      () => addressOf(`searchmill:${PASSWORD}`, '127.0.0.1', { sslcert: 'client.pem', sslkey: 'client.key' }),
      /because its issuer is unknown; .*sslrootcert/,
    ],
    ['a host the certificate is not for', () => addressOf(`searchmill:${PASSWORD}`, '127.0.0.2', GOOD), /is for other names than the host/],
    [
      'no client certificate',
      () => addressOf(`searchmill:${PASSWORD}`, '127.0.0.1', { sslrootcert: 'server.pem' }),
      /client certificate.*sslcert and sslkey/,
    ],
    [
      'an unknown client certificate',
      () => addressOf(`searchmill:${PASSWORD}`, '127.0.0.1', { ...GOOD, sslcert: 'stranger.pem', sslkey: 'stranger.key' }),
      /client certificate.*sslcert and sslkey/,
    ],
    ['no TLS', () => `redis://searchmill:${PASSWORD}@127.0.0.1:${port}`, /may expect TLS \(rediss:/],
    ['another password', () => addressOf('searchmill:hunter3', '127.0.0.1', GOOD), /refused the user or the password/],
    [
      'a file that is not there',
      () => addressOf(`searchmill:${PASSWORD}`, '127.0.0.1', { sslrootcert: 'nothing.pem' }),
      /sslrootcert names a file that cannot be read: ENOENT/,
    ],
    [
      'a key of another certificate',
      () => addressOf(`searchmill:${PASSWORD}`, '127.0.0.1', { ...GOOD, sslkey: 'stranger.key' }),
      /sslcert and sslkey must name PEM files, of which the last two belong together/,
    ],
  ])('says what to do when REDIS_URL has %s', async (_, address, saying) => {
    expect(await findRefusal(address())).toMatch(saying);
  });

  it('lets clients in again once their certificate is renewed, without a restart, and keeps nothing of refused connections', async () => {
    const warnings: string[] = [];
    const noteWarning = ({ name }: Error) => warnings.push(name);
    process.on('warning', noteWarning);
    const renew = (from: string, extension: string) => copyFile(join(folder, `${from}.${extension}`), join(folder, `renewed.${extension}`));
    await renew('stranger', 'pem');
    await renew('stranger', 'key');
    const files = { ...GOOD, sslcert: 'renewed.pem', sslkey: 'renewed.key' };
    const errors: string[] = [];
    const address = new Secret(addressOf(`searchmill:${PASSWORD}`, '127.0.0.1', files));
    const { ringing, working, close } = openRedisConnections(address, (error) => errors.push(describeError(explainRedisError(error))));
    const refusals = () => errors.filter((error) => /client certificate/.test(error)).length;
    try {
      await until('a refusal', async () => refusals() > 0);
      await renew('client', 'pem');
      // Meanwhile connections are tried with a certificate and a key that do not belong together.
      const before = refusals();
      await until('more refusals', async () => refusals() > before + 10);
      await renew('client', 'key');
      await until('both connections', async () => ringing.status === 'ready' && working.status === 'ready');
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', noteWarning);
      close();
    }
  });

  it('leaves nothing of the trial of check behind', async () => {
    expect(await findRefusal(addressOf(`searchmill:${PASSWORD}`, '127.0.0.1', GOOD))).toBe('');
    expect(await administrator.keys('*check-*')).toEqual([]);
  });

  it.each([
    ['a command', ['-bzpopmin'], /NOPERM.*bzpopmin/],
    ['the keys', ['resetkeys', '~other:*'], /NOPERM.*key/],
  ])('says what to do when the user lacks the right to %s', async (_, change, cause) => {
    await administrator.acl('SETUSER', 'searchmill', ...change);
    const said = await findRefusal(addressOf(`searchmill:${PASSWORD}`, '127.0.0.1', GOOD));
    await administrator.acl('SETUSER', 'searchmill', 'reset', ...documentedRule(PASSWORD));
    expect(said).toMatch(/does not allow the user of REDIS_URL to do this; docs\/scaling.md shows the rights/);
    expect(said).toMatch(cause);
  });

  async function findRefusal(address: string): Promise<string> {
    const said = await findQueueRefusal(address);
    expect(said).not.toMatch(/hunter/);
    return said;
  }
});

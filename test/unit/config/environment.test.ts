import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadEnvironment } from '../../../src/config/environment.ts';
import type { EnvironmentVariables } from '../../../src/config/variables.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'searchmill-environment-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function mistakesIn(env: EnvironmentVariables): string[] {
  try {
    loadEnvironment(env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message.split('\n').slice(1);
  }
  return [];
}

it('has documented defaults, and takes empty variables for absent ones', () => {
  const defaults = {
    databaseUrl: undefined,
    redisUrl: undefined,
    configPath: 'jobs.config.yaml',
    takeOverMs: 30_000,
    logLevel: 'info',
    opsHost: '127.0.0.1',
    opsPort: 9464,
    opsTrustedProxies: [],
  };
  expect(loadEnvironment({})).toEqual(defaults);
  expect(
    loadEnvironment({
      DATABASE_URL: '',
      REDIS_URL: '',
      SEARCHMILL_CONFIG: '',
      SEARCHMILL_TAKEOVER_SECONDS: '',
      LOG_LEVEL: '',
      OPS_HOST: '',
      OPS_PORT: '',
      PATH: '/bin',
    }),
  ).toEqual(defaults);
});

it('is read from its variables', () => {
  const environment = loadEnvironment({
    DATABASE_URL: 'postgres://user:hunter2@db.example:5432/search',
    REDIS_URL: 'rediss://:hunter3@cache.example:6380/1',
    SEARCHMILL_CONFIG: 'conf/jobs.yaml',
    SEARCHMILL_TAKEOVER_SECONDS: '120',
    LOG_LEVEL: 'debug',
    OPS_HOST: '::',
    OPS_PORT: '0',
  });
  expect(environment).toMatchObject({ configPath: 'conf/jobs.yaml', takeOverMs: 120_000, logLevel: 'debug', opsHost: '::', opsPort: 0 });
  expect(environment.databaseUrl?.reveal()).toBe('postgres://user:hunter2@db.example:5432/search');
  expect(environment.redisUrl?.reveal()).toBe('rediss://:hunter3@cache.example:6380/1');
  expect(inspect(environment, { showHidden: true })).not.toMatch(/hunter/);
  expect(Object.isFrozen(environment)).toBe(true);
});

it('reads secrets from mounted files, but nothing else', () => {
  const file = join(folder, 'database');
  writeFileSync(file, 'postgresql:///search?host=/var/run/postgresql\n');
  const environment = loadEnvironment({ DATABASE_URL_FILE: file, LOG_LEVEL_FILE: file });
  expect(environment.databaseUrl?.reveal()).toBe('postgresql:///search?host=/var/run/postgresql');
  expect(environment.logLevel).toBe('info');
});

it('tells all mistakes at once, and shows no secret', () => {
  expect(
    mistakesIn({
      DATABASE_URL: 'mysql://user:hunter2@db/search',
      REDIS_URL_FILE: '/nowhere/redis',
      LOG_LEVEL: 'inf',
      OPS_HOST: 'http://x',
      OPS_PORT: '99999',
    }),
  ).toEqual([
    expect.stringMatching(/^environment: REDIS_URL: REDIS_URL_FILE names a file that cannot be read: ENOENT/),
    'environment: DATABASE_URL: is text in another format; expected an address such as postgres://user:password@host:5432/database, with each of the characters : / ? # @ % in user and password percent-encoded (@ is %40), or the password in PGPASSWORD',
    'environment: LOG_LEVEL: is "inf"; expected one of fatal, error, warn, info, debug, trace, silent; did you mean info?',
    'environment: OPS_HOST: is "http://x"; expected an IP address or host name, such as 0.0.0.0',
    'environment: OPS_PORT: is 99999; expected a whole number from 0 to 65535',
  ]);
});

it.each([
  ['10.0.0.1', ['10.0.0.1']],
  ['10.0.0.0/8, fd00::/8,loopback', ['10.0.0.0/8', 'fd00::/8', 'loopback']],
])('takes %j for proxies', (written, proxies) => {
  expect(loadEnvironment({ OPS_TRUSTED_PROXIES: written }).opsTrustedProxies).toEqual(proxies);
});

it.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/', 'true', '1', '10.0.0.1,', '*'])('refuses %j for proxies', (written) => {
  expect(mistakesIn({ OPS_TRUSTED_PROXIES: written })).toEqual([
    expect.stringMatching(/^environment: OPS_TRUSTED_PROXIES: .*expected addresses, networks or loopback, linklocal, uniquelocal/),
  ]);
});

it.each(['-1', '80.5', 'http', '0x50', ' '])('refuses %j for a port', (port) => {
  expect(mistakesIn({ OPS_PORT: port })).toEqual([
    expect.stringMatching(/^environment: OPS_PORT: is .*; expected a whole number from 0 to 65535$/),
  ]);
});

it.each(['19', '3601', '25.5', '30s', '-30'])('refuses %j for the seconds until a take-over', (seconds) => {
  expect(mistakesIn({ SEARCHMILL_TAKEOVER_SECONDS: seconds })).toEqual([
    expect.stringMatching(/^environment: SEARCHMILL_TAKEOVER_SECONDS: is .*; expected a whole number from 20 to 3600$/),
  ]);
});

const EXPECTED_REDIS =
  'expected an address such as redis://host:6379 or rediss://user:password@host:6380, ' +
  'or several for a cluster, such as redis://node1:6379,redis://node2:6379, ' +
  'or Sentinels, such as redis+sentinel://user:password@sentinel1:26379,sentinel2:26379/mymaster';

it.each([
  'localhost',
  'hunter2',
  'http://cache.example',
  'redis://a.example,b.example',
  'redis://a.example:6379,b.example:6379',
  'redis://a.example:6379/,b.example',
  'redis://a.example,http://b.example',
  'redis://a.example,redis://b.example,',
  'redis+sentinel://a.example:port/mymaster',
  'sentinel://a.example/mymaster',
  'redis+sentinel://a.example/mymaster,redis+sentinel://b.example/mymaster',
])('refuses %j for Redis without showing it', (address) => {
  expect(mistakesIn({ REDIS_URL: address })).toEqual([`environment: REDIS_URL: is text in another format; ${EXPECTED_REDIS}`]);
});

it.each([
  ['redis://a:7000,rediss://b:7000', 'mixes redis:// and rediss:// in one cluster'],
  ['redis://a:7000/1,redis://b:7000/1', 'names a database, but a cluster has only 0'],
  ['redis://a:7000,redis://b:7000/2', 'names a database, but a cluster has only 0'],
  ['redis://a:7000,redis://b:7000?family=6', 'has options other than sslrootcert, sslcert, sslkey, nat_map'],
  ['redis://:hunter2@a:7000,redis://:hunter3@b:7000', 'has a cluster node whose credential differs from the first'],
  ['redis://a:7000,redis://:hunter3@b:7000', 'has a cluster node whose credential differs from the first'],
  ['redis://a:7000,redis://', 'has a cluster node without a host'],
  ['redis://a:7000,redis://b:7000?sentinel_password=hunter2', 'has options other than sslrootcert, sslcert, sslkey, nat_map'],
  [
    'redis+sentinel://:hunter2@a,b',
    'names Sentinels, but not what they monitor: write the name of the primary after the last host, as in /mymaster',
  ],
  ['redis+sentinel://:hunter2@a,/mymaster', 'has a Sentinel without a host'],
  ['redis+sentinel://:hunter2@a/mymaster/queue', 'has something other than a database number after the name of the primary'],
  [
    'redis+sentinel://:hunter2@a/mymaster?password=hunter2',
    'has options other than sslrootcert, sslcert, sslkey, nat_map, sentinel_username, sentinel_password',
  ],
  ['redis://:hunter2@a?sslrootcert=/ca.pem', 'names certificates, but its scheme does not use TLS; write rediss:// or rediss+sentinel://'],
  ['rediss://:hunter2@a?sslcert=/client.pem', 'names only one of sslcert and sslkey; a client certificate needs both'],
  ['rediss://a?sslrootcert=/1.pem,rediss://b?sslrootcert=/2.pem', 'gives an option twice'],
  ['redis://:hunter%2@a', 'has a % that encodes no character; write %25 for it'],
  ['redis+sentinel://:hunter2@a/my%master', 'has a % that encodes no character; write %25 for it'],
  ['redis+sentinel://a/mymaster?nat_map=10.0.0.1', 'has a nat_map that is not of the form inner-host:port=outer-host:port,...'],
])('refuses %j for Redis, and says why without showing a credential', (address, fault) => {
  expect(mistakesIn({ REDIS_URL: address })).toEqual([`environment: REDIS_URL: ${fault}; ${EXPECTED_REDIS}`]);
});

it.each([
  'redis://:hun,ter2@cache.example/3',
  'redis://a.example:7000,redis://b.example:7000',
  'rediss://user:hunter2@a.example, rediss://b.example:7001/0,rediss://user:hunter2@[::1]:7002/',
  'rediss+sentinel://user:hunter2@a.example,b.example:7001/mymaster/2?sslrootcert=/ca.pem&sentinel_password=hunter3',
])('takes %j for Redis', (address) => {
  expect(loadEnvironment({ REDIS_URL: address }).redisUrl?.reveal()).toBe(address);
});

it('reads proxies in either case, lower case first, and shows no password of theirs', () => {
  const address = (name: string): string => `http://me:hunter4@${name}.proxy:3128`;
  const upper = { HTTPS_PROXY: address('upper'), HTTP_PROXY: address('plain'), NO_PROXY: 'intern.example' };
  const environment = loadEnvironment({ ...upper, https_proxy: address('lower'), http_proxy: '', no_proxy: '10.0.0.0/8' });
  expect(environment.httpsProxy?.reveal()).toBe(address('lower'));
  expect(environment.httpProxy?.reveal()).toBe(address('plain'));
  expect(environment.noProxy).toBe('10.0.0.0/8');
  expect(inspect(environment, { showHidden: true })).not.toMatch(/hunter/);
  expect(loadEnvironment({ HTTP_PROXY: 'me:hunter4@proxy.example:3128' }).httpProxy).toBeDefined();
  const file = join(folder, 'proxy');
  writeFileSync(file, `${address('file')}\n`);
  expect(loadEnvironment({ HTTPS_PROXY_FILE: file }).httpsProxy?.reveal()).toBe(address('file'));
});

it.each([
  ['socks5://me:hunter5@proxy.example:1080', /is not a proxy of http or https; others, such as SOCKS, are not supported/],
  ['http://me:hunter5@', /is not an address/],
  ['http://me:hunter5%@proxy.example', /has a percent sign in its user or password that encodes no character; write %25/],
  ['http://me:hunter5@proxy.example/path', /has a path/],
])('refuses %s as a proxy, and does not show it', (address, text) => {
  const [mistake, ...others] = mistakesIn({ https_proxy: address });
  expect(mistake).toMatch(text);
  expect(mistake).toMatch(/HTTPS_PROXY/);
  expect(mistake).not.toMatch(/hunter/);
  expect(others).toEqual([]);
});

const COLLECTOR = 'http://collector:4318';
const traceEndpointIn = (env: EnvironmentVariables) =>
  loadEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, ...env }).traceEndpoint?.reveal();

it.each([
  [{}, COLLECTOR],
  [{ OTEL_SDK_DISABLED: 'false' }, COLLECTOR],
  [{ OTEL_SDK_DISABLED: '1' }, COLLECTOR],
  [{ OTEL_SDK_DISABLED: 'true' }, undefined],
  [{ OTEL_SDK_DISABLED: 'TRUE' }, undefined],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, COLLECTOR],
  [{ OTEL_TRACES_EXPORTER: 'console, OTLP' }, COLLECTOR],
  [{ OTEL_TRACES_EXPORTER: '' }, COLLECTOR],
  [{ OTEL_TRACES_EXPORTER: 'none' }, undefined],
  [{ OTEL_TRACES_EXPORTER: 'None' }, undefined],
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, undefined],
])('with %j traces are sent to %j', (env, endpoint) => {
  expect(traceEndpointIn(env)).toBe(endpoint);
});

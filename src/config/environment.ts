// The boundary to the process environment: the settings that differ between installations.
import { isIP } from 'node:net';
import { z } from 'zod';
import { SECOND } from '../core/clock.ts';
import { COMMAND } from '../core/own-command.ts';
import { Secret } from '../core/secret.ts';
import { SUPERVISORS } from '../core/supervisor.ts';
import { checkShape } from './check-shape.ts';
import { findAddressFault, isDatabaseAddress } from './database-address.ts';
import { factsOf, findingProblem, oneOf, secretText, text, wholeNumber } from './fields.ts';
import { deepFreeze } from './freeze.ts';
import { noProxyField, proxyField, SPELLED_EITHER_WAY } from './proxies.ts';
import { areRedisAddresses, findRedisFault } from './redis-addresses.ts';
import { configurationErrorOf } from './remarks.ts';
import type { Environment } from './settings.ts';
import { type EnvironmentVariables, readVariable } from './variables.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

function isAddress(written: string, schemes: readonly string[]): boolean {
  return URL.canParse(written) && schemes.includes(new URL(written).protocol);
}

const redisField = z.string().refine(areRedisAddresses, { abort: true }).check(findingProblem(findRedisFault)).meta({
  description:
    'Redis or Valkey server that holds the queue, or some nodes of one Redis Cluster (user, password and TLS are those of the first), or Sentinels. Without it the queue is in Postgres.',
  expected:
    'an address such as redis://host:6379 or rediss://user:password@host:6380, or several for a cluster, such as redis://node1:6379,redis://node2:6379, or Sentinels, such as redis+sentinel://user:password@sentinel1:26379,sentinel2:26379/mymaster',
  isSecret: true,
});

/** Names of networks that Fastify knows. */
const PROXY_GROUPS = ['loopback', 'linklocal', 'uniquelocal'];

function listOfProxies(written: string): string[] {
  return written.split(',').map((proxy) => proxy.trim());
}

function isProxy(proxy: string): boolean {
  if (PROXY_GROUPS.includes(proxy)) return true;
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(proxy) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits ?? 0) <= (version === 4 ? 32 : 128);
}

/** Every variable Searchmill reads, apart from those that jobs.config.yaml names. */
export const environmentSchema = z.object({
  DATABASE_URL: z
    .string()
    .refine(isDatabaseAddress, { abort: true })
    .check(findingProblem(findAddressFault))
    .meta({
      description: 'Postgres database that holds the ledger and the tables.',
      expected:
        'an address such as postgres://user:password@host:5432/database, with each of the characters : / ? # @ % in user and password percent-encoded (@ is %40), or the password in PGPASSWORD',
      isSecret: true,
    })
    .optional(),
  REDIS_URL: redisField.optional(),
  SEARCHMILL_COMMAND: z
    .string()
    .regex(COMMAND)
    .meta({
      description:
        'The command that starts the program, as messages and pages show it, such as `docker compose exec scheduler node dist/main.js`. Default: the command that started this process.',
      expected: 'a command without any of the characters " \\ < > &',
    })
    .optional(),
  SEARCHMILL_SUPERVISOR: oneOf(
    SUPERVISORS,
    'What starts and stops the processes, so that messages name steps that work there. Default: found out from the environment.',
  ).optional(),
  SEARCHMILL_SERVICES: z
    .string()
    .regex(/^[\w. -]+$/)
    .meta({
      description: 'Names of the services of Compose that run Searchmill, as messages name them. Default: the one in SEARCHMILL_COMMAND.',
      expected: 'names with a blank between them, such as scheduler worker-1',
    })
    .optional(),
  SEARCHMILL_CONFIG: text('File that defines the jobs.', { expected: 'the path of a file' }).default('jobs.config.yaml'),
  SEARCHMILL_TAKEOVER_SECONDS: wholeNumber(
    'Longest time until another process takes over the work of a dead one; a living process may be silent for 10 seconds less. Must be the same for all processes.',
    { min: 20, max: 3600 },
  ).default(30),
  LOG_LEVEL: oneOf(LOG_LEVELS, 'Lowest level of log lines that are written.').default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine((written) => isAddress(written, ['http:', 'https:']))
    .meta({
      description: 'OpenTelemetry collector that traces are sent to, as OTLP over HTTP. Without it no traces are sent.',
      expected: 'an address such as http://collector:4318',
      isSecret: true,
    })
    .optional(),
  OTEL_SDK_DISABLED: text('`true` switches OpenTelemetry off: no traces are sent. Any other value does not.', {
    expected: 'true or false',
  }).optional(),
  OTEL_TRACES_EXPORTER: text(
    'Exporters of traces, separated by commas. Traces are sent only if `otlp` is among them; `none` switches them off.',
    { expected: 'otlp or none' },
  ).default('otlp'),
  HTTPS_PROXY: proxyField('https').optional(),
  HTTP_PROXY: proxyField('http').optional(),
  NO_PROXY: noProxyField.optional(),
  OPS_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/)
    .meta({
      description: 'Address that dashboards, health and metrics are served on.',
      expected: 'an IP address or host name, such as 0.0.0.0',
    })
    .default('127.0.0.1'),
  OPS_PASSWORD: secretText(
    'Password for the dashboards. Without one they are served only on the loopback.',
    /^\P{Cc}{8,200}$/u,
    'a password of 8 to 200 characters',
  ).optional(),
  OPS_TRUSTED_PROXIES: text(
    'Proxies in front of the dashboards: their headers X-Forwarded-For and X-Forwarded-Host identify the client. Without it, all clients of a proxy count as one.',
    { expected: `addresses, networks or ${PROXY_GROUPS.join(', ')}, separated by commas, such as 10.0.0.0/8,loopback` },
  )
    .refine((written) => listOfProxies(written).every(isProxy))
    .optional(),
  OPS_PORT: wholeNumber('Port that dashboards, health and metrics are served on; 0 takes any free one.', { min: 0, max: 65_535 }).default(
    9464,
  ),
});

/**
 * Reads the environment. An empty variable counts as not set; secrets may be in a file that NAME_FILE names.
 * @throws ConfigurationError naming every mistake at once
 */
export function loadEnvironment(env: EnvironmentVariables): Environment {
  const mistakes: string[] = [];
  const given: Record<string, string> = {};
  for (const [name, field] of Object.entries(environmentSchema.shape)) {
    const isLower = SPELLED_EITHER_WAY.has(name) && env[name.toLowerCase()];
    const spelled = isLower ? name.toLowerCase() : name;
    const variable = factsOf(field).isSecret ? readVariable(env, spelled) : readVariable({ [spelled]: env[spelled] }, spelled);
    if (variable.kind === 'set') given[name] = variable.value;
    if (variable.kind === 'unreadable') mistakes.push(`environment: ${name}: ${variable.text}`);
  }
  const shape = checkShape(environmentSchema, given, { isFromVariable: () => true, showsVariables: true });
  mistakes.push(...shape.map(({ path, text: sentence }) => `environment: ${path.join('.')}: ${sentence}`));
  if (mistakes.length > 0) throw configurationErrorOf('the environment', mistakes);

  const parsed = environmentSchema.parse(given);
  return deepFreeze({
    databaseUrl: parsed.DATABASE_URL === undefined ? undefined : new Secret(parsed.DATABASE_URL),
    redisUrl: parsed.REDIS_URL === undefined ? undefined : new Secret(parsed.REDIS_URL),
    configPath: parsed.SEARCHMILL_CONFIG,
    takeOverMs: parsed.SEARCHMILL_TAKEOVER_SECONDS * SECOND,
    logLevel: parsed.LOG_LEVEL,
    traceEndpoint: traceEndpointOf(parsed),
    httpProxy: parsed.HTTP_PROXY === undefined ? undefined : new Secret(parsed.HTTP_PROXY),
    httpsProxy: parsed.HTTPS_PROXY === undefined ? undefined : new Secret(parsed.HTTPS_PROXY),
    noProxy: parsed.NO_PROXY,
    opsHost: parsed.OPS_HOST,
    opsPort: parsed.OPS_PORT,
    opsTrustedProxies: parsed.OPS_TRUSTED_PROXIES === undefined ? [] : listOfProxies(parsed.OPS_TRUSTED_PROXIES),
    opsPassword: parsed.OPS_PASSWORD === undefined ? undefined : new Secret(parsed.OPS_PASSWORD),
  });
}

/** The values are compared as OpenTelemetry's specification of its variables says: a switch is on only when it is `true`. */
function traceEndpointOf(given: z.output<typeof environmentSchema>): Secret | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: disabled = '', OTEL_TRACES_EXPORTER: exporters } = given;
  const isSent = disabled.trim().toLowerCase() !== 'true' && exporters.split(',').some((each) => each.trim().toLowerCase() === 'otlp');
  return endpoint !== undefined && isSent ? new Secret(endpoint) : undefined;
}

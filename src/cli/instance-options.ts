// Options that every verb passes to an instance.
import type { Environment, JobsConfig } from '../config/settings.ts';
import type { Logger } from '../core/log.ts';
import type { Secret } from '../core/secret.ts';
import { VERSION } from '../core/version.ts';
import type { Pool } from '../postgres/pool.ts';
import type { InstanceOptions } from '../queue/instance.ts';

type Given = Readonly<{ environment: Environment; config: JobsConfig; databaseUrl: Secret; pool: Pool; log: Logger }>;

export function commonOptions({ environment, config, databaseUrl, pool, log }: Given): Omit<InstanceOptions, 'role'> {
  const { redisUrl, takeOverMs } = environment;
  return { config, databaseUrl, redisUrl, takeOverMs, pool, proxies: environment, log, version: VERSION };
}

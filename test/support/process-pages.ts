// What a running process serves, pages, health and metrics, without the process: it has not begun to plan.
import { silentLogger } from '../../src/core/log.ts';
import { Secret } from '../../src/core/secret.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { type OpsServer, startOpsServer } from '../../src/ops/server.ts';
import type { Instance } from '../../src/queue/instance.ts';

export type ProcessPagesOptions = Readonly<{ password: string; assetsFolder: string; basePath?: string | undefined }>;

export function serveProcessPages(databaseUrl: string, { password, assetsFolder, basePath }: ProcessPagesOptions): Promise<OpsServer> {
  const idle = { succeededAt: new Date(), ageMs: 0, failure: undefined };
  const instance = { health: () => ({ rounds: { reporting: idle }, isStopping: false }), pingQueue: async () => undefined };
  return startOpsServer({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: new Secret(databaseUrl),
    instance: instance as unknown as Instance,
    metrics: createMetrics('1.2.3'),
    log: silentLogger,
    password: new Secret(password),
    assetsFolder,
    basePath,
  });
}

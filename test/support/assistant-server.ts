// What `start` serves beside the work, /mcp with it, without an instance that works.
import { silentLogger } from '../../src/core/log.ts';
import { Secret } from '../../src/core/secret.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { type OpsServer, startOpsServer } from '../../src/ops/server.ts';
import type { Instance } from '../../src/queue/instance.ts';

/** Serves at a free port of `host`. Without a password only where the product allows it. */
export function serveAssistants(databaseUrl: string, host = '127.0.0.1', password?: string): Promise<OpsServer> {
  const idle = { succeededAt: new Date(), ageMs: 0, failure: undefined };
  const health = { rounds: { reporting: idle, reconciling: idle }, isStopping: false };
  const instance = { health: () => health, pingQueue: async () => undefined } as unknown as Instance;
  return startOpsServer({
    host,
    port: 0,
    databaseUrl: new Secret(databaseUrl),
    instance,
    metrics: createMetrics('1.2.3'),
    log: silentLogger,
    ...(password && { password: new Secret(password) }),
  });
}

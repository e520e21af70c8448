// Traces, if the environment asks for them.
import type { Environment } from '../config/settings.ts';
import type { Logger } from '../core/log.ts';
import { VERSION } from '../core/version.ts';
import { readLedgerId } from '../ledger/instances.ts';
import type { Tracing } from '../ops/tracing.ts';
import type { Pool } from '../postgres/pool.ts';

/** Undefined, and nothing of OpenTelemetry loaded, without OTEL_EXPORTER_OTLP_ENDPOINT. Throws StoreError. */
export async function openTracing(
  { traceEndpoint, ...environment }: Environment,
  pool: Pool,
  log: Logger,
): Promise<(Tracing & AsyncDisposable) | undefined> {
  if (!traceEndpoint) return undefined;
  const ledgerId = await readLedgerId(pool);
  const { startTracing } = await import('../ops/tracing.ts');
  const tracing = startTracing({ endpoint: traceEndpoint, proxies: environment, ledgerId, version: VERSION, log });
  return { ...tracing, [Symbol.asyncDispose]: tracing.close };
}

/** Forwards each event to two observers. */
export function tellBoth<Observer extends object>(first: Observer, second: Observer | undefined): Observer {
  if (!second) return first;
  type Methods = Record<string, ((...told: unknown[]) => void) | undefined>;
  const both = [first, second] as unknown as readonly Methods[];
  const names = new Set(both.flatMap((observer) => Object.keys(observer)));
  const tell =
    (name: string) =>
    (...told: unknown[]): void => {
      for (const observer of both) observer[name]?.(...told);
    };
  return Object.fromEntries([...names].map((name) => [name, tell(name)])) as Observer;
}

// Connections as the rest of Searchmill sees them: address normalised, credential wrapped, limits resolved.
import { shortDigest } from '../core/digest.ts';
import { CALL_KINDS, type CallKind, HARD_LIMITS, RECOMMENDED_LIMITS } from '../core/limits.ts';
import { Secret } from '../core/secret.ts';
import { normalizeBaseUrl } from './base-url.ts';
import type { Remark } from './remarks.ts';
import type { WrittenConnection } from './schema.ts';
import type { Auth, Connection } from './settings.ts';
import type { YamlSource } from './yaml-source.ts';

const NAMED_LIMITS = { recommended: RECOMMENDED_LIMITS, hard: HARD_LIMITS };

/**
 * Resolves all connections. Those with the same base URL and credential share one budget, since the service counts
 * their calls together: each gets the lowest of their limits, with a warning where they differ.
 */
export function resolveConnections(
  written: Readonly<Record<string, WrittenConnection>>,
  source: YamlSource,
): { connections: Map<string, Connection>; warnings: Remark[] } {
  const given = Object.entries(written).map(([name, connection]) => resolveConnection(name, connection));
  const warnings: Remark[] = [];
  const connections = given.map((connection) => {
    const sharing = given.filter((other) => other.budgetId === connection.budgetId);
    const lowest = (kind: CallKind): number => Math.min(...sharing.map((other) => other.callsPerMinute[kind]));
    const callsPerMinute = { submit: lowest('submit'), read: lowest('read') };
    const [first = connection] = sharing;
    if (hasOtherLimits(first, connection)) {
      const text =
        `differs from the limits of ${first.name}, which has the same base_url and credential: both share one budget, ` +
        `${callsPerMinute.submit} submits and ${callsPerMinute.read} reads per minute`;
      warnings.push(source.remark(['connections', connection.name, 'limits'], text));
    }
    return { ...connection, callsPerMinute };
  });
  return { connections: new Map(connections.map((connection) => [connection.name, connection])), warnings };
}

function hasOtherLimits(a: Connection, b: Connection): boolean {
  return CALL_KINDS.some((kind) => a.callsPerMinute[kind] !== b.callsPerMinute[kind]);
}

function resolveConnection(name: string, { base_url, auth, headers, limits }: WrittenConnection): Connection {
  const baseUrl = normalizeBaseUrl(base_url);
  const resolvedAuth: Auth =
    'token' in auth
      ? { kind: 'token', token: new Secret(auth.token) }
      : { kind: 'signature', apiKey: new Secret(auth.api_key), sharedSecret: new Secret(auth.shared_secret) };
  const secretHeaders = Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, new Secret(value)]));
  const callsPerMinute =
    typeof limits === 'string' ? NAMED_LIMITS[limits] : { submit: limits.submits_per_minute, read: limits.reads_per_minute };
  return { name, baseUrl, auth: resolvedAuth, headers: secretHeaders, callsPerMinute, budgetId: budgetIdOf(baseUrl, resolvedAuth) };
}

function budgetIdOf(baseUrl: string, auth: Auth): string {
  const credential = auth.kind === 'token' ? [auth.token.reveal()] : [auth.apiKey.reveal(), auth.sharedSecret.reveal()];
  return shortDigest([baseUrl, auth.kind, ...credential]);
}

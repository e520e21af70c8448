// The route of requests, directly or through a proxy, for each connection, each target of notifications and the collector of traces.
import type { Environment, JobsConfig } from '../../config/settings.ts';
import { groupBy } from '../../core/group-by.ts';
import { findRoute } from '../../egress/route.ts';

export async function checkRoutes({ connections, notify }: JobsConfig, environment: Environment): Promise<string> {
  const { traceEndpoint } = environment;
  const asked = [
    ...[...connections.values()].map(({ name, baseUrl }) => ({ what: `connection ${name}`, address: baseUrl })),
    ...notify.targets.flatMap((target) =>
      target.kind === 'email' || target.kind === 'unset' ? [] : { what: `target ${target.name}`, address: target.url.reveal() },
    ),
    ...(traceEndpoint ? [{ what: 'traces', address: traceEndpoint.reveal() }] : []),
  ];
  const byRoute = groupBy(asked, ({ address }) => findRoute(environment, address).words);
  const mailed = notify.targets.flatMap(({ name, kind }) => (kind === 'email' ? `target ${name}: directly, like all e-mail` : []));
  return [...[...byRoute].map(([words, own]) => `${own.map(({ what }) => what).join(', ')}: ${words}`), ...mailed].join('; ');
}

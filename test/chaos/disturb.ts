// What happens on the way to a server.
import { between } from './chance.ts';
import type { Disruption } from './stage.ts';

/** Disturbs the way to a server, and ends that after a time within the bounds. */
export function disturb(
  server: 'postgres' | 'service' | 'redis',
  how: 'refuse' | 'swallow' | 'strand',
  leastMs: number,
  mostMs: number,
): Disruption['strike'] {
  return ({ random, proxies, later }) => {
    proxies[server]?.[how]();
    later(between(random, leastMs, mostMs), () => proxies[server]?.release());
  };
}

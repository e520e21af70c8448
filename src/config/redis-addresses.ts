// REDIS_URL holds one address, or those of several nodes of a Redis Cluster with commas between.

/** The addresses in REDIS_URL, one for a single server. A comma inside a password does not part them. */
export function splitRedisAddresses(redisUrl: string): string[] {
  return redisUrl.split(/,\s*(?=rediss?:\/\/)/i);
}

/**
 * Why these addresses cannot be nodes of one cluster, in words that complete "REDIS_URL ..."; undefined when they can.
 * All must be URLs. No address is quoted, as each may hold a password.
 */
export function findClusterFault(addresses: readonly string[]): string | undefined {
  if (addresses.length === 1) return undefined;
  const nodes = addresses.map((address) => new URL(address));
  const [first] = nodes;
  if (nodes.some((node) => node.hostname === '')) return 'has a cluster node without a host';
  if (nodes.some((node) => node.protocol !== first?.protocol)) return 'mixes redis:// and rediss:// in one cluster';
  if (nodes.some((node) => !['', '/', '/0'].includes(node.pathname))) return 'names a database, and a cluster has none but 0';
  if (nodes.some((node) => node.search !== '' || node.hash !== '')) return 'has options behind the address of a cluster node';
  const credential = ({ username, password }: URL) => (username === '' && password === '' ? undefined : `${username}:${password}`);
  const own = nodes.map(credential).filter((given) => given !== undefined);
  if (own.some((given) => given !== (first && credential(first)))) return 'has a cluster node with another credential than the first';
  return undefined;
}

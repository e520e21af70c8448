// REDIS_URL holds the address of one server, those of several nodes of a Redis Cluster separated by commas, or those of
// Sentinels with the name of the primary. No message quotes an address, since each may contain a password.

export type RedisAddress = Readonly<{ host: string; port: number }>;

/** Files of PEM, named as in DATABASE_URL; each is optional. */
export type RedisTlsFiles = Readonly<{ ca: string | undefined; cert: string | undefined; key: string | undefined }>;

export type RedisTarget = Readonly<{
  kind: 'server' | 'cluster' | 'sentinel';
  /** Where to begin: the server, some nodes, or the Sentinels. */
  addresses: readonly RedisAddress[];
  username: string | undefined;
  password: string | undefined;
  database: number;
  /** Of a single server, without the options listed here. */
  serverUrl: string | undefined;
  tls: RedisTlsFiles | undefined;
  /** The Sentinels' name of the primary, and the login at the Sentinels. */
  sentinel: Readonly<{ name: string; username: string | undefined; password: string | undefined }> | undefined;
  /** The addresses of nodes that announce others, such as behind NAT. */
  natMap: Readonly<Record<string, RedisAddress>> | undefined;
}>;

const TLS_OPTIONS = ['sslrootcert', 'sslcert', 'sslkey'];
const OPTIONS: Readonly<Record<RedisTarget['kind'], readonly string[]>> = {
  // Other options are passed to ioredis, such as family=6.
  server: TLS_OPTIONS,
  cluster: [...TLS_OPTIONS, 'nat_map'],
  sentinel: [...TLS_OPTIONS, 'nat_map', 'sentinel_username', 'sentinel_password'],
};

const SENTINEL = /^(rediss?)\+sentinel:\/\//i;

/** The addresses in REDIS_URL, one for a single server. A comma inside a password does not separate them. */
export function splitRedisAddresses(redisUrl: string): string[] {
  return redisUrl.split(/,\s*(?=rediss?:\/\/)/i);
}

/** One URL for each address; for Sentinels the first one has credential, path and options. */
function toUrls(redisUrl: string): URL[] | undefined {
  const [prefix, scheme] = SENTINEL.exec(redisUrl) ?? [];
  let written = splitRedisAddresses(redisUrl);
  if (prefix !== undefined) {
    const [, authority = '', rest = ''] = /^([^/?#]*)(.*)$/s.exec(redisUrl.slice(prefix.length)) ?? [];
    const at = authority.lastIndexOf('@') + 1;
    const [first, ...others] = authority.slice(at).split(/,\s*/);
    written = [`${scheme}://${authority.slice(0, at)}${first}${rest}`, ...others.map((host) => `${scheme}://${host}`)];
  }
  return written.every((address) => /^rediss?:\/\//i.test(address) && URL.canParse(address))
    ? written.map((address) => new URL(address))
    : undefined;
}

/** Whether each part is an address; `findRedisFault` finds other faults. */
export function areRedisAddresses(redisUrl: string): boolean {
  // A comma after the credential: the next node lacks its redis://.
  return toUrls(redisUrl)?.every(({ host, pathname }) => !`${host}${pathname}`.includes(',')) ?? false;
}

/** Why these addresses cannot be used, in words that complete "REDIS_URL ..."; undefined when they can. All must be addresses. */
export function findRedisFault(redisUrl: string): string | undefined {
  const urls = toUrls(redisUrl) ?? [];
  const [first] = urls;
  const kind = kindOf(redisUrl, urls);
  const options = urls.flatMap(({ searchParams }) => [...searchParams]);
  const names = new Set(options.map(([name]) => name));
  if (kind === 'cluster') {
    const fault = findClusterFault(urls);
    if (fault) return fault;
  }
  if (kind === 'sentinel') {
    if (urls.some(({ hostname }) => hostname === '')) return 'has a Sentinel without a host';
    const [, name, database = '0', ...more] = pathOf(first);
    if (!name) return 'names Sentinels, but not what they monitor: write the name of the primary after the last host, as in /mymaster';
    if (!/^\d{1,4}$/.test(database) || more.length > 0) return 'has something other than a database number after the name of the primary';
  }
  if (urls.some(({ username, password, pathname }) => ![username, password, pathname].every(isDecodable)))
    return 'has a % that encodes no character; write %25 for it';
  const unknown = [...names].filter((name) => !OPTIONS[kind].includes(name));
  if (kind !== 'server' && (unknown.length > 0 || urls.some(({ hash }) => hash !== '')))
    return `has options other than ${OPTIONS[kind].join(', ')}`;
  if (first?.protocol !== 'rediss:' && TLS_OPTIONS.some((name) => names.has(name)))
    return 'names certificates, but its scheme does not use TLS; write rediss:// or rediss+sentinel://';
  if (names.has('sslcert') !== names.has('sslkey')) return 'names only one of sslcert and sslkey; a client certificate needs both';
  if (options.length > names.size) return 'gives an option twice';
  const natMap = options.find(([name]) => name === 'nat_map')?.[1];
  if (natMap !== undefined && !readNatMap(natMap)) return 'has a nat_map that is not of the form inner-host:port=outer-host:port,...';
  return undefined;
}

function findClusterFault(nodes: readonly URL[]): string | undefined {
  const [first] = nodes;
  if (nodes.some((node) => node.hostname === '')) return 'has a cluster node without a host';
  if (nodes.some((node) => node.protocol !== first?.protocol)) return 'mixes redis:// and rediss:// in one cluster';
  if (nodes.some((node) => !['', '/', '/0'].includes(node.pathname))) return 'names a database, but a cluster has only 0';
  const credential = ({ username, password }: URL) => (username === '' && password === '' ? undefined : `${username}:${password}`);
  const own = nodes.map(credential).filter((given) => given !== undefined);
  if (own.some((given) => given !== (first && credential(first)))) return 'has a cluster node whose credential differs from the first';
  return undefined;
}

/** What REDIS_URL names; it must have no faults. */
export function readRedisTarget(redisUrl: string): RedisTarget {
  const urls = toUrls(redisUrl) ?? [];
  const [first] = urls;
  const kind = kindOf(redisUrl, urls);
  const options = new Map(urls.flatMap(({ searchParams }) => [...searchParams]));
  const [, name = '', ownDatabase] = pathOf(first);
  const natMap = options.get('nat_map');
  return {
    kind,
    addresses: urls.map((url) => addressOf(url, kind === 'sentinel' ? 26_379 : 6379)),
    username: decode(first?.username),
    password: decode(first?.password),
    serverUrl: kind === 'server' ? serverUrlOf(first) : undefined,
    database: Number((kind === 'sentinel' ? ownDatabase : name) || '0'),
    tls:
      first?.protocol === 'rediss:'
        ? { ca: options.get('sslrootcert'), cert: options.get('sslcert'), key: options.get('sslkey') }
        : undefined,
    sentinel:
      kind === 'sentinel'
        ? { name: decodeURIComponent(name), username: options.get('sentinel_username'), password: options.get('sentinel_password') }
        : undefined,
    natMap: natMap === undefined ? undefined : readNatMap(natMap),
  };
}

const kindOf = (redisUrl: string, urls: readonly URL[]): RedisTarget['kind'] =>
  SENTINEL.test(redisUrl) ? 'sentinel' : urls.length > 1 ? 'cluster' : 'server';

const pathOf = (url: URL | undefined): string[] => (url?.pathname ?? '').split('/');

const decode = (written: string | undefined): string | undefined => (written ? decodeURIComponent(written) : undefined);

function isDecodable(written: string): boolean {
  try {
    decodeURIComponent(written);
    return true;
  } catch {
    return false;
  }
}

const addressOf = ({ hostname, port }: URL, usualPort: number): RedisAddress => ({
  host: hostname.replaceAll(/^\[|\]$/g, '') || 'localhost',
  port: Number(port || usualPort),
});

function serverUrlOf(url: URL | undefined): string {
  const server = new URL(url ?? '');
  for (const name of OPTIONS.server) server.searchParams.delete(name);
  return server.href;
}

function readNatMap(written: string): Record<string, RedisAddress> | undefined {
  const pairs = written.split(',').map((pair) => /^(\S+:\d+)=(\S+):(\d+)$/.exec(pair.trim()));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', { host: pair?.[2] ?? '', port: Number(pair?.[3]) }]));
}

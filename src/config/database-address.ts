// DATABASE_URL as libpq reads it, where node-postgres differs: several hosts, target_session_attrs, and the files of TLS.
// Every mode with TLS verifies the certificate and its host, as node-postgres 8 does: libpq accepts any server for `require`.

/** What a server must be: values of target_session_attrs. */
const TARGETS = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const;
export type Target = (typeof TARGETS)[number];

/** Files of TLS by their parameter. */
const TLS_FILES = ['sslrootcert', 'sslcert', 'sslkey', 'sslcrl'] as const;
export type Tls = Readonly<{
  files: Readonly<Partial<Record<(typeof TLS_FILES)[number], string>>>;
  /** Of the file sslkey. */
  password: string | undefined;
}>;

export type DatabaseAddress = Readonly<{
  /** In order. Each names one host, without the parameters that are in the other fields. */
  hosts: readonly Readonly<{ name: string; url: string }>[];
  target: Target;
  /** False if sslmode forbids TLS, undefined if it is not set. */
  tls: Tls | false | undefined;
}>;

const FORM = /^(?<scheme>postgres(?:ql)?):\/\/(?<credential>[^/?#]*@)?(?<hosts>[^/?#]*)(?<path>[^?#]*)(?<query>\?[^#]*)?$/i;
const HOST = /^(?:\[[0-9a-f:.%]+\]|[^:[\]]*)(?::\d{1,5})?$/i;
/** Each of these verifies all. */
const VERIFYING_MODES = ['require', 'verify-ca', 'verify-full'];
/** A mode of node-postgres itself, which is passed on. */
const UNVERIFIED = 'no-verify';
const SUITABLE_MODES = 'write disable, require, verify-ca or verify-full';
/** The certificates that come with Node. */
const SYSTEM = 'system';

/** Whether it is the address of a Postgres at all. */
export function isDatabaseAddress(written: string): boolean {
  const { scheme, credential = '', hosts, path, query = '' } = FORM.exec(written)?.groups ?? {};
  if (scheme === undefined || hosts === undefined) return false;
  return hosts.split(',').every((host) => HOST.test(host)) && URL.canParse(`${scheme}://${credential}host${path}${query}`);
}

/** Why an address cannot be used, in words that complete "DATABASE_URL ..."; undefined when it can. Never quotes the address. */
export function findAddressFault(written: string): string | undefined {
  const { credential, hosts, parameters } = partsOf(written);
  if (/%(?![0-9a-f]{2})/i.test(credential)) return 'has a % in its user or password that stands for itself; write %25';
  const mode = parameters.get('sslmode');
  if (mode === 'prefer' || mode === 'allow')
    return `has sslmode=${mode}, which lets the server decide whether anything is encrypted; ${SUITABLE_MODES}`;
  if (mode !== null && ![...VERIFYING_MODES, UNVERIFIED, 'disable'].includes(mode)) return `has an unknown sslmode; ${SUITABLE_MODES}`;
  if (parameters.has('sslcert') !== parameters.has('sslkey')) return 'has one of sslcert and sslkey; a client certificate needs both';
  const target = parameters.get('target_session_attrs');
  if (target !== null && !isTarget(target)) return `has an unknown target_session_attrs; write one of ${TARGETS.join(', ')}`;
  if ((parameters.get('host') ?? '').includes(','))
    return 'has several hosts in host=; write them before the database, as in //a:5432,b:5432/name';
  if (hosts.length > 1 && (target ?? 'any') === 'any')
    return 'names several hosts, but not which one to use; add target_session_attrs=read-write';
  return undefined;
}

/** Reads an address without faults. */
export function readDatabaseAddress(written: string): DatabaseAddress {
  const { scheme, credential, hosts, path, parameters } = partsOf(written);
  const target = parameters.get('target_session_attrs') ?? 'any';
  const tls = readTls(parameters);
  const told = tls === undefined ? [] : ['sslmode', 'sslpassword', ...TLS_FILES];
  for (const name of ['uselibpqcompat', 'target_session_attrs', ...told]) parameters.delete(name);
  const query = parameters.size === 0 ? '' : `?${parameters}`;
  return {
    hosts: hosts.map((host) => ({
      name: host || parameters.get('host') || 'localhost',
      url: `${scheme}://${credential}${host}${path}${query}`,
    })),
    target: isTarget(target) ? target : 'any',
    tls,
  };
}

function readTls(parameters: URLSearchParams): Tls | false | undefined {
  const mode = parameters.get('sslmode');
  if (mode === 'disable') return false;
  if (mode === UNVERIFIED) return undefined;
  const named = TLS_FILES.filter((name) => parameters.has(name));
  if (mode === null && named.length === 0) return undefined;
  const files = named.map((name) => [name, parameters.get(name) ?? ''] as const).filter(([, path]) => path !== SYSTEM);
  return { files: Object.fromEntries(files), password: parameters.get('sslpassword') ?? undefined };
}

function isTarget(text: string): text is Target {
  return (TARGETS as readonly string[]).includes(text);
}

type Parts = Readonly<{ scheme: string; credential: string; hosts: readonly string[]; path: string; parameters: URLSearchParams }>;

function partsOf(written: string): Parts {
  const { scheme = '', credential = '', hosts = '', path = '', query = '' } = FORM.exec(written)?.groups ?? {};
  return { scheme, credential, hosts: hosts.split(','), path, parameters: new URLSearchParams(query) };
}

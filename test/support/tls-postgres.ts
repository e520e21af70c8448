// Servers of the embedded Postgres with TLS, a CA of their own, and roles that may come in with it only.
import { chown, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findBinaries } from '../../embedded/binaries.ts';
import { placeBinaries } from '../../embedded/placement.ts';
import { type InstalledPostgres, initCluster, makeServerFolder, serverUser, startCluster } from './installed-postgres.ts';
import { type Certificate, createCertificate } from './self-signed-certificate.ts';

/** May connect by TLS and a password only; by TLS and a certificate only. `searchmill`, the superuser, may come as it likes. */
export const WITH_PASSWORD = 'mill';
export const WITH_CERTIFICATE = 'certified';
export const PASSWORD = 'hunter2';

const HBA = `
local   all all                              trust
host    all searchmill          127.0.0.1/32 trust
hostssl all ${WITH_PASSWORD}    127.0.0.1/32 scram-sha-256
hostssl all ${WITH_CERTIFICATE} 127.0.0.1/32 cert
`;

export interface TlsPostgres extends InstalledPostgres {
  readonly port: number;
  /** Stops it at once, as a loss of power does, and starts it again on the same port. */
  crash(): Promise<void>;
  /** Writes a key and a certificate. Returns their files. */
  write(name: string, certificate: Certificate): Promise<{ key: string; cert: string }>;
  /** Signed by the CA of the server. */
  sign(commonName: string): Certificate;
  /** The certificate of that CA. */
  readonly caFile: string;
}

const CA = 'Searchmill tests';

/** Its certificate is for 127.0.0.1, and not for localhost. `alsoLets`: one more line of pg_hba.conf. */
export async function startTlsPostgres(settings: readonly string[] = [], locale?: readonly string[], alsoLets = ''): Promise<TlsPostgres> {
  const { uid, gid } = serverUser();
  const folder = await makeServerFolder();
  const files = await makeServerFolder();
  const writeOwn = async (name: string, text: string): Promise<string> => {
    const path = join(files, name);
    await writeFile(path, text, { mode: 0o600 });
    if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
    return path;
  };
  const write = async (name: string, { key, cert }: Certificate) => ({
    key: await writeOwn(`${name}.key`, key),
    cert: await writeOwn(`${name}.crt`, cert),
  });
  const issuer = { ...createCertificate({ commonName: CA, isCa: true }), commonName: CA };
  const { cert: caFile } = await write('ca', issuer);
  const own = await write('server', createCertificate({ commonName: 'server', hosts: ['127.0.0.1'], issuer }));
  const programs = dirname(placeBinaries(findBinaries(), files, serverUser()).postgres);
  const tls = ['ssl = on', `ssl_ca_file = '${caFile}'`, `ssl_cert_file = '${own.cert}'`, `ssl_key_file = '${own.key}'`];
  await initCluster(programs, folder, [...tls, 'max_connections = 200', ...settings], locale);
  await writeFile(join(folder, 'pg_hba.conf'), `${HBA}${alsoLets}\n`);
  let server = await startCluster(programs, folder);
  const port = Number(new URL(server.url).port);
  return {
    ...server,
    port,
    async crash() {
      await server.stop();
      server = await startCluster(programs, folder, { port });
    },
    write,
    sign: (commonName) => createCertificate({ commonName, issuer }),
    caFile,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
      await rm(files, { recursive: true, force: true });
    },
  };
}

// The network of a company around a run: a proxy that alone knows the way to the service, by TLS with the company's own certificates.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectProxy, startConnectProxy } from '../support/connect-proxy.ts';
import { createCertificate } from '../support/self-signed-certificate.ts';
import { openTlsDoor } from '../support/tls-door.ts';

const HOST = 'service.test';
const CREDENTIAL = 'chaos:proxy-password';

export type CompanyNetwork = Readonly<{
  /** Where the service is, for those behind the proxy. */
  baseUrl: string;
  proxy: ConnectProxy;
  /** What a process needs to get through. */
  env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}>;

/** `folder` is for the certificate of the company. */
export async function openCompany(folder: string, servicePort: number): Promise<CompanyNetwork> {
  const issuer = { commonName: 'company', ...createCertificate({ commonName: 'company', isCa: true }) };
  const door = await openTlsDoor(servicePort, createCertificate({ commonName: HOST, hosts: [HOST], issuer }));
  const proxy = await startConnectProxy({ leads: { [`${HOST}:443`]: door.port }, credential: CREDENTIAL });
  const path = join(folder, 'company.pem');
  writeFileSync(path, issuer.cert);
  return {
    baseUrl: `https://${HOST}`,
    proxy,
    env: { HTTPS_PROXY: `http://${CREDENTIAL}@${proxy.address}`, https_proxy: '', NO_PROXY: '', no_proxy: '', NODE_EXTRA_CA_CERTS: path },
    async close() {
      await Promise.all([proxy.close(), door.close()]);
    },
  };
}

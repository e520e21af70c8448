// DATABASE_URL in every form, against real servers: it works, or every verb says who refused whom and what to do, and no secret.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { runCli } from '../../support/command-line.ts';
import { freePort } from '../../support/free-port.ts';
import { createSelfSignedCertificate } from '../../support/self-signed-certificate.ts';
import { PASSWORD, startTlsPostgres, type TlsPostgres, WITH_CERTIFICATE, WITH_PASSWORD } from '../../support/tls-postgres.ts';

const VERBS = [['check'], ['migrate'], ['status'], ['plan'], ['run'], ['start'], ['dashboards']];

const JOBS = `
connections: { main: { base_url: "https://127.0.0.1:1", auth: { token: a-token } } }
jobs: [{ name: rankings, dataset: keyword_rankings, account_id: 1, since: 2026-09-06, connection: main }]
`;

let server: TlsPostgres;
/** Takes no changes, as one that was demoted. */
let readOnly: TlsPostgres;
let jobs: string;
const listeners: Server[] = [];
beforeAll(async () => {
  [server, readOnly] = await Promise.all([startTlsPostgres(), startTlsPostgres(['default_transaction_read_only = on'])]);
  await using owner = createPool(new Secret(server.url), { applicationName: 'test' });
  await owner.query(`CREATE ROLE ${WITH_PASSWORD} LOGIN PASSWORD '${PASSWORD}'; CREATE ROLE ${WITH_CERTIFICATE} LOGIN`);
  jobs = join(dirname(server.caFile), 'jobs.config.yaml');
  await writeFile(jobs, JOBS);
});
afterAll(async () => {
  for (const listener of listeners) listener.close();
  await Promise.all([server.stop(), readOnly.stop()]);
});

const address = (query: string, { role = `${WITH_PASSWORD}:${PASSWORD}`, host = '127.0.0.1' } = {}): string =>
  `postgres://${role}@${host}:${server.port}/postgres?${query}`;

async function expectRefused(databaseUrl: string, saying: RegExp, verbs = VERBS): Promise<void> {
  for (const args of verbs) {
    const env = { DATABASE_URL: databaseUrl, SEARCHMILL_CONFIG: jobs, OPS_PORT: '0' };
    const { code, out, err } = await runCli(args, { env, width: 500 });
    expect(`${out}${err}`.replaceAll(/\s+/g, ' '), args.join(' ')).toMatch(saying);
    expect(`${out}${err}`).not.toContain(PASSWORD);
    expect(code).not.toBe(0);
  }
}

async function ask(databaseUrl: string): Promise<unknown> {
  await using pool = createPool(new Secret(databaseUrl), { applicationName: 'test', max: 2 });
  const { rows } = await pool.query(
    `SELECT current_user AS role, coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "isEncrypted"`,
  );
  return rows[0];
}

describe('TLS', () => {
  it.each([
    ['require', 'ca'],
    ['verify-ca', 'ca'],
    ['verify-full', 'ca'],
  ])('is used with sslmode=%s and sslrootcert=%s', async (mode, ca) => {
    const query = `sslmode=${mode}${ca && `&sslrootcert=${server.caFile}`}`;
    expect(await ask(address(query))).toEqual({ role: WITH_PASSWORD, isEncrypted: true });
  });

  it('is used with a certificate of the client, which is read again for each connection', async () => {
    const files = await server.write('client', server.sign(WITH_CERTIFICATE));
    const url = address(`sslmode=verify-full&sslrootcert=${server.caFile}&sslcert=${files.cert}&sslkey=${files.key}`, {
      role: WITH_CERTIFICATE,
    });
    await using pool = createPool(new Secret(url), { applicationName: 'test', max: 1 });
    const read = async (): Promise<unknown> =>
      (await pool.query('SELECT client_serial IS NOT NULL AS "isKnown" FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).rows[0];
    expect(await read()).toEqual({ isKnown: true });
    await server.write('client', createSelfSignedCertificate());
    (await pool.connect()).release(true);
    await expect(read()).rejects.toThrow();
    await server.write('client', server.sign(WITH_CERTIFICATE));
    expect(await read()).toEqual({ isKnown: true });
  });

  it.each([
    [
      'none, where the server demands it',
      'sslmode=disable',
      {},
      /the server refused this client: no pg_hba\.conf entry .*; what helps: add sslmode=verify-full to DATABASE_URL/,
    ],
    [
      'an unknown CA',
      'sslmode=verify-full',
      {},
      /this process refused the certificate of the server: .*; what helps: name the file of the CA that signed it by sslrootcert/,
    ],
    [
      'a CA that is not there',
      'sslmode=verify-full&sslrootcert=/nowhere/ca.crt',
      {},
      /the file that sslrootcert in DATABASE_URL names cannot be read \(ENOENT\); name one that is there/,
    ],
    [
      'another host than the certificate names',
      'sslmode=verify-full&sslrootcert=CA',
      { host: 'localhost' },
      /refused the server, whose certificate is for another host: .*; what helps: write a host that the certificate names/,
    ],
    [
      'no certificate of the client',
      'sslmode=require&sslrootcert=CA',
      { role: WITH_CERTIFICATE },
      /the server refused this client: .*valid client certificate; what helps: name a certificate of the role by sslcert and sslkey/,
    ],
    [
      'a certificate of another role',
      'sslmode=require&sslrootcert=CA&sslcert=MILL.crt&sslkey=MILL.key',
      { role: WITH_CERTIFICATE },
      /the server refused this client: certificate authentication failed .*; what helps: name a certificate of the role/,
    ],
    [
      'a certificate of another CA',
      'sslmode=require&sslrootcert=CA&sslcert=OTHER.crt&sslkey=OTHER.key',
      { role: WITH_CERTIFICATE },
      /the server refused TLS with this process: .*; what helps: name a client certificate that it accepts/,
    ],
    [
      'a key of another certificate',
      'sslmode=require&sslrootcert=CA&sslcert=MILL.crt&sslkey=OTHER.key',
      { role: WITH_CERTIFICATE },
      /TLS with the server failed: .*; what helps: see whether sslcert and sslkey in DATABASE_URL are PEM files that belong together/,
    ],
    [
      'a wrong password',
      'sslmode=require&sslrootcert=CA',
      { role: `${WITH_PASSWORD}:wrong` },
      /the server refused this role: password authentication failed .*; what helps: correct role and password in DATABASE_URL/,
    ],
    ['a half-known sslmode', 'sslmode=prefer', {}, /DATABASE_URL: has sslmode=prefer, which lets the server decide/],
  ])('with %s is refused by every verb', async (_, query, options, saying) => {
    const mill = await server.write('MILL', server.sign(WITH_PASSWORD));
    const other = await server.write('OTHER', createSelfSignedCertificate());
    const files = dirname(mill.cert);
    expect(dirname(other.key)).toBe(files);
    const written = query.replace('=CA', `=${server.caFile}`).replaceAll(/=(MILL|OTHER)/g, `=${files}/$1`);
    await expectRefused(address(written, options), saying);
  });

  it('is refused where the server has none', async () => {
    const bare = await listen((socket) => socket.once('data', () => socket.end('N')));
    await expectRefused(
      `postgres://a:${PASSWORD}@127.0.0.1:${bare}/b?sslmode=require`,
      /the server has no TLS, and sslmode in DATABASE_URL demands it: .*; what helps: turn ssl on there, or write sslmode=disable/,
    );
  });
});

describe('an address', () => {
  it('of a socket works', async () => {
    const url = `postgres:///postgres?host=${server.folder}&port=${server.port}&user=searchmill`;
    expect(await ask(url)).toEqual({ role: 'searchmill', isEncrypted: false });
    await expectRefused(url, /lacks \d+ migrations/, [['status']]);
  });

  it('with several hosts goes to the first that is of the kind it asks for', async () => {
    const hosts = `127.0.0.1:${await freePort()},127.0.0.1:${readOnly.port},127.0.0.1:${server.port}`;
    const portOf = async (target: string): Promise<unknown> => {
      await using pool = createPool(new Secret(`postgres://searchmill@${hosts}/postgres?target_session_attrs=${target}`), {
        applicationName: 'test',
      });
      return (await pool.query("SELECT current_setting('port')::int AS port")).rows[0];
    };
    expect(await portOf('read-write')).toEqual({ port: server.port });
    expect(await portOf('read-only')).toEqual({ port: readOnly.port });
    expect(await portOf('primary')).toEqual({ port: readOnly.port });
  });

  it('with several unusable hosts says why for each', async () => {
    const away = await freePort();
    await expectRefused(
      `postgres://searchmill:${PASSWORD}@127.0.0.1:${away},127.0.0.1:${readOnly.port}/postgres?target_session_attrs=read-write`,
      new RegExp(
        `no host of DATABASE_URL is as target_session_attrs=read-write wants it \\(127\\.0\\.0\\.1:${away}: .*ECONNREFUSED.*; 127\\.0\\.0\\.1:${readOnly.port}: it is read-only\\)`,
      ),
    );
    await expectRefused(
      `postgres://a:${PASSWORD}@a,b/postgres`,
      /names several hosts, but not which one to use; add target_session_attrs=read-write/,
    );
  });

  it('of a PostgreSQL that is too old is refused', async () => {
    const { rows } = await withClient((client) =>
      client.query<{ version: string }>("SELECT current_setting('server_version_num') AS version"),
    );
    const old = await listen((near) => {
      const far = connect(server.port, '127.0.0.1');
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
      near.pipe(far);
      far.on('data', (chunk: Buffer) =>
        near.write(Buffer.from(chunk.toString('latin1').replaceAll(rows[0]?.version ?? '', '130021'), 'latin1')),
      );
      far.on('end', () => near.end());
    });
    await expectRefused(`postgres://searchmill@127.0.0.1:${old}/postgres`, /the database is PostgreSQL 13; Searchmill needs 14 or newer/);
  });

  it('of another scheme is refused', async () => {
    await expectRefused(`mysql://a:${PASSWORD}@b/c`, /DATABASE_URL: is text in another format; expected an address such as postgres:/);
  });
});

async function listen(answer: (socket: Socket) => void): Promise<number> {
  const listener = createServer(answer).listen(0, '127.0.0.1');
  listeners.push(listener);
  await once(listener, 'listening');
  return (listener.address() as AddressInfo).port;
}

async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  return work(client).finally(() => client.end());
}

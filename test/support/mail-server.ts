// A real SMTP server on this machine, which keeps what it takes and refuses what it is told to.
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createCertificate, createSelfSignedCertificate } from './self-signed-certificate.ts';

export const MAIL_USER = 'mailuser';
export const MAIL_PASSWORD = 'mail:pass/word%';

export type ReceivedMail = Readonly<{ from: string; to: readonly string[]; isTls: boolean; user: string | undefined; source: string }>;

export interface MailServer {
  readonly port: number;
  /** On the loopback, with user and password. */
  readonly url: string;
  readonly received: ReceivedMail[];
  /** Connections so far. */
  connections: number;
  /** What the next recipient, sender or message is answered, by its address, `from` or `data`. */
  readonly answers: Map<string, readonly [code: number, text: string]>;
  close(): Promise<void>;
}

type Issuer = Parameters<typeof createCertificate>[0]['issuer'];

/** `issuer` signs its certificate; it signs it itself without one. */
export async function startMailServer(
  own: Readonly<{ issuer?: Issuer; secure?: boolean; options?: SMTPServerOptions }> = {},
): Promise<MailServer> {
  const { issuer, secure = false, options = {} } = own;
  const received: ReceivedMail[] = [];
  const answers: MailServer['answers'] = new Map();
  const refusal = (what: string): Error | null => {
    const [code, text] = answers.get(what) ?? [];
    return code === undefined ? null : Object.assign(new Error(text), { responseCode: code });
  };
  const certificate = issuer
    ? createCertificate({ commonName: 'mail', hosts: ['127.0.0.1', '0.0.0.0'], issuer })
    : createSelfSignedCertificate();
  const server = new SMTPServer({
    ...certificate,
    secure,
    authMethods: ['PLAIN', 'LOGIN'],
    logger: false,
    closeTimeout: 100,
    onConnect(_, callback) {
      mail.connections += 1;
      callback();
    },
    onAuth({ username, password }, _, callback) {
      const isRight = username === MAIL_USER && password === MAIL_PASSWORD;
      callback(isRight ? null : new Error(`535 ${username} is not let in`), isRight ? { user: username } : undefined);
    },
    onMailFrom: (_, _session, callback) => callback(refusal('from')),
    onRcptTo: ({ address }, _, callback) => callback(refusal(address)),
    onData(stream, { envelope, secure, user }, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const refused = refusal('data');
        if (!refused && envelope.mailFrom) {
          const to = envelope.rcptTo.map(({ address }) => address);
          const source = Buffer.concat(chunks).toString();
          received.push({ from: envelope.mailFrom.address, to, isTls: secure, user: user as string | undefined, source });
        }
        callback(refused);
      });
    },
    ...options,
  });
  // Clients that are cut.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.server.address() as AddressInfo;
  const credential = `${MAIL_USER}:${encodeURIComponent(MAIL_PASSWORD)}`;
  const mail: MailServer = {
    port,
    url: `${secure ? 'smtps' : 'smtp'}://${credential}@127.0.0.1:${port}`,
    received,
    connections: 0,
    answers,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  return mail;
}

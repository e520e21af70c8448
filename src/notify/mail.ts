// Sends one message by e-mail, directly to its server: proxies are only for HTTP. The result never contains any part of the server's
// address, a user or a recipient.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createTransport, type SMTPTransportOptions } from 'nodemailer';
import { readMailServer } from '../config/mail-server.ts';
import type { MailTarget } from '../config/settings.ts';
import { SECOND } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { isLoopback } from '../core/loopback.ts';
import type { Secret } from '../core/secret.ts';
import type { Answer } from './answer.ts';
import { mailText } from './mail-text.ts';
import type { Message } from './message-lines.ts';

/** Longer than for webhooks, since mail servers scan messages; well below the sender's lease. */
const MAX_MAIL_MS = 20 * SECOND;

export type Mailing = Readonly<{ messageId: string; message: Message; signal: AbortSignal }>;

/** Sends the message once. Never throws. When `signal` aborts, the message may or may not have been delivered. */
export async function sendMail(
  server: Secret,
  { from, to, allowsPlain }: MailTarget,
  { messageId, message, signal }: Mailing,
): Promise<Answer> {
  const { host, port, isTls, auth } = readMailServer(server.reveal());
  const mayBePlain = allowsPlain || isLoopback(host);
  using deadline = openDeadline(MAX_MAIL_MS, signal);
  let socket: Socket | undefined;
  const options: SMTPTransportOptions = {
    host,
    port,
    secure: isTls,
    requireTLS: !isTls && !mayBePlain,
    // A server on the loopback usually has an untrusted certificate, and its traffic does not leave the machine.
    ...(!isTls && isLoopback(host) && { tls: { rejectUnauthorized: false } }),
    ...(auth && { auth }),
    disableFileAccess: true,
    disableUrlAccess: true,
    // Our own socket, so that it can be destroyed.
    getSocket: (_, callback) => {
      socket = connect({ host, port });
      once(socket, 'connect', { signal: deadline.signal }).then(
        () => callback(null, { connection: socket }),
        (error: Error) => callback(error, false),
      );
    },
  };
  const { promise: expired, reject } = withReject();
  deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason), { once: true });
  try {
    const mail = {
      from,
      to: [...to],
      messageId: `<${messageId}@searchmill>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...mailText(message),
    };
    const { rejected } = await Promise.race([createTransport(options).sendMail(mail), expired]);
    const text = rejected.length === 0 ? '250' : `250, but not for ${rejected.length} of ${to.length}`;
    return { isDelivered: true, text, isRefused: false, retryAfterMs: undefined };
  } catch (error) {
    return { isDelivered: false, ...describe(error, signal), retryAfterMs: undefined };
  } finally {
    socket?.destroy();
  }
}

function withReject(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<never>((_, given) => {
    reject = given;
  });
  promise.catch(() => undefined);
  return { promise, reject };
}

/** What was refused, by nodemailer's error code. */
const REFUSALS: Readonly<Record<string, string>> = {
  EAUTH: 'the server refuses user and password',
  EENVELOPE: 'the server refuses sender or recipients',
  EMESSAGE: 'the server refuses the message',
  ETLS: 'the server does not offer STARTTLS',
};

/** Uses codes only, since servers' answers contain users and recipients. */
function describe(error: unknown, signal: AbortSignal): Pick<Answer, 'text' | 'isRefused'> {
  if (signal.aborted) return { text: 'stopped while sending', isRefused: false };
  const { code, originalCode, responseCode, name } = error as Readonly<Record<string, unknown>>;
  if (name === 'TimeoutError') return { text: `no answer within ${MAX_MAIL_MS / SECOND} s`, isRefused: false };
  if (typeof responseCode !== 'number') {
    const word = [originalCode, code].find((each) => typeof each === 'string' && /^[A-Z][A-Z_0-9]+$/.test(each));
    return { text: word === undefined ? 'cannot be reached' : `cannot be reached: ${word}`, isRefused: false };
  }
  const refusal = REFUSALS[String(code)];
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  return { text: refusal ? `${responseCode}: ${refusal}` : String(responseCode), isRefused: responseCode >= 500 && isAboutMail };
}

// Sends one message by e-mail, directly to its server: proxies are only for HTTP. The result never contains any part of the server's
// address, a user or a recipient.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { createTransport, type SMTPTransportOptions } from 'nodemailer';
import { readMailServer } from '../config/mail-server.ts';
import type { MailTarget } from '../config/notify.ts';
import { SECOND } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { isLoopback } from '../core/loopback.ts';
import { nameSome } from '../core/name-some.ts';
import type { Secret } from '../core/secret.ts';
import type { Answer } from './answer.ts';
import { mailText } from './mail-text.ts';
import type { Message } from './message-lines.ts';

/** Longer than for webhooks, since mail servers scan messages; well below the sender's lease. */
const MAX_MAIL_MS = 20 * SECOND;
/** Most recipients that an answer points to. */
const MAX_PLACES = 5;

export type Mailing = Readonly<{
  messageId: string;
  message: Message;
  /** Digests of recipients that are left out. */
  settled?: readonly string[];
  signal: AbortSignal;
}>;

/** Sends the message once. Never throws. When `signal` aborts, the message may or may not have been delivered. */
export async function sendMail(
  server: Secret,
  { from, to: all, allowsPlain, ehlo }: MailTarget,
  { messageId, message, settled = [], signal }: Mailing,
): Promise<Answer> {
  const { host, port, isTls, auth } = readMailServer(server.reveal());
  const to = all.filter((recipient) => !settled.includes(digestOf(recipient)));
  if (to.length === 0) return { isDelivered: true, text: '250', isRefused: false, retryAfterMs: undefined };
  const mayBePlain = allowsPlain || isLoopback(host);
  using deadline = openDeadline(MAX_MAIL_MS, signal);
  let socket: Socket | undefined;
  const options: SMTPTransportOptions = {
    host,
    port,
    name: ehlo ?? greetingOf(hostname(), from),
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
      // All are named, and those that have it are not sent it again.
      to: [...all],
      envelope: { from, to: [...to] },
      messageId: `<${messageId}@searchmill>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...mailText(message),
    };
    const { rejectedErrors = [] } = await Promise.race([createTransport(options).sendMail(mail), expired]);
    return judge({ all, to, settled }, rejectedErrors);
  } catch (error) {
    const { rejectedErrors = [] } = error as Readonly<{ rejectedErrors?: readonly Rejection[] }>;
    // The others have it, or some of these refuse it for good: only those that were put off are tried again.
    const isMixed = rejectedErrors.some(isFinal) && !rejectedErrors.every(isFinal);
    if (rejectedErrors.length === to.length && (settled.length > 0 || isMixed)) return judge({ all, to, settled }, rejectedErrors);
    return { isDelivered: false, ...describe(error, signal), retryAfterMs: undefined };
  } finally {
    socket?.destroy();
  }
}

type Rejection = Readonly<{ recipient?: unknown; responseCode?: unknown }>;
const isFinal = ({ responseCode }: Rejection): boolean => Number(responseCode) >= 500;

/** The recipients of the target, those that were asked now, and digests of the others. */
type Asked = Readonly<{ all: readonly string[]; to: readonly string[]; settled: readonly string[] }>;

/** What the server said of each recipient, when some have the message or will not have it. */
function judge({ all, to, settled }: Asked, rejections: readonly Rejection[]): Answer {
  const putOff = new Set(rejections.filter((each) => !isFinal(each)).map(({ recipient }) => String(recipient)));
  const refused = rejections.filter(isFinal).length;
  const text = refused === 0 ? '250' : `250, but not for ${refused} of ${to.length}`;
  if (putOff.size === 0) return { isDelivered: true, text, isRefused: false, retryAfterMs: undefined };
  const done = to.filter((recipient) => !putOff.has(recipient)).map(digestOf);
  // By their places in the jobs file, since answers are stored and logged.
  const places = all.flatMap((recipient, at) => (putOff.has(recipient) ? `to[${at}]` : []));
  const told = `${text}; ${putOff.size} put off (${nameSome(places, MAX_PLACES)}), tried again later`;
  return { isDelivered: false, text: told, isRefused: false, retryAfterMs: undefined, settled: [...settled, ...done] };
}

/** The ledger does not store addresses. */
function digestOf(recipient: string): string {
  return createHash('sha256').update(recipient).digest('hex').slice(0, 16);
}

/** Names that mean something to the machine or its network alone. */
const LOCAL_NAME = /^localhost\b|^[^.]*$|\.(?:localdomain|local|localhost|internal|intranet|lan|home|home\.arpa)\.?$/i;

/** The name that a server is greeted with: strict ones refuse those that are not of the internet, which machines in containers and offices have. */
export function greetingOf(ownName: string, from: string): string {
  return LOCAL_NAME.test(ownName) ? from.slice(from.lastIndexOf('@') + 1) : ownName;
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

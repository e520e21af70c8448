// The address of a mail server, with user and password: smtp://user:password@mail.example.com:587, or smtps://.

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

export type MailServer = Readonly<{
  host: string;
  port: number;
  /** TLS from the first byte on; otherwise STARTTLS. */
  isTls: boolean;
  auth: Readonly<{ user: string; pass: string }> | undefined;
}>;

/** What is wrong with an address, or undefined. Never quotes it. */
export function mailServerProblem(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not an address';
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(address);
  if (PORTS[protocol] === undefined || hostname === '') return 'is not an address of a mail server';
  if ((username === '') !== (password === '')) return 'has a user without a password, or a password without a user';
  if (pathname.length > 1 || search || hash) return 'has more than user, password, server and port';
  if (decode(username) === undefined || decode(password) === undefined) return 'has a user or password that is not percent-encoded';
  return undefined;
}

/** Of an address without faults. */
export function readMailServer(address: string): MailServer {
  const { protocol, hostname, port, username, password } = new URL(address);
  const [user, pass] = [decode(username), decode(password)];
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (PORTS[protocol] ?? 0),
    isTls: protocol === 'smtps:',
    auth: user && pass ? { user, pass } : undefined,
  };
}

function decode(written: string): string | undefined {
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

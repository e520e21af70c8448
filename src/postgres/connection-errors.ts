// Explains why a session with the database could not begin: which side refused it, and what to do.

import { withAdvice } from '../core/advice.ts';

type Refusal = Readonly<{
  /** Matches SQLSTATEs or codes of Node, the empty string for an error without one. Without `code`, any matches. */
  code?: RegExp;
  /** Messages of Node, of node-postgres and of PgBouncer, which are always in English; of Postgres, in any language, only names. */
  message?: RegExp;
  /** The function of the server that refused. */
  routine?: RegExp;
  /** What happened. The error's text follows, then the advice. */
  said: string;
  advice: string;
}>;

/** The first match wins. */
const REFUSALS: readonly Refusal[] = [
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    said: 'this process refused the server, whose certificate is for another host',
    advice: 'write a host that the certificate names into DATABASE_URL',
  },
  {
    code: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    said: 'this process refused the certificate of the server',
    advice: 'renew it, or correct the clock of this machine',
  },
  {
    code: /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_\w+|INVALID_CA|CRL_\w+)$/,
    said: 'this process refused the certificate of the server',
    advice: 'name the file of the CA that signed it by sslrootcert in DATABASE_URL',
  },
  {
    message: /server does not support SSL connections/,
    said: 'the server has no TLS, and sslmode in DATABASE_URL demands it',
    advice: 'turn ssl on there, or write sslmode=disable if the network between is yours alone',
  },
  {
    code: /^ERR_SSL_\w*ALERT/,
    said: 'the server refused TLS with this process',
    advice: 'name a client certificate that it accepts by sslcert and sslkey in DATABASE_URL',
  },
  {
    code: /^$|^ERR_(OSSL|SSL)_/,
    // Excludes a server that answered with an error before TLS, for example because it cannot start a process: that is transient.
    message: /^(?!There was an error establishing an SSL connection).*(SSL|x509|PEM)/is,
    said: 'TLS with the server failed',
    advice: 'see whether sslcert and sslkey in DATABASE_URL are PEM files that belong together',
  },
  {
    code: /^28000$/,
    message: /pg_hba\.conf/,
    said: 'the server refused this client',
    advice:
      'add sslmode=verify-full to DATABASE_URL if it has no sslmode, or have its administrator add this address, role and database to pg_hba.conf, for connections with or without TLS as this one is',
  },
  {
    code: /^28000$/,
    routine: /^(ClientAuthentication|auth_failed)$/,
    said: 'the server refused this client',
    advice: 'name a certificate of the role by sslcert and sslkey in DATABASE_URL, or correct role and password there',
  },
  { code: /^28(000|P01)$/, said: 'the server refused this role', advice: 'correct role and password in DATABASE_URL' },
  { code: /^3D000$/, said: 'the server refused', advice: 'create the database, or correct its name in DATABASE_URL' },
  {
    code: /^08P01$/,
    message: /unsupported (options )?startup parameter/,
    said: 'the pooler (PgBouncer) refused',
    advice: 'remove the parameter from DATABASE_URL, or name it in ignore_startup_parameters of the pooler',
  },
  {
    code: /^08P01$/,
    message: /no such (database|user)|does not exist|login rejected|authentication failed|pg_hba\.conf|SSL required| is disabled/,
    said: 'the pooler (PgBouncer) refused',
    advice: 'correct DATABASE_URL, or databases and users of the pooler',
  },
];

/** Explanation and advice for a refusal that only an operator can resolve; undefined for other errors. */
export function explainRefusal(code: unknown, message: string, routine?: unknown): string | undefined {
  const found = REFUSALS.find(
    (refusal) =>
      (refusal.code === undefined || refusal.code.test(typeof code === 'string' ? code : '')) &&
      (refusal.message === undefined || refusal.message.test(message)) &&
      (refusal.routine === undefined || refusal.routine.test(typeof routine === 'string' ? routine : '')),
  );
  return found && withAdvice(`${found.said}: ${message}`, found.advice);
}

/** Whether a pooler has just lost its server, or has none to give: all of a pooler's own failures have this code, and are fatal. */
export function isPoolerFailure(code: unknown, error: unknown): boolean {
  return code === '08P01' && (error as { severity?: unknown }).severity === 'FATAL';
}

// Explains why no answer came, by the codes of undici, Node and OpenSSL.
import { errors } from 'undici';
import { KIBIBYTE, MAX_ANSWER_HEADER_BYTES } from '../core/byte-sizes.ts';
import { ServiceUnavailableError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import type { HttpProxy } from '../egress/route.ts';
import { ProxyError } from '../egress/tunnel.ts';
import { excerpt } from './excerpt.ts';
import { AnswerTooLargeError, ExchangeAbandonedError } from './http-exchange.ts';
import { nameOperation, noteUnknownOutcome, type Operation } from './operation.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known to DNS; check base_url and the network',
  EAI_AGAIN: 'DNS did not answer; check the network',
  ECONNREFUSED: 'nothing listens there; check base_url, or the service is down',
  EHOSTUNREACH: 'the network has no way to it',
  ENETUNREACH: 'the network has no way to it',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not accept the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not begin to answer in time',
  UND_ERR_BODY_TIMEOUT: 'it stopped in the middle of its answer',
  UND_ERR_SOCKET: 'it closed the connection before its answer was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its answer was shorter or longer than announced',
  UND_ERR_HEADERS_OVERFLOW: `the headers of its answer are larger than ${MAX_ANSWER_HEADER_BYTES / KIBIBYTE} KiB; let the gateway send fewer or shorter ones`,
  ECONNRESET: 'it reset the connection',
  EPIPE: 'it closed the connection while the request was being written',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; trust its issuer by NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate has an unknown issuer; trust it by NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate has an unknown issuer; trust it by NODE_EXTRA_CA_CERTS',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate has an unknown issuer; trust it by NODE_EXTRA_CA_CERTS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name; check base_url',
  INTERIM_FLOOD: 'it sent interim answers (1xx) without end',
  EPROTO: 'it does not speak TLS as expected; check the scheme and port of base_url',
};

/** The error of a call that got no complete answer; `isSent` says whether a byte of the request may have gone out. */
export function explainTransportFailure(
  operation: Operation,
  error: unknown,
  { host, proxy, isSent, secrets }: Readonly<{ host: string; proxy?: HttpProxy | undefined; isSent: boolean; secrets: readonly Secret[] }>,
): ServiceUnavailableError {
  if (error instanceof ProxyError) {
    const message = `${nameOperation(operation)}: ${host} was not asked: ${error.message}. Nothing was sent to the service.`;
    return new ServiceUnavailableError(message, { context: operation.context, isOutcomeUnknown: false });
  }
  const reason = error instanceof ExchangeAbandonedError ? error.message : describeReason(failureCode(error));
  const note = isSent ? noteUnknownOutcome(operation) : ' Nothing was sent.';
  // undici's errors carry what the service sent, which may echo a credential, so only a redacted message is kept.
  const cause = new Error(excerpt(error instanceof Error ? error.message : String(error), secrets));
  const way = proxy ? ` through the proxy ${proxy.name}` : '';
  const message = `${nameOperation(operation)}: no usable answer from ${host}${way}: ${reason}.${note}`;
  const context = error instanceof AnswerTooLargeError ? { ...operation.context, status: error.status } : operation.context;
  return new ServiceUnavailableError(message, { context, cause, isOutcomeUnknown: isSent });
}

/** The error's code; for a failure with several parts (one per address tried), the code of the first. */
function failureCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof errors.HTTPParserError) return error.code ?? 'HPE';
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  return error instanceof AggregateError ? failureCode(error.errors[0]) : undefined;
}

function describeReason(code: string | undefined): string {
  if (code === undefined) return 'the connection failed';
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  const family = code.startsWith('HPE')
    ? 'its answer is not valid HTTP, or was cut off'
    : code.startsWith('ERR_SSL_')
      ? REASONS.EPROTO
      : undefined;
  return `${known ?? family ?? 'the connection failed'} (${code})`;
}

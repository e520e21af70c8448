// What can be set about the client's HTTP, with the defaults.
import { MINUTE, SECOND } from '../core/clock.ts';
import type { Pace } from './http-exchange.ts';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

export type ClientOptions = Readonly<{
  /** For TCP and TLS together. */
  connectTimeoutMs: number;
  /** From the request to the end of the answer's headers, the time in which the service works. Stays below the 61 s for which a slot is taken. */
  headersTimeoutMs: number;
  /** Longest silence inside a body. */
  bodyTimeoutMs: number;
  /** For the whole exchange: a server that drips may not hold a call for ever. */
  totalTimeoutMs: number;
  /** How slow the answer to a poll or page may be. That to a submit is awaited: it brings the executionId. */
  pace: Pace;
  /** How long a poll or page under way may go on after its signal aborts, so that the service has finished with it. */
  cancelGraceMs: number;
  /** Largest body, as it comes and also once decompressed. */
  maxResponseBytes: number;
  /** Whether compressed answers are asked for; over loopback they cost more than they save. */
  isCompressionAccepted: boolean;
}>;

export const DEFAULT_CLIENT_OPTIONS: ClientOptions = {
  connectTimeoutMs: 8 * SECOND,
  headersTimeoutMs: 55 * SECOND,
  bodyTimeoutMs: 30 * SECOND,
  totalTimeoutMs: 5 * MINUTE,
  pace: { afterMs: MINUTE, spanMs: 30 * SECOND, bytesPerSecond: 64 * KIBIBYTE },
  cancelGraceMs: 2 * SECOND,
  maxResponseBytes: 256 * MEBIBYTE,
  isCompressionAccepted: true,
};

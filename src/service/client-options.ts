// HTTP options of the client, with their defaults.
import { MAX_ROW_BYTES } from '../codec/row-cutter.ts';
import { KIBIBYTE, MEBIBYTE } from '../core/byte-sizes.ts';
import { MINUTE, SECOND } from '../core/clock.ts';
import type { Pace } from './http-exchange.ts';

export type ClientOptions = Readonly<{
  /** Covers TCP and TLS together. */
  connectTimeoutMs: number;
  /** From the request to the end of the answer's headers, while the service works. Stays below the 61 s for which a slot is taken. */
  headersTimeoutMs: number;
  /** Longest pause within a body. */
  bodyTimeoutMs: number;
  /** Covers the whole exchange: a server that sends very slowly must not hold a call for ever. */
  totalTimeoutMs: number;
  /** Slowest acceptable answer to a poll or page. The answer to a submit is always awaited: it carries the executionId. */
  pace: Pace;
  /** How long a poll or page in flight may continue after its signal aborts, so that the service can finish it. */
  cancelGraceMs: number;
  /** Most bytes kept of a body, both as received and decompressed. */
  maxResponseBytes: number;
  /** Longer rows are cut out of a body, and go to quarantine. */
  maxRowBytes: number;
  /** Whether compressed answers are requested; over loopback they cost more than they save. */
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
  maxRowBytes: MAX_ROW_BYTES,
  isCompressionAccepted: true,
};

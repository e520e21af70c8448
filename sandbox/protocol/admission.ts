// The gateway's steps, before anything is looked up: who calls, which kind of call it is, and whether it may be made now.
// Source: service specification, "Authentication", "Endpoints" (body shapes) and "Limits".
import type { CallKind } from '../../src/core/limits.ts';
import { AUTHORIZATION_HEADER, JSON_CONTENT_TYPE } from '../../src/service/wire.ts';
import { refusal } from './answers.ts';
import type { Credentials, GatewayHeader } from './credentials.ts';
import type { Step } from './exchange.ts';
import { type Call, kindOf, type Observations } from './observations.ts';
import { SlidingLimit } from './sliding-window.ts';

const VIOLATION_OF = { missing: 'missingCredentials', wrong: 'wrongCredentials', stale: 'staleSignatures' } as const;

/** 401 without the header that the gateway requires; the answer does not say what it should be. */
export function demandHeader({ name, value }: GatewayHeader, observations: Observations): Step {
  return ({ headers }) => {
    const given = single(headers[name.toLowerCase()]);
    if (given === value) return undefined;
    observations.noteViolation(given === undefined ? 'missingCredentials' : 'wrongCredentials');
    return refusal(401, `the gateway demands the header ${name}${given === undefined ? '' : ' with another value'}`, {
      'www-authenticate': 'Bearer',
    });
  };
}

/** Sets the credential; 401 without a valid one. */
export function authenticate(credentials: Credentials, observations: Observations): Step {
  return (exchange) => {
    const authorization = single(exchange.headers[AUTHORIZATION_HEADER]);
    const verdict = credentials.check(authorization, exchange.parameters, exchange.receivedAt);
    if ('refusal' in verdict) {
      observations.noteViolation(VIOLATION_OF[verdict.refusal]);
      return refusal(401, verdict.message, { 'www-authenticate': 'Bearer' });
    }
    observations.noteClockDifference(verdict.clockDifferenceSeconds ?? 0);
    exchange.credential = verdict.credential;
    return undefined;
  };
}

/** Sets the body as an object, and the kind of call; 400 when it is not a JSON object, or has no known shape. */
export function readBody(): Step {
  return (exchange) => {
    const contentType = single(exchange.headers['content-type']) ?? '';
    if (contentType.split(';')[0]?.trim().toLowerCase() !== JSON_CONTENT_TYPE) {
      return refusal(400, `the content type must be ${JSON_CONTENT_TYPE}, not ${contentType === '' ? 'missing' : contentType}`);
    }
    let body: unknown;
    try {
      body = JSON.parse(exchange.rawBody);
    } catch {
      return refusal(400, exchange.rawBody === '' ? 'a request body is required' : 'the request body is not JSON');
    }
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return refusal(400, 'the request body must be a JSON object');
    exchange.body = body as Record<string, unknown>;
    exchange.call = callOf(exchange.body);
    return undefined;
  };
}

/** Determines the shape by the fields that are present. A token without its execution is a broken page request. */
function callOf(body: Readonly<Record<string, unknown>>): Call {
  if (Object.hasOwn(body, 'nextPageId')) return 'page';
  return Object.hasOwn(body, 'executionId') ? 'poll' : 'submit';
}

/** Counts the call against its credential; 429 when the last 60 seconds have used up the limit. */
export function limitCalls(limits: Readonly<Record<CallKind, number>>, observations: Observations): Step {
  const byCredential = new Map<string, Readonly<Record<CallKind, SlidingLimit>>>();
  return ({ dataset, credential, call, receivedAt }) => {
    if (!credential || !call) throw new Error('calls are limited after they are authenticated and read');
    const atMs = receivedAt.getTime();
    observations.noteCall(dataset.name, credential.name, call, atMs);
    const own = byCredential.get(credential.name) ?? { submit: new SlidingLimit(limits.submit), read: new SlidingLimit(limits.read) };
    byCredential.set(credential.name, own);
    const kind = kindOf(call);
    const waitMs = own[kind].take(atMs);
    if (waitMs === 0) return undefined;
    observations.noteViolation('overLimit');
    const seconds = Math.ceil(waitMs / 1000);
    const what = { submit: 'submit', read: 'poll and paginate' }[kind];
    return refusal(429, `more than ${limits[kind]} ${what} requests in 60 seconds; try again in ${seconds} s`, {
      'retry-after': String(seconds),
    });
  };
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

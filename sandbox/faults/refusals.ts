// The gateway's answers when it does not let a call through.
import { type Answer, refusal } from '../protocol/answers.ts';
import type { FaultOf, FaultOfStage } from './fault.ts';
import { deepJson } from './raw-json.ts';

/** A terminal title sequence, colours, a bell, C1 and a carriage return, for clients that print the service's messages. */
const CONTROL_CHARACTERS = 'something\u001b]0;went\u0007 \u009b31mwrong\r\u0000\u001b[2J';

/** The answer; null for none: the connection is reset. */
export function refuseBy(fault: FaultOfStage<'gateway'>, now: Date): Answer | null {
  switch (fault.kind) {
    case 'too_many':
    case 'storm':
      return refusal(429, 'too many requests', retryAfterOf(fault, now));
    case 'error':
      return { ...strangeError(fault), status: fault.status };
    case 'bad_gateway':
      return {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n',
      };
    case 'unavailable':
      return {
        status: 503,
        headers: retryAfterOf(fault, now),
        body: JSON.stringify({ error: 'UNAVAILABLE', message: 'the service is being maintained' }),
      };
    case 'unauthorized':
      return refuseCredential();
    case 'redirect':
      return { status: fault.status, headers: { location: fault.to }, body: '' };
    case 'rejected':
      return rejectedBy(fault);
    case 'reset_before':
      return null;
  }
}

function rejectedBy({ status, body, connection }: FaultOf<'rejected'>): Answer {
  const plain = { ...refusal(400, 'the request is refused', connection === 'close' ? { connection } : {}), status };
  if (body === 'empty') return { ...plain, body: '' };
  return body === 'json'
    ? plain
    : { ...plain, headers: { ...plain.headers, 'content-type': 'text/html' }, body: '<html><h1>Bad Request</h1></html>' };
}

function strangeError({ message, size }: FaultOf<'error'>): Answer {
  switch (message) {
    case 'plain':
      return refusal(500, 'something went wrong');
    case 'deep':
      return { status: 500, headers: {}, body: `{"error":"INTERNAL_ERROR","message":${deepJson(size)}}` };
    case 'long':
      return refusal(500, 'something went wrong. '.repeat(Math.ceil(size / 22)).slice(0, size));
    case 'control_characters':
      return refusal(500, CONTROL_CHARACTERS);
  }
}

export function refuseCredential(): Answer {
  return refusal(401, 'the credential is not valid', { 'www-authenticate': 'Bearer' });
}

function retryAfterOf({ retry_after: seconds, as }: FaultOf<'too_many' | 'storm' | 'unavailable'>, now: Date): Answer['headers'] {
  if (seconds === undefined) return {};
  // A date has whole seconds; rounded up, so that it is not too early.
  const date = new Date(Math.ceil(now.getTime() / 1000) * 1000 + seconds * 1000);
  return { 'retry-after': as === 'seconds' ? String(seconds) : date.toUTCString() };
}

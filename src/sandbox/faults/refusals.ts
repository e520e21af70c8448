// What the gateway says instead of letting a call through.
import { type Answer, refusal } from '../protocol/answers.ts';
import type { FaultOf, FaultOfStage } from './fault.ts';

/** The answer, or null for none at all: the connection is reset. */
export function refuseBy(fault: FaultOfStage<'gateway'>, now: Date): Answer | null {
  switch (fault.kind) {
    case 'too_many':
    case 'storm':
      return refusal(429, 'too many requests', retryAfterOf(fault, now));
    case 'error':
      return { ...refusal(500, 'something went wrong'), status: fault.status };
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
    case 'reset_before':
      return null;
  }
}

export function refuseCredential(): Answer {
  return refusal(401, 'the credential is not valid', { 'www-authenticate': 'Bearer' });
}

function retryAfterOf({ retry_after: seconds, as }: FaultOf<'too_many' | 'storm' | 'unavailable'>, now: Date): Answer['headers'] {
  if (seconds === undefined) return {};
  // A date has whole seconds; rounded up, so that it is not over too early.
  const date = new Date(Math.ceil(now.getTime() / 1000) * 1000 + seconds * 1000);
  return { 'retry-after': as === 'seconds' ? String(seconds) : date.toUTCString() };
}

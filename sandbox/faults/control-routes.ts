// The control endpoint: off by default, and only for programs on this machine, because it can make the sandbox useless. Requests from foreign
// web pages in a local browser are refused.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parse } from 'yaml';
import { ConfigurationError, describeError } from '../../src/core/errors.ts';
import { isFromOwnPage, isLoopbackHeader } from '../../src/core/request-origin.ts';
import { refusal } from '../protocol/answers.ts';
import type { FaultControl, RestateInput } from './control.ts';
import type { Faults } from './faults.ts';
import { parseFaultPlanText } from './plan-file.ts';

type Action = (body: string) => unknown;

/** Adds the control endpoint to a server. Bodies are YAML or JSON, whatever their content type. */
export function routeControl(server: FastifyInstance, control: FaultControl, faults: Faults): void {
  const route = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, act: Action): void => {
    server.route({ method, url, handler: (request, reply) => answerControl(request, reply, act) });
  };
  const plan = (): unknown => ({ plan: faults.plan ?? null });
  route('GET', '/control/faults', () => ({ plan: faults.plan ?? null, ...faults.report() }));
  route('PUT', '/control/faults', (body) => {
    control.setFaults(parseFaultPlanText(body, 'body'));
    return plan();
  });
  route('DELETE', '/control/faults', () => {
    control.clearFaults();
    return plan();
  });
  route('POST', '/control/restate', (body) => ({ number: control.restate(readFields(body) as RestateInput) }));
  route('POST', '/control/expire', () => ({ expired: control.expire() }));
  route('POST', '/control/revoke', (body) => ({ revoked: control.revoke(readCredential(body)) }));
  route('POST', '/control/restore', (body) => ({ restored: control.restore(readCredential(body)) }));
}

function answerControl(request: FastifyRequest, reply: FastifyReply, act: Action): FastifyReply {
  const { headers, ip } = request;
  if (!isLoopback(ip) || !isLoopbackHeader(headers.host) || !isFromOwnPage(headers, headers.host))
    return reply.code(403).send({ error: 'FORBIDDEN', message: 'the control endpoint is for programs on this machine only' });
  try {
    return reply.send(act(typeof request.body === 'string' ? request.body : ''));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { status, body } = refusal(400, describeError(error));
    return reply.code(status).type('application/json; charset=utf-8').send(body);
  }
}

/** Whether the address of a connection is loopback; an IPv4 address may be written as IPv6. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

function readFields(body: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parse(body) ?? {};
  } catch (error) {
    throw new ConfigurationError(`the body is neither YAML nor JSON: ${describeError(error)}`);
  }
  if (typeof value !== 'object' || Array.isArray(value)) throw new ConfigurationError('the body must be a mapping');
  return value as Readonly<Record<string, unknown>>;
}

function readCredential(body: string): string | undefined {
  const { credential, ...others } = readFields(body);
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw new ConfigurationError(`the body does not know ${unknown.join(', ')}; it may have: credential`);
  return credential as string | undefined;
}

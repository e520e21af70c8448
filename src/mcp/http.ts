// /mcp over HTTP (streamable HTTP without sessions), on the server of the pages and behind their password, sent as a bearer token.
import { isUtf8 } from 'node:buffer';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { KIBIBYTE } from '../core/byte-sizes.ts';
import { describeError } from '../core/errors.ts';
import { isFromOwnPage } from '../core/request-origin.ts';
import type { Access } from '../dashboards/access.ts';
import { createPasswordAttempts } from '../dashboards/password-attempts.ts';
import { isNameServed } from '../dashboards/sessions.ts';
import type { Asking } from './asking.ts';

const MAX_BODY_BYTES = 256 * KIBIBYTE;
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export type McpOptions = Readonly<{ asking: Asking; access: Access }>;

export const serveMcp: FastifyPluginAsync<McpOptions> = async (server, { asking, access }) => {
  let opened: Promise<McpHttpHandler> | undefined;
  const open = (): Promise<McpHttpHandler> => (opened ??= openHandler(asking));
  const attempts = access.kind === 'password' ? createPasswordAttempts(access.isPassword) : undefined;
  server.addHook('onClose', async () => {
    await attempts?.stop();
    await (await opened)?.close();
  });
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    if (access.kind === 'closed')
      return refuse(reply, 403, 'on this address /mcp is served only with a password; set OPS_PASSWORD or OPS_PASSWORD_FILE');
    if (!isNameServed(access, request)) return refuse(reply, 403, 'without a password /mcp is served only under loopback host names');
    if (!isFromOwnPage(request.headers, request.host)) return refuse(reply, 403, 'pages of other sites are not served');
    if (!attempts) return;
    const outcome = await attempts.try(passwordOf(request), request.ip);
    if (outcome === 'too often') return refuse(reply, 429, 'too many wrong passwords from here; try again in a minute');
    if (outcome === 'wrong')
      return refuse(reply.header('www-authenticate', 'Bearer'), 401, 'send the password of the pages: Authorization: Bearer <password>');
  });
  server.setErrorHandler<Error & { statusCode?: number }>((error, _, reply) =>
    refuse(reply, error.statusCode ?? 503, describeError(error)),
  );
  server.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    bodyLimit: MAX_BODY_BYTES,
    handler: async (request, reply) => {
      const form = formFor(request.headers.accept);
      if (form === undefined) return refuse(reply, 406, 'answers are application/json or text/event-stream; name one of them in Accept');
      const asked = toWebRequest(request, reply);
      const answered = await (await open()).fetch(asked, { parsedBody: request.body });
      // Fastify computes the length again.
      const headers = [...answered.headers].filter(([name]) => name !== 'content-length' && name !== 'connection');
      const text = await answered.text();
      reply.code(answered.status).headers(Object.fromEntries(headers));
      if (form === 'events' || !isEventStream(answered)) return reply.send(text);
      return reply.type('application/json; charset=utf-8').send(messageOf(text));
    },
  });
};

type Form = 'json' | 'events';

/**
 * The form of answers that a client takes. The library demands both in Accept, by their full names; clients leave the header out, or send
 * `*` of everything or of application, or only the form that they read. A stream is sent to those that name it.
 */
function formFor(accept: string | undefined): Form | undefined {
  const ranges = (accept ?? '*/*').split(',').map((range) => (range.split(';')[0] ?? '').trim().toLowerCase());
  if (ranges.includes('text/event-stream')) return 'events';
  return ranges.some((range) => ['application/json', 'application/*', '*/*', '*', ''].includes(range)) ? 'json' : undefined;
}

const isEventStream = ({ headers }: Response): boolean => headers.get('content-type')?.startsWith('text/event-stream') === true;

/** The answer in a stream of events: one message, or a list of them when several requests came together. */
function messageOf(stream: string): string {
  const messages = stream
    .split(/\r?\n\r?\n/)
    .map((event) => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data).join('\n'))
    .filter((data) => data !== '');
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(',')}]`;
}

/** Loads the protocol library with the first request: few processes get one, and loading it takes a tenth of the start. */
async function openHandler(asking: Asking): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([import('@modelcontextprotocol/server'), import('./server.ts')]);
  // No subscriptions: there are no change notifications, so no answer stays open.
  return createMcpHandler(() => createMcpServer(asking), { maxSubscriptions: 0, maxRequestBodySize: MAX_BODY_BYTES });
}

function refuse(reply: FastifyReply, code: number, message: string): FastifyReply {
  return reply.code(code).send({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
}

/** The password from `Bearer <password>`, or from `Basic` for clients that support nothing else; empty without either. */
function passwordOf({ headers }: FastifyRequest): string {
  const [, kind = '', given = ''] = /^(bearer|basic) +(.+)$/i.exec(headers.authorization ?? '') ?? [];
  // Node reads headers as Latin-1.
  if (kind.toLowerCase() !== 'basic') return textOf(Buffer.from(given, 'latin1'));
  return textOf(Buffer.from(given, 'base64')).replace(/^[^:]*:/, '');
}

/** Clients write other letters than ASCII as UTF-8, or as Latin-1. */
const textOf = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');

function toWebRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !name.startsWith(':')) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  headers.delete('authorization');
  headers.delete('content-length');
  headers.set('accept', 'application/json, text/event-stream');
  const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
  return new Request(new URL(request.url, 'http://127.0.0.1'), { method: request.method, headers, signal: gone.signal, ...body });
}

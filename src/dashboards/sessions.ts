// Logging in and out. A link from elsewhere shows its page to whoever has a session (SameSite=Lax); forms are taken from our own pages only.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { MINUTE, SECOND } from '../core/clock.ts';
import { onOneLine } from '../core/invisible.ts';
import { type Access, CLOSED_SESSION, isLoopbackHeader, isOwnForm } from './access.ts';
import type { Frame } from './layout.tsx';
import { loginPage, type messagePage } from './plain-pages.tsx';

const HTML = 'text/html; charset=utf-8';
const MAX_FORM_BYTES = 4_096;
/** Wrong passwords from one address. */
const MAX_FAILURES_PER_MINUTE = 10;

export type SendMessage = (reply: FastifyReply, code: number, message: Parameters<typeof messagePage>[1]) => FastifyReply;

type Context = Readonly<{ access: Access; frame: Frame; sendMessage: SendMessage }>;

/** Asks for a session wherever one is needed, and takes forms from our own pages only. */
export function guardPages(server: FastifyInstance, { access, sendMessage }: Omit<Context, 'frame'>): void {
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: MAX_FORM_BYTES }, (_, body, done) =>
    done(null, new URLSearchParams(String(body))),
  );
  server.addHook('onRequest', async (request, reply) => {
    const refusal = refuse(access, request);
    if (refusal) return sendMessage(reply, 403, refusal);
    const isFree = request.url.startsWith('/assets/') || /^\/log(?:in|out)(?:$|\?)/.test(request.url);
    if (access.kind !== 'password' || isFree || access.findSession(request.headers.cookie ?? '')) return;
    return reply.redirect(`/login?${new URLSearchParams({ to: request.url })}`, 303);
  });
  server.addHook('preHandler', async ({ method, body }, reply) => {
    if (method !== 'POST' || body === undefined || body instanceof URLSearchParams) return;
    return sendMessage(reply, 415, { title: 'This request cannot be answered', text: 'A form is expected, as a page of ours sends it.' });
  });
}

export function serveLogin(server: FastifyInstance, { access, frame, sendMessage }: Context): void {
  if (access.kind !== 'password') return;
  const failures = new RateLimiterMemory({ points: MAX_FAILURES_PER_MINUTE, duration: MINUTE / SECOND });
  server.get<{ Querystring: Record<string, unknown> }>('/login', async (request, reply) => {
    const to = localPath(request.query.to);
    if (access.findSession(request.headers.cookie ?? '')) return reply.redirect(to, 303);
    return reply.type(HTML).send(loginPage(frame, { to }));
  });
  server.post<{ Body: URLSearchParams | undefined }>('/login', async (request, reply) => {
    const to = localPath(request.body?.get('to'));
    const tried = await failures.get(request.ip);
    if (tried && tried.consumedPoints >= MAX_FAILURES_PER_MINUTE)
      return sendMessage(reply, 429, {
        title: 'Too many attempts',
        text: 'The password was tried too often from here. Try again in a minute.',
      });
    if (access.isPassword(request.body?.get('password') ?? '')) {
      const cookie = access.openSession(onOneLine(request.body?.get('name') ?? ''));
      return reply.header('set-cookie', secured(cookie, request)).redirect(to, 303);
    }
    await failures.penalty(request.ip);
    return reply
      .code(401)
      .type(HTML)
      .send(loginPage(frame, { to, problem: 'This is not the password.' }));
  });
  server.post('/logout', async (request, reply) => reply.header('set-cookie', secured(CLOSED_SESSION, request)).redirect('/login', 303));
}

function refuse(access: Access, { headers, method }: FastifyRequest): { title: string; text: string } | undefined {
  if (access.kind === 'closed') {
    const text =
      'On other addresses than the loopback the dashboards are served only with a password. Set OPS_PASSWORD or OPS_PASSWORD_FILE and start again.';
    return { title: 'The dashboards need a password', text };
  }
  if (access.kind === 'open' && !isLoopbackHeader(headers.host)) {
    const text = 'Without a password the dashboards are served to this machine only, under names such as 127.0.0.1 and localhost.';
    return { title: 'This name is not served', text };
  }
  if (method === 'POST' && !isOwnForm(headers)) {
    return { title: 'This form is not ours', text: 'Another site sent it. Open the page here and try again.' };
  }
  return undefined;
}

/** Where a form leads: to one of our pages, whatever the address says. */
export function localPath(to: unknown): string {
  return typeof to === 'string' && /^\/(?:boards|operations)(?:[/?][!-[\]-~]*)?$/.test(to) ? to : '/';
}

/** Behind a proxy with TLS, the cookie must never go without it. */
function secured(cookie: string, { headers }: FastifyRequest): string {
  return headers['x-forwarded-proto'] === 'https' ? `${cookie}; Secure` : cookie;
}

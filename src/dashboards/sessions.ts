// Logging in and out. Links from other sites work for those who have a session (SameSite=Lax); forms are accepted only from our own pages.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describeError, StoreError } from '../core/errors.ts';
import { onOneLine } from '../core/invisible.ts';
import { isFromOwnPage, isLoopbackHeader } from '../core/request-origin.ts';
import type { Access, LoginSession } from './access.ts';
import type { Frame } from './layout.tsx';
import { createPasswordAttempts } from './password-attempts.ts';
import { loginPage, type messagePage } from './plain-pages.tsx';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route that needs no session. */
    isFree?: boolean;
  }
  interface FastifyRequest {
    /** Set when the pages have a password and the request is by a logged-in person. */
    session: LoginSession | undefined;
  }
}

const HTML = 'text/html; charset=utf-8';
const MAX_FORM_BYTES = 4_096;
/** Options of a route that needs no session. */
export const FREE = { config: { isFree: true } } as const;

export type SendMessage = (reply: FastifyReply, code: number, message: Parameters<typeof messagePage>[1]) => FastifyReply;

type Context = Readonly<{ access: Access; frame: Frame; sendMessage: SendMessage }>;

/** Requires a session for all routes but free ones, and accepts forms only from our own pages. */
export function guardPages(server: FastifyInstance, { access, sendMessage }: Omit<Context, 'frame'>): void {
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: MAX_FORM_BYTES }, (_, body, done) =>
    done(null, new URLSearchParams(String(body))),
  );
  server.decorateRequest('session', undefined);
  server.addHook('onRequest', async (request, reply) => {
    const refusal = refuse(access, request);
    if (refusal) return sendMessage(reply, 403, refusal);
    if (access.kind !== 'password' || request.routeOptions.config.isFree === true) return;
    request.session = await access.findSession(request.headers.cookie ?? '');
    if (request.session) return;
    return reply.redirect(`/login?${new URLSearchParams({ to: request.url })}`, 303);
  });
  server.addHook('preHandler', async ({ method, body }, reply) => {
    if (method !== 'POST' || body === undefined || body instanceof URLSearchParams) return;
    return sendMessage(reply, 415, { title: 'This request cannot be answered', text: 'Expected a form from one of these pages.' });
  });
}

export function serveLogin(server: FastifyInstance, { access, frame, sendMessage }: Context): void {
  if (access.kind !== 'password') return;
  const attempts = createPasswordAttempts(access.isPassword);
  server.addHook('preClose', () => attempts.stop());
  server.get<{ Querystring: Record<string, unknown> }>('/login', FREE, async (request, reply) => {
    const to = localPath(request.query.to);
    if (await access.findSession(request.headers.cookie ?? '')) return reply.redirect(to, 303);
    return reply.type(HTML).send(loginPage(frame, { to }));
  });
  server.post<{ Body: URLSearchParams | undefined }>('/login', FREE, async (request, reply) => {
    const to = localPath(request.body?.get('to'));
    const outcome = await attempts.try(request.body?.get('password') ?? '', request.ip);
    if (outcome === 'too often') {
      const hint = request.headers['x-forwarded-for'] === undefined ? '' : ' If these pages are behind a proxy, set OPS_TRUSTED_PROXIES.';
      return sendMessage(reply, 429, {
        title: 'Too many attempts',
        text: `Too many wrong passwords from here. Try again in a minute.${request.ips ? '' : hint}`,
      });
    }
    if (outcome === 'right') {
      const cookie = await access.openSession(onOneLine(request.body?.get('name') ?? ''));
      return reply.header('set-cookie', secured(cookie, request)).redirect(to, 303);
    }
    return reply
      .code(401)
      .type(HTML)
      .send(loginPage(frame, { to, problem: 'Wrong password.' }));
  });
  server.post('/logout', FREE, async (request, reply) => {
    reply.header('set-cookie', secured(await access.closeSession(), request));
    try {
      await access.endSession(request.headers.cookie ?? '');
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return sendMessage(reply, 503, {
        title: 'You are logged out of this process only',
        text: 'The database could not record it. Anyone who has copied your cookie can use it in other processes until 12 hours after you logged in, or until OPS_PASSWORD is changed.',
        detail: describeError(error),
      });
    }
    return reply.redirect('/login', 303);
  });
}

function refuse(access: Access, request: FastifyRequest): { title: string; text: string } | undefined {
  if (access.kind === 'closed') {
    const text =
      'On addresses other than the loopback the dashboards are served only with a password. Set OPS_PASSWORD or OPS_PASSWORD_FILE and restart.';
    return { title: 'The dashboards need a password', text };
  }
  if (!isNameServed(access, request)) {
    const text = 'Without a password the dashboards are served only to this machine, under names such as 127.0.0.1 and localhost.';
    return { title: 'This name is not served', text };
  }
  // request.host is the name that a trusted proxy was asked for.
  if (request.method === 'POST' && !isFromOwnPage(request.headers, request.host)) {
    return { title: 'This form is not from these pages', text: 'Another site sent it. Open the page here and try again.' };
  }
  return undefined;
}

/**
 * Whether the request's host name is served. Without a password only loopback names are: otherwise another site could point its own name to
 * this machine and read everything with a visitor's browser (DNS rebinding).
 */
export function isNameServed(access: Access, { headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return access.kind !== 'open' || isLoopbackHeader(headers.host);
}

/** A redirect target that is always one of our pages: `to` if it is a path of boards or operations, otherwise `/`. */
export function localPath(to: unknown): string {
  return typeof to === 'string' && /^\/(?:boards|operations)(?:[/?][!-[\]-~]*)?$/.test(to) ? to : '/';
}

/** Adds `Secure` behind a proxy with TLS, so that the cookie is never sent without TLS. */
function secured(cookie: string, { headers }: FastifyRequest): string {
  return headers['x-forwarded-proto'] === 'https' ? `${cookie}; Secure` : cookie;
}

// Pages below a path, for a proxy that serves other services under the same name. Routes and links are written as if there were no such path:
// it is taken from what is asked for, if the proxy has not removed it, and put before what is answered. So both kinds of proxies work.
import type { FastifyInstance } from 'fastify';

/** A path such as `/searchmill` or `/tools/searchmill`; empty for none. */
export type BasePath = string;

/** The address without the path. */
export function takeBasePath(url: string, basePath: BasePath): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}

/** Attributes with an address on this server, as Preact writes them: it escapes quotation marks in texts and in values. */
const OWN_ADDRESSES = / (href|src|action)="\/(?!\/)/g;

/** The links of a page, with the path before them. */
export function putBasePath(html: string, basePath: BasePath): string {
  return basePath === '' ? html : html.replaceAll(OWN_ADDRESSES, ` $1="${basePath}/`);
}

/** Puts the path before redirects and before links of pages that are sent as text. */
export function servedBelow(server: FastifyInstance, basePath: BasePath): void {
  if (basePath === '') return;
  server.addHook('onSend', async (_, reply, payload) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string' && /^\/(?!\/)/.test(location)) reply.header('location', basePath + location);
    return typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html')
      ? putBasePath(payload, basePath)
      : payload;
  });
}

// Pages below a path, as a browser sees them through a proxy: every link that a page has is followed.
import { createServer, request, type Server } from 'node:http';
import { listenAnywhere } from './free-port.ts';

export type PathProxy = Readonly<{ url: string; close: () => void }>;

/** A proxy that serves `target` below a path, and nothing else. `strips`: it asks without the path. */
export async function startPathProxy(target: string, path: string, { strips }: Readonly<{ strips: boolean }>): Promise<PathProxy> {
  const server: Server = createServer((asked, answer) => {
    const { url = '' } = asked;
    if (url !== path && !url.startsWith(`${path}/`)) return void answer.writeHead(404).end('another service');
    const rest = url.slice(path.length) || '/';
    const headers = { ...asked.headers, host: new URL(target).host, 'x-forwarded-host': asked.headers.host };
    const forwarded = request(target + (strips ? rest : url), { method: asked.method ?? 'GET', headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    asked.pipe(forwarded);
  });
  const port = await listenAnywhere(server);
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A browser's cookies and redirects; `asked` are the addresses, without the host. */
export function createVisitor(origin: string) {
  let cookie = '';
  const asked: string[] = [];
  const ask = async (address: string, init: RequestInit = {}): Promise<Response> => {
    asked.push(address);
    const answer = await fetch(origin + address, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    const [given] = answer.headers.getSetCookie();
    if (given !== undefined) cookie = given.split(';')[0] ?? '';
    const to = answer.headers.get('location');
    return answer.status >= 300 && answer.status < 400 && to !== null ? ask(to) : answer;
  };
  return { ask, asked };
}

/** The addresses of links, scripts, styles, pictures and forms of a page, without those inside it. */
export function addressesIn(html: string): string[] {
  const found = [...html.matchAll(/ (?:href|src|action)="([^"#]+)/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'));
  return [...new Set(found)];
}

/**
 * Logs in below a path and asks for everything that the pages there link to, one address of each path. Returns the addresses with their status.
 */
export async function visitBelow(origin: string, path: string, password: string): Promise<ReadonlyMap<string, number>> {
  const visitor = createVisitor(origin);
  const login = await visitor.ask(`${path}/`);
  const [form = ''] = addressesIn(await login.text()).filter((address) => address.endsWith('/login'));
  const home = await visitor.ask(form, { method: 'POST', body: new URLSearchParams({ password, to: '/boards' }) });
  const found = new Map<string, number>();
  const waiting = addressesIn(await home.text());
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const [pathname = ''] = address.split('?');
    if (found.has(pathname) || pathname.endsWith('/logout')) continue;
    const answer = await visitor.ask(address);
    found.set(pathname, answer.status);
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true;
    const text = await answer.text();
    if (isPage) waiting.push(...addressesIn(text).filter((each) => !each.startsWith('http')));
  }
  for (const each of visitor.asked) if (!each.startsWith(path)) found.set(each, 404);
  return found;
}

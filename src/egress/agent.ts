// Routes an agent of Node's http and https through a proxy and keeps its options, including its certificates.
import type { Agent, AgentOptions, ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { HttpProxy } from './route.ts';
import { connectToProxy, openTunnel } from './tunnel.ts';

type Connected = (error: Error | null, socket?: Duplex) => void;
type RequestOptions = AgentOptions & Readonly<{ host?: string; port?: number | string; servername?: string }>;
/** Methods that Node calls but does not document. */
type Hooks = {
  addRequest(request: ClientRequest, options: RequestOptions): void;
  createConnection(options: RequestOptions, connected: Connected): undefined;
};

export function leadThrough<A extends Agent>(agent: A, proxy: HttpProxy, protocol: string, timeoutMs: number): A {
  const hooks = agent as unknown as Hooks;
  if (protocol === 'https:') {
    hooks.createConnection = (options, connected) => {
      openTunnel(proxy, { host: options.host ?? '', port: Number(options.port) || 443 }, timeoutMs).then(
        (socket) => connected(null, connectTls({ ...(options as ConnectionOptions), socket })),
        (error: Error) => connected(error),
      );
      return undefined;
    };
    return agent;
  }
  hooks.createConnection = (_, connected) => {
    connectToProxy(proxy, timeoutMs).then((socket) => connected(null, socket), connected);
    return undefined;
  };
  const addRequest = hooks.addRequest.bind(agent);
  hooks.addRequest = (request, options) => {
    request.path = `http://${request.getHeader('host')}${request.path}`;
    if (proxy.authorization) request.setHeader('proxy-authorization', proxy.authorization.reveal());
    addRequest(request, options);
  };
  return agent;
}

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Lets a server listen on any free port of loopback. Returns the port. */
export async function listenAnywhere(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** A port of loopback that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  const port = await listenAnywhere(probe);
  probe.close();
  await once(probe, 'close');
  return port;
}

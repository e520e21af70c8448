// Clients that ask ahead and read nothing. They come again when their connections are closed, so many times and no more.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROCESS_FILE = fileURLToPath(new URL('./deaf-clients-process.ts', import.meta.url));

export type DeafOptions = Readonly<{
  url: string;
  clients: number;
  /** Written on each connection as long as it takes more. */
  requests: string;
  maxConnections: number;
}>;

export interface DeafClients {
  /** Connections that the server has closed. */
  countClosed(): Promise<number>;
  stop(): void;
}

/** Resolves when they have begun to connect. */
export async function startDeafClients(options: DeafOptions): Promise<DeafClients> {
  const clients = fork(PROCESS_FILE, [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
  await once(clients, 'message');
  return {
    async countClosed() {
      clients.send('how many?');
      const [closed] = (await once(clients, 'message')) as [number];
      return closed;
    },
    stop: () => void clients.kill('SIGKILL'),
  };
}

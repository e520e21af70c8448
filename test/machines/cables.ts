// Starts the process that all cables of a network are laid by.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { addressOfCable, addressOfServer, type Machine, type Names, PORTS, SERVERS, within } from './network.ts';
import type { Cable } from './relay.ts';

const RELAY = fileURLToPath(new URL('relay.ts', import.meta.url));

export function layCables(names: Names, machines: readonly Machine[]): void {
  const cables = machines.flatMap(({ delayMs }, index) =>
    SERVERS.map(
      (server): Cable => ({ address: addressOfCable(index, server), server: addressOfServer(server), port: PORTS[server], delayMs }),
    ),
  );
  const [enter = '', ...net] = within(names.cables);
  spawn(enter, [...net, process.execPath, '--import', 'tsx', RELAY, JSON.stringify(cables)], { stdio: ['ignore', 'ignore', 'inherit'] });
}

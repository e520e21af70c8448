// The cable between a machine and a server: forwards TCP with a delay each way. It stands in a namespace of its own and has an address for each
// cable, so that packets of one cable can be dropped on both of its sides. Packets are delayed so because not every kernel has netem.
import { connect, createServer, type Socket } from 'node:net';

/** Listens at `address:port` and connects from `address` to `server:port`. */
export type Cable = Readonly<{ address: string; server: string; port: number; delayMs: number }>;

/** Bytes that may be under way in one direction, as a window of TCP bounds them. */
const MAX_UNDER_WAY_BYTES = 4 * 1024 * 1024;

function forward(from: Socket, to: Socket, delayMs: number): void {
  let underWayBytes = 0;
  // Timers of the same length fire in the order they were set.
  const later = (work: () => void): void => void setTimeout(work, delayMs);
  const resume = (): void => {
    if (underWayBytes < MAX_UNDER_WAY_BYTES && !to.writableNeedDrain) from.resume();
  };
  from.on('data', (chunk: Buffer) => {
    underWayBytes += chunk.length;
    if (underWayBytes >= MAX_UNDER_WAY_BYTES) from.pause();
    later(() => {
      underWayBytes -= chunk.length;
      if (to.writable && !to.write(chunk)) from.pause();
      resume();
    });
  });
  to.on('drain', resume);
  from.on('end', () => later(() => to.end()));
  from.on('error', () => later(() => to.resetAndDestroy()));
  from.on('close', () => later(() => to.destroySoon()));
}

function lay({ address, server, port, delayMs }: Cable): void {
  createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ host: server, port, localAddress: address, allowHalfOpen: true, noDelay: true });
    forward(near, far, delayMs);
    forward(far, near, delayMs);
  }).listen(port, address);
}

for (const cable of JSON.parse(process.argv[2] ?? '[]') as Cable[]) lay(cable);

// Listens to every command that anybody sends to a Redis. By hand, since ioredis loses count of a busy MONITOR's answers.
import { once } from 'node:events';
import { connect } from 'node:net';

export interface RedisTraffic {
  /** All commands so far, one on a line. */
  readonly text: string;
  stop(): void;
}

/** `url` without TLS. */
export async function listenToRedis(url: string): Promise<RedisTraffic> {
  const { hostname, port, username, password } = new URL(url);
  const socket = connect(Number(port || 6379), hostname);
  await once(socket, 'connect');
  const chunks: string[] = [];
  socket.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const send = (...words: string[]): void => {
    socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`);
  };
  if (password !== '') send('AUTH', ...(username === '' ? [] : [decodeURIComponent(username)]), decodeURIComponent(password));
  send('MONITOR');
  return {
    get text() {
      return chunks.join('');
    },
    stop: () => socket.destroy(),
  };
}

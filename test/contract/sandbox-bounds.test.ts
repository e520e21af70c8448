// The sandbox's server has the bounds of the pages' (src/core/bounded-server.ts, whose tests have each of them).
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../sandbox/server.ts';
import { question, startTinySandbox } from './sandbox-calls.ts';

const BODY = JSON.stringify(question('ai_search_brands'));
const SUBMIT = `POST /data-api/v1/async/ai_search_brands HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-token\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

async function start(): Promise<{ sandbox: Sandbox; open: () => Promise<Socket> }> {
  const sandbox = await startTinySandbox();
  onTestFinished(() => sandbox.close());
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { sandbox, open };
}

test('a connection that asks ahead without end is closed, and none of its requests was begun', async () => {
  const { sandbox, open } = await start();
  const socket = await open();
  let answers = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answers += text;
  });
  socket.write(SUBMIT.repeat(100));
  await new Promise((resolve) => void socket.once('close', resolve));
  expect(answers).toBe('');
  expect(sandbox.report().calls).toMatchObject({ ai_search_brands: { submit: 0 } });
  // Other clients are served as before.
  expect((await fetch(`${sandbox.url}/healthz`)).status).toBe(200);
});

test('a few requests ahead are answered one after another, in their order', async () => {
  const { sandbox, open } = await start();
  const socket = await open();
  const few = SUBMIT.repeat(3) + SUBMIT.replace('\r\nHost', '\r\nConnection: close\r\nHost');
  socket.write(few);
  let answers = '';
  for await (const text of socket.setEncoding('latin1')) answers += text;
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(4).fill('HTTP/1.1 202'));
  expect(sandbox.report().calls).toMatchObject({ ai_search_brands: { submit: 4 } });
});

test('a connection without requests is kept for longer than clients keep one', async () => {
  const { sandbox } = await start();
  const answer = await fetch(`${sandbox.url}/healthz`);
  expect(answer.headers.get('keep-alive')).toBe('timeout=60');
});

// How many requests may read at once.
import { EventEmitter } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { beforeEach, expect, it } from 'vitest';
import { limitReaders, type Readers } from '../../../src/dashboards/readers.ts';

type Hook = (request: Pick<FastifyRequest, 'url'>, reply: FastifyReply) => Promise<unknown>;
type Reply = FastifyReply & { raw: EventEmitter & { destroyed: boolean } };

let readers: Readers;
let hook: Hook;
let told: { retryAfter: unknown; code: number; retry: unknown }[];

beforeEach(async () => {
  told = [];
  readers = limitReaders((reply, code, { retry }) => {
    told.push({ retryAfter: (reply as unknown as { headers: unknown[] }).headers, code, retry });
    return reply;
  });
  const scope = { addHook: (_: string, added: Hook) => (hook = added) };
  let served: unknown;
  const register = async (plugin: (given: unknown) => Promise<void>): Promise<void> => plugin(scope);
  readers.serveToReaders({ register } as unknown as FastifyInstance, (given) => (served = given));
  await Promise.resolve();
  expect(served).toBe(scope);
});

function newReply(): Reply {
  const headers: unknown[] = [];
  const reply = {
    raw: Object.assign(new EventEmitter(), { destroyed: false }),
    headers,
    header(...header: unknown[]) {
      headers.push(header);
      return reply;
    },
  };
  return reply as unknown as Reply;
}
/** Whether another request finds a place, which it keeps. */
async function enter(): Promise<Reply | undefined> {
  const before = told.length;
  const reply = newReply();
  await hook({ url: '/boards/x?y' }, reply);
  return told.length === before ? reply : undefined;
}
async function enterAll(): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let reply = await enter(); reply; reply = await enter()) replies.push(reply);
  return replies;
}

it('are 32; others are asked to come again, to the same page', async () => {
  expect(await enterAll()).toHaveLength(32);
  expect(told).toEqual([{ retryAfter: [['retry-after', '5']], code: 503, retry: '/boards/x?y' }]);
});

it('whose answers are closed leave their places to others, once each', async () => {
  const [first, second] = await enterAll();
  first?.raw.emit('close');
  first?.raw.emit('close');
  expect(await enterAll()).toHaveLength(1);
  second?.raw.emit('close');
  expect(await enterAll()).toHaveLength(1);
});

it('that only write a file leave their places before they are closed, and do not leave them twice', async () => {
  const [first] = await enterAll();
  if (first) readers.leavePlace(first);
  expect(await enterAll()).toHaveLength(1);
  first?.raw.emit('close');
  expect(await enterAll()).toEqual([]);
});

it('of which 16 have left their places keep them, until one of those is closed', async () => {
  const replies = await enterAll();
  for (const reply of replies.slice(0, 20)) readers.leavePlace(reply);
  expect(await enterAll()).toHaveLength(16);
  replies[0]?.raw.emit('close');
  for (const reply of replies.slice(20, 22)) readers.leavePlace(reply);
  expect(await enterAll()).toHaveLength(1);
});

it('whose connections are gone already leave nothing', async () => {
  const [first] = await enterAll();
  if (first) Object.assign(first.raw, { destroyed: true });
  if (first) readers.leavePlace(first);
  expect(await enterAll()).toEqual([]);
});

import { expect, it } from 'vitest';
import { splitRedisAddresses } from '../../../src/config/redis-addresses.ts';

it('parts the nodes of a cluster, and nothing else', () => {
  expect(splitRedisAddresses('redis://a:1')).toEqual(['redis://a:1']);
  expect(splitRedisAddresses('redis://a:1,redis://b:2, redis://c:3')).toEqual(['redis://a:1', 'redis://b:2', 'redis://c:3']);
  expect(splitRedisAddresses('rediss://u:p,q@a:1,REDISS://b:2')).toEqual(['rediss://u:p,q@a:1', 'REDISS://b:2']);
});

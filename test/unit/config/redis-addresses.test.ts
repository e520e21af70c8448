import { expect, it } from 'vitest';
import { readRedisTarget, splitRedisAddresses } from '../../../src/config/redis-addresses.ts';

const node = (host: string, port: number) => ({ host, port });

it('splits the nodes of a cluster, and no other address', () => {
  expect(splitRedisAddresses('redis://a:1')).toEqual(['redis://a:1']);
  expect(splitRedisAddresses('redis://a:1,redis://b:2, redis://c:3')).toEqual(['redis://a:1', 'redis://b:2', 'redis://c:3']);
  expect(splitRedisAddresses('rediss://u:p,q@a:1,REDISS://b:2')).toEqual(['rediss://u:p,q@a:1', 'REDISS://b:2']);
});

it('reads what is to be opened', () => {
  const none = {
    username: undefined,
    password: undefined,
    database: 0,
    serverUrl: undefined,
    tls: undefined,
    sentinel: undefined,
    natMap: undefined,
  };
  expect(readRedisTarget('REDISS://u:p%40@a/3?family=6&sslrootcert=/ca.pem')).toEqual({
    ...none,
    kind: 'server',
    addresses: [node('a', 6379)],
    username: 'u',
    password: 'p@',
    database: 3,
    serverUrl: 'rediss://u:p%40@a/3?family=6',
    tls: { ca: '/ca.pem', cert: undefined, key: undefined },
  });
  expect(readRedisTarget('rediss://:p@a,rediss://[::1]:7001?sslcert=/c&sslkey=/k')).toEqual({
    ...none,
    kind: 'cluster',
    addresses: [node('a', 6379), node('::1', 7001)],
    password: 'p',
    tls: { ca: undefined, cert: '/c', key: '/k' },
  });
  expect(
    readRedisTarget('redis+sentinel://u:p,@a,b:7001/my%20master/2?sentinel_password=s&nat_map=10.0.0.1:6379=c:1,10.0.0.2:6379=d:2'),
  ).toEqual({
    ...none,
    kind: 'sentinel',
    addresses: [node('a', 26_379), node('b', 7001)],
    username: 'u',
    password: 'p,',
    database: 2,
    sentinel: { name: 'my master', username: undefined, password: 's' },
    natMap: { '10.0.0.1:6379': node('c', 1), '10.0.0.2:6379': node('d', 2) },
  });
});

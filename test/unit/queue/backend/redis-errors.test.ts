import { expect, it } from 'vitest';
import { describeError, StoreError } from '../../../../src/core/errors.ts';
import { explainRedisError } from '../../../../src/queue/backend/redis-errors.ts';

// Those that no server in the other tests says.
it.each([
  ['certificate has expired', /has expired; renew it/],
  ['write EPROTO 1408F10B:SSL routines:ssl3_get_record:wrong version number', /does not speak TLS at this port/],
  ["READONLY You can't write against a read only replica.", /is a replica; REDIS_URL must name its primary/],
  ["ERR The user executing the script can't run this command or subcommand script: 2999, on @user_script:2.", /has the rule of a user/],
  ['NOAUTH Authentication required.', /do not agree on whether there is a password/],
])('explains %j, and keeps what was said', (said, saying) => {
  const explained = explainRedisError(new Error(said));
  expect(explained).toBeInstanceOf(StoreError);
  expect(explained.message).toMatch(saying);
  expect(describeError(explained)).toContain(said);
  expect(explainRedisError(explained)).toBe(explained);
});

it('leaves what needs no explanation', () => {
  const error = new Error('connect ECONNREFUSED 127.0.0.1:6379');
  expect(explainRedisError(error)).toBe(error);
});

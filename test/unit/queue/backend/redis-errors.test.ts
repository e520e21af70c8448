import { expect, it } from 'vitest';
import { describeError, StoreError } from '../../../../src/core/errors.ts';
import { explainRedisError } from '../../../../src/queue/backend/redis-errors.ts';

// Messages that no server in the other tests sends.
it.each([
  ['certificate has expired', /has expired; renew it/],
  ['write EPROTO 1408F10B:SSL routines:ssl3_get_record:wrong version number', /does not speak TLS at this port/],
  ["READONLY You can't write against a read only replica.", /is a replica; REDIS_URL must name its primary/],
  [
    "ERR The user executing the script can't run this command or subcommand script: 2999, on @user_script:2.",
    /shows the rights that the user needs/,
  ],
  ["OOM command not allowed when used memory > 'maxmemory'.", /raise maxmemory/],
  [
    'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk. Commands that may modify the data set are disabled',
    /CONFIG GET dir.*stop-writes-on-bgsave-error to no/,
  ],
  ['ERR max number of clients reached', /raise maxclients/],
  ['NOREPLICAS Not enough good replicas to write.', /min-replicas-to-write to 0/],
  ['DENIED Redis is running in protected mode because protected mode is enabled', /set requirepass there/],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', /SCRIPT KILL/],
  ['CLUSTERDOWN Hash slot not served', /slots have no node/],
  ['WRONGPASS invalid username-password pair or user is disabled.', /correct them/],
  ['LOADING Redis is loading the dataset in memory', /answers when it is done/],
  ['NOAUTH Authentication required.', /has a password and REDIS_URL has none/],
])('explains %j, and keeps the original message', (said, saying) => {
  const explained = explainRedisError(new Error(said));
  expect(explained).toBeInstanceOf(StoreError);
  expect(explained.message).toMatch(saying);
  expect(describeError(explained)).toContain(said);
  expect(explainRedisError(explained)).toBe(explained);
});

it('leaves clear messages as they are', () => {
  const error = new Error('connect ECONNREFUSED 127.0.0.1:6379');
  expect(explainRedisError(error)).toBe(error);
});

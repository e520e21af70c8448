import { format, inspect } from 'node:util';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { describeError } from '../../../src/core/errors.ts';
import { createLogger } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';

const VALUE = 'hunter2-0123456789abcdef';
const secret = new Secret(VALUE);
const holder = { name: 'main', auth: { kind: 'token', token: secret }, list: [secret], map: new Map([['token', secret]]) };

describe('a secret', () => {
  it('is revealed only when asked', () => {
    expect(secret.reveal()).toBe(VALUE);
  });

  it.each<[string, () => unknown]>([
    ['a template', () => `${secret}`],
    ['a concatenation', () => `token=${String(secret)}`],
    ['a join', () => [secret, secret].join()],
    ['JSON', () => JSON.stringify(holder)],
    ['JSON of the secret itself', () => JSON.stringify(secret)],
    ['inspect', () => inspect(holder, { depth: 10 })],
    ['inspect of hidden properties', () => inspect(holder, { depth: 10, showHidden: true, getters: true })],
    ['inspect without custom inspection', () => inspect(holder, { depth: 10, customInspect: false, showHidden: true, showProxy: true })],
    ['format', () => format('%s %o %O %j', secret, secret, secret, secret)],
    ['an error message', () => describeError(new Error(`cannot connect with ${secret}`))],
    ['an error that carries it', () => inspect(Object.assign(new Error('x'), { secret }))],
    ['a structured clone', () => JSON.stringify(structuredClone({ ...secret }))],
    ['its keys and entries', () => JSON.stringify([Object.entries(secret), Reflect.ownKeys(secret), { ...secret }])],
  ])('does not show in %s', (_, print) => {
    expect(print()).not.toContain(VALUE);
  });

  it('does not show in a log line, in a field, in a nested field or in the message', () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ level: 'trace', format: 'json', destination });
    log.info({ secret, holder, err: Object.assign(new Error('x'), { secret }) }, `with ${secret}`);
    log.child({ secret }).error(secret);
    pino({ level: 'trace' }, destination).warn(holder, '%s %j %o', secret, secret, secret);
    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toContain(VALUE);
    expect(lines[0]).toContain('[secret]');
  });
});

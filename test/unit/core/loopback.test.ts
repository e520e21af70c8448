// Names and addresses that stand for this machine, and those that only look like them: what trusts them shows pages without a password and sends
// credentials without encryption.
import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../../src/core/loopback.ts';
import { isLoopbackHeader } from '../../../src/core/request-origin.ts';
import { itAccepts, itRefuses } from '../../support/forms.ts';

describe('a name of this machine', () => {
  itAccepts(isLoopback, ['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1', '[::1]']);

  itRefuses(isLoopback, [
    'localhost.evil.example',
    'evil-localhost',
    '127.0.0.1.nip.io',
    '1127.0.0.1',
    '127.0.0.1@evil.example',
    '128.0.0.1',
    '0.0.0.0',
    '::',
    '::1:2',
    '[::1].evil.example',
    'searchmill.example',
    '',
  ]);
});

it('a Host header is judged without its port', () => {
  expect(['127.0.0.1:9464', 'localhost:80', '[::1]:9464', 'localhost'].every(isLoopbackHeader)).toBe(true);
  expect(['localhost.evil.example:9464', '127.0.0.1.nip.io:80', 'evil.example:127', undefined].some(isLoopbackHeader)).toBe(false);
});

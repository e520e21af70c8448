// Names and addresses that stand for this machine, and those that only look like them: what trusts them shows pages without a password and sends
// credentials without encryption.
import { describe, expect, it } from 'vitest';
import { isLoopback, leadsToLoopback } from '../../../src/core/loopback.ts';
import { isLoopbackHeader } from '../../../src/core/request-origin.ts';
import { itAccepts, itRefuses } from '../../support/forms.ts';

describe('a name of this machine', () => {
  itAccepts(isLoopback, [
    'localhost',
    'LOCALHOST',
    '127.0.0.1',
    '127.1.2.3',
    '::1',
    '[::1]',
    'localhost.',
    '::ffff:127.0.0.1',
    '[::ffff:7f00:1]',
  ]);

  itRefuses(isLoopback, [
    'localhost.evil.example',
    'localhost..',
    '::ffff:128.0.0.1',
    '[::ffff:8000:1]',
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

describe('an address whose calls stay on this machine', () => {
  itAccepts(leadsToLoopback, [
    'localhost',
    'localhost.',
    'sandbox.localhost',
    'a.b.localhost.',
    '0.0.0.0',
    '::',
    '[::]',
    '127.0.0.1',
    '[::1]',
  ]);
  itRefuses(leadsToLoopback, ['localhost.evil.example', 'evillocalhost', '.localhost.example', '10.0.0.0', '0.0.0.1', '']);
});

it('a Host header is judged without its port', () => {
  expect(['127.0.0.1:9464', 'localhost:80', '[::1]:9464', 'localhost'].every(isLoopbackHeader)).toBe(true);
  expect(['localhost.evil.example:9464', '127.0.0.1.nip.io:80', 'evil.example:127', undefined].some(isLoopbackHeader)).toBe(false);
});

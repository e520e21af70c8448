// The name that a mail server is greeted with: strict ones refuse a name that is not of the internet.
import { expect, it } from 'vitest';
import { greetingOf } from '../../../src/notify/mail.ts';

it.each([
  ['worker-7f9c', 'example.com'],
  ['localhost', 'example.com'],
  ['localhost.localdomain', 'example.com'],
  ['build.local', 'example.com'],
  ['ip-10-0-0-7.eu-central-1.compute.internal', 'example.com'],
  ['nas.home.arpa', 'example.com'],
  ['mail.example.net', 'mail.example.net'],
  ['localhosting.example.net', 'localhosting.example.net'],
])('of the machine %s is %s', (machine, greeting) => {
  expect(greetingOf(machine, 'search@example.com')).toBe(greeting);
});

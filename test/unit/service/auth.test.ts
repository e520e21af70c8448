import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Auth, Connection } from '../../../src/config/settings.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createAuthorize } from '../../../src/service/auth.ts';

function clockAt(ms: number) {
  return { now: () => new Date(ms), sleep: async () => {} };
}

function withAuth(auth: Auth, headers: Record<string, string> = {}): Pick<Connection, 'auth' | 'headers'> {
  return { auth, headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, new Secret(value)])) };
}

describe('a bearer token', () => {
  it('goes into the Authorization header and not into the query', () => {
    const credentials = createAuthorize(withAuth({ kind: 'token', token: new Secret('tok-123') }), clockAt(0))();
    expect(credentials.headers).toEqual({ authorization: 'Bearer tok-123' });
    expect(credentials.query).toBe('');
  });

  it.each(['', 'two words', 'line\nbreak', 'umläut'])('is refused before any call when no header can carry it: %j', (token) => {
    const create = () => createAuthorize(withAuth({ kind: 'token', token: new Secret(token) }), clockAt(0));
    expect(create).toThrow(ConfigurationError);
    if (token !== '') expect(create).not.toThrow(token);
  });
});

describe('an API key with a signature', () => {
  const auth = { kind: 'signature', apiKey: new Secret('key'), sharedSecret: new Secret('secret') } as const;

  it('signs key, secret and whole Unix seconds with MD5 in lower-case hexadecimal', () => {
    // printf 'keysecret1767225600' | md5sum
    const { query, headers } = createAuthorize(withAuth(auth), clockAt(1_767_225_600_999))();
    expect(query).toBe('?apiKey=key&sig=42ba5587f06eeef4715f6a31187cb952');
    expect(headers).toEqual({});
  });

  it('makes a new signature each second', () => {
    let nowMs = 1_767_225_600_000;
    const authorize = createAuthorize(withAuth(auth), { now: () => new Date(nowMs), sleep: async () => {} });
    const first = authorize().query;
    nowMs += 1_000;
    const second = authorize().query;
    expect(second).not.toBe(first);
    expect(second).toContain(createHash('md5').update('keysecret1767225601').digest('hex'));
  });

  it('escapes the key in the query, but signs the unescaped key', () => {
    const odd = { kind: 'signature', apiKey: new Secret('a&b=ü'), sharedSecret: new Secret('s') } as const;
    const query = new URLSearchParams(createAuthorize(withAuth(odd), clockAt(5_000))().query);
    expect(query.get('apiKey')).toBe('a&b=ü');
    expect(query.get('sig')).toBe(createHash('md5').update('a&b=üs5', 'utf8').digest('hex'));
  });

  it('lists everything that must not be shown, without showing it', () => {
    const credentials = createAuthorize(withAuth(auth), clockAt(1_767_225_600_000))();
    const hidden = credentials.secrets.map((secret) => secret.reveal());
    expect(hidden).toEqual(['key', 'secret', '42ba5587f06eeef4715f6a31187cb952']);
    expect(inspect(credentials.secrets)).not.toMatch(/42ba|key|'secret'/);
  });
});

describe('headers of the connection', () => {
  it('are sent with either credential, and are as secret as the credential', () => {
    const auths = [
      { kind: 'token', token: new Secret('tok-123') },
      { kind: 'signature', apiKey: new Secret('key'), sharedSecret: new Secret('secret') },
    ] as const;
    for (const auth of auths) {
      const credentials = createAuthorize(withAuth(auth, { 'X-Gateway-Key': 'gate-77' }), clockAt(0))();
      expect(credentials.headers['X-Gateway-Key']).toBe('gate-77');
      expect(credentials.secrets.map((secret) => secret.reveal())).toContain('gate-77');
      expect(inspect(credentials.secrets)).not.toContain('gate-77');
    }
  });
});

import { describe, expect, test } from 'vitest';
import { resolveOptions, sandboxDefaults } from '../../../sandbox/options.ts';
import { Credentials } from '../../../sandbox/protocol/credentials.ts';
import { SIZE_PRESETS, type SizePreset } from '../../../sandbox/world/sizes.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';

describe('options', () => {
  test('the defaults hold without options, and for undefined ones', () => {
    const { size, ...defaults } = sandboxDefaults;
    expect(resolveOptions({})).toEqual({ ...defaults, sizes: SIZE_PRESETS[size], gatewayHeader: undefined, logger: undefined });
    expect(resolveOptions({ port: undefined, size: undefined } as unknown as object)).toEqual(resolveOptions({}));
  });

  test('a single size or limit changes nothing else', () => {
    const settings = resolveOptions({ size: 'medium', sizes: { keywords: 7 }, limits: { submit: 3 } });
    expect(settings.sizes).toEqual({ ...SIZE_PRESETS.medium, keywords: 7 });
    expect(settings.limits).toEqual({ submit: 3, read: 5000 });
  });

  test.each(Object.keys(SIZE_PRESETS) as SizePreset[])('the preset %s is within the bounds of sizes', (size) => {
    expect(resolveOptions({ size }).sizes).toEqual(SIZE_PRESETS[size]);
  });

  test.each([
    [{ sizes: { keywords: 0 } }, /size keywords is 0/],
    [{ sizes: { resultsPerKeyword: 101 } }, /size resultsPerKeyword is 101; it must be a whole number from 1 to 100/],
    [{ sizes: { prompts: 1.5 } }, /size prompts is 1.5/],
    [{ size: 'huge' as SizePreset }, /size huge; there is tiny, small, medium, large/],
    [{ limits: { read: 0 } }, /limit of read calls/],
    [{ seed: 0.5 }, /seed .* whole number/],
    [{ queryMs: -1 }, /queryMs/],
    [{ pageMs: Number.NaN }, /pageMs/],
    [{ duplicates: 1.1 }, /duplicates .* from 0 to 1/],
    [{ maxExecutions: 0 }, /maxExecutions/],
    [{ historyStart: '2026-02-30' }, /historyStart 2026-02-30/],
    [{ periods: 'months' as 'any' }, /periods of the sandbox is months; it must be one of weeks, any/],
    [{ records: 'short' as 'specified' }, /records of the sandbox is short; it must be one of documented, specified/],
    [{ gatewayHeader: { name: 'X Key', value: 'hush' } }, /gatewayHeader of the sandbox has no header name/],
    [{ gatewayHeader: { name: 'X-Key', value: '' } }, /the value of gatewayHeader X-Key of the sandbox is empty/],
    [{ accounts: [] }, /at least one account/],
    [{ credentials: [] }, /at least one credential/],
  ])('%o is refused', (options, message) => {
    expect(() => resolveOptions(options)).toThrow(ConfigurationError);
    expect(() => resolveOptions(options)).toThrow(message);
  });

  test('accounts and web properties have ids of their own', () => {
    const property = (id: number) => ({ id, name: 'Site', brand: 'Brand', domain: 'site.example' });
    const account = (id: number, ...sites: number[]) => ({
      id,
      name: 'Account',
      organizationId: 'org',
      organizationName: 'Organization',
      webProperties: sites.map(property),
    });
    expect(() => resolveOptions({ accounts: [account(1)] })).toThrow(/account 1 .* web property/);
    expect(() => resolveOptions({ accounts: [account(1, 5), account(1, 6)] })).toThrow(/two of account 1/);
    expect(() => resolveOptions({ accounts: [account(1, 5), account(2, 5)] })).toThrow(/two of web property 5/);
    expect(() => resolveOptions({ accounts: [account(0.5, 5)] })).toThrow(/account 0.5/);
  });
});

describe('credentials', () => {
  test('are called token and key with a number, or by their names', () => {
    const { names } = new Credentials([{ token: 'a' }, { token: 'b', name: 'mine' }, { token: 'c' }, { apiKey: 'k', sharedSecret: 's' }]);
    expect(names).toEqual(['token 1', 'mine', 'token 3', 'key 1']);
  });

  test('a repeated token, key or name is refused without being shown', () => {
    const twice = [{ token: 'hush-hush' }, { token: 'hush-hush' }];
    expect(() => new Credentials(twice)).toThrow(ConfigurationError);
    expect(() => new Credentials(twice)).not.toThrow(/hush/);
    const key = { apiKey: 'k', sharedSecret: 's' };
    expect(() => new Credentials([key, key])).toThrow(/there twice/);
    expect(
      () =>
        new Credentials([
          { token: 'a', name: 'x' },
          { ...key, name: 'x' },
        ]),
    ).toThrow(/same name/);
    expect(() => new Credentials([{ token: '' }])).toThrow(/empty/);
  });
});

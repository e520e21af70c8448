// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import type { Connection } from '../../../src/config/settings.ts';
import type { EnvironmentVariables } from '../../../src/config/variables.ts';
import { mistakesIn } from './jobs-file.ts';

/** A file with these connections, each on a line of its own from line 2, and a job that uses the first. */
function connectionsFile(...connections: string[]): string {
  const [first] = connections.map((line) => line.split(':')[0]);
  return `connections:
${connections.map((line) => `  ${line}\n`).join('')}jobs:
  - { name: acme, dataset: keyword_rankings, account_id: 1, since: 2026-09-06, connection: "${first}" }
`;
}

function resolve(connections: string[], env: EnvironmentVariables = {}): { connections: Connection[]; warnings: readonly string[] } {
  const { config, warnings } = parseJobsConfig('jobs.yaml', connectionsFile(...connections), env);
  return { connections: [...config.connections.values()], warnings };
}

function baseUrlOf(baseUrl: string): string | undefined {
  return resolve([`main: { base_url: "${baseUrl}", auth: { token: t } }`]).connections[0]?.baseUrl;
}

describe('a base URL', () => {
  it.each([
    ['https://Gateway.Example.com/', 'https://gateway.example.com'],
    ['https://gateway.example.com:443/search//', 'https://gateway.example.com/search'],
    ['https://gateway.example.com:8443', 'https://gateway.example.com:8443'],
    ['http://localhost:4010', 'http://localhost:4010'],
    ['http://127.0.0.1:4010/', 'http://127.0.0.1:4010'],
    ['http://127.8.9.10', 'http://127.8.9.10'],
    ['http://[::1]:4010', 'http://[::1]:4010'],
  ])('%s becomes %s', (written, normalized) => {
    expect(baseUrlOf(written)).toBe(normalized);
  });

  it.each([
    ['http://gateway.example.com', 'is http to another machine'],
    ['http://localhost.example.com', 'is http to another machine'],
    ['http://128.0.0.1', 'is http to another machine'],
    ['http://[::2]', 'is http to another machine'],
    ['https://user:hunter2@gateway.example.com', 'has a credential in it, which belongs in auth'],
    ['https://hunter2@gateway.example.com', 'has a credential in it'],
    ['https://gateway.example.com?apiKey=hunter2', 'has a query or fragment'],
    ['https://gateway.example.com/#hunter2', 'has a query or fragment'],
    ['https://gateway.example.com/data-api/v1/async/', 'has the path of an operation in it'],
    ['ftp://gateway.example.com', 'is not a web address'],
    ['hunter2', 'is not an address'],
    ['', 'is not an address'],
  ])('%j is refused without being shown', (written, reason) => {
    const [mistake = '', ...others] = mistakesIn(connectionsFile(`main: { base_url: "${written}", auth: { token: t } }`));
    expect(mistake).toMatch(
      new RegExp(`^2:21: connections\\.main\\.base_url: ${reason}.*; expected an address such as https://gateway\\.example\\.com`),
    );
    expect(mistake).not.toContain('hunter2');
    expect(others).toEqual([]);
  });
});

describe('plain http to another machine', () => {
  const url = 'http://sandbox:4010';

  it('is taken where the connection allows it, also by a variable', () => {
    expect(resolve([`main: { base_url: "${url}", allow_http: true, auth: { token: t } }`]).connections[0]?.baseUrl).toBe(url);
    const byVariable = 'main: { base_url: "${URL}", allow_http: "${ALLOW}", auth: { token: t } }';
    expect(resolve([byVariable], { URL: url, ALLOW: 'true' }).connections[0]?.baseUrl).toBe(url);
  });

  it.each(['', 'allow_http: false, '])('is refused with %j, and the message says how to allow it', (allowed) => {
    const mistakes = mistakesIn(connectionsFile(`main: { base_url: "${url}", ${allowed}auth: { token: t } }`));
    expect(mistakes).toEqual([
      '2:21: connections.main.base_url: is http to another machine, which would expose the credential to the network; expected an ' +
        'address such as https://gateway.example.com, or allow_http: true for this connection if that network is your own',
    ]);
  });

  it('is allowed to one connection without being allowed to others', () => {
    const file = connectionsFile(
      `a: { base_url: "${url}", allow_http: true, auth: { token: t } }`,
      `b: { base_url: "${url}", auth: { token: t } }`,
    );
    expect(mistakesIn(file)).toEqual([expect.stringMatching(/^3:18: connections\.b\.base_url: is http to another machine/)]);
  });
});

it('a credential that is set does not go to the sandbox that a default names', () => {
  const text = (url: string, token: string): string => connectionsFile(`main: { base_url: "${url}", auth: { token: "${token}" } }`);
  const local = '${SEARCH_API_URL:-http://127.0.0.1:4010}';
  const real = { SEARCH_API_TOKEN: 'a-real-one' };
  expect(mistakesIn(text(local, '${SEARCH_API_TOKEN:-sandbox-token}'), real)).toEqual([
    expect.stringMatching(
      /^2:\d+: connections\.main\.base_url: is an address of this machine, since its variable is not set, but the variable of the credential is;/,
    ),
  ]);
  expect(mistakesIn(text(local, '${SEARCH_API_TOKEN:-sandbox-token}'))).toEqual([]);
  expect(mistakesIn(text(local, 'sandbox-token'), real)).toEqual([]);
  expect(mistakesIn(text(local, '${SEARCH_API_TOKEN}'), { ...real, SEARCH_API_URL: 'http://127.0.0.1:4010' })).toEqual([]);
});

describe('a credential', () => {
  it('is a token, or a key with a secret', () => {
    const { connections } = resolve(
      [
        'a: { base_url: "https://x.example", auth: { token: "${TOKEN}" } }',
        'b: { base_url: "https://x.example", auth: { api_key: key, shared_secret: "shared secret" } }',
      ],
      { TOKEN: 'abc' },
    );
    const revealed = connections.map(({ auth }) =>
      auth.kind === 'token' ? [auth.token.reveal()] : [auth.apiKey.reveal(), auth.sharedSecret.reveal()],
    );
    expect(revealed).toEqual([['abc'], ['key', 'shared secret']]);
  });

  it.each([
    [
      '{ token: hunter2, api_key: k, shared_secret: s }',
      ['2:50: connections.main.auth.token: stands beside api_key and shared_secret; expected either token, or api_key and shared_secret'],
    ],
    ['{ api_key: k }', ['2:42: connections.main.auth.shared_secret: is missing; expected a shared secret as text']],
    [
      '{ token: 12345678 }',
      ['2:57: connections.main.auth.token: is a number; expected a token: ASCII characters without spaces; write it in quotes'],
    ],
    [
      '{ token: "hunter2 " }',
      ['2:57: connections.main.auth.token: has a blank or a line break in it; expected a token: ASCII characters without spaces'],
    ],
    [
      '{ token: "${BAD}" }',
      ['2:57: connections.main.auth.token: has a blank or a line break in it; expected a token: ASCII characters without spaces'],
    ],
    ['{ token: "" }', ['2:57: connections.main.auth.token: is text in another format; expected a token: ASCII characters without spaces']],
    ['hunter2', ['2:48: connections.main.auth: is text in another format; expected either token, or api_key and shared_secret']],
    ['{}', ['2:42: connections.main.auth.token: is missing; expected a token: ASCII characters without spaces']],
  ])('written as %s is refused without being shown', (auth, mistakes) => {
    expect(mistakesIn(connectionsFile(`main: { base_url: "https://x.example", auth: ${auth} }`), { BAD: 'hunter2\nX-Other: 1' })).toEqual(
      mistakes,
    );
  });

  it('written in place of a connection is not shown', () => {
    expect(mistakesIn(connectionsFile('main: hunter2'))).toEqual([
      '2:9: connections.main: is text in another format; expected a mapping with base_url, allow_http, auth, headers, limits',
    ]);
  });

  it('does not show in the settings', () => {
    const { config } = parseJobsConfig(
      'jobs.yaml',
      connectionsFile('main: { base_url: "https://x.example", auth: { token: hunter2 } }'),
      {},
    );
    expect(inspect(config, { depth: 9, showHidden: true })).not.toContain('hunter2');
    expect(JSON.stringify([...config.connections])).not.toContain('hunter2');
  });
});

describe('headers', () => {
  const connection = (headers: string): string => `main: { base_url: "https://x.example", auth: { token: t }, headers: ${headers} }`;

  it('are sent by the names they are written with; their values may come from variables and files, and are secrets', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'searchmill-')), 'gateway-key');
    writeFileSync(file, 'hunter2\n');
    const [resolved] = resolve([connection('{ X-API-GATEWAY-KEY: "${GATEWAY_KEY}", x-tenant: "team ${TEAM}" }')], {
      GATEWAY_KEY_FILE: file,
      TEAM: 'north',
    }).connections;
    const revealed = Object.entries(resolved?.headers ?? {}).map(([name, value]) => [name, value.reveal()]);
    expect(revealed).toEqual([
      ['X-API-GATEWAY-KEY', 'hunter2'],
      ['x-tenant', 'team north'],
    ]);
    expect(`${inspect(resolved, { depth: 9, showHidden: true })}${JSON.stringify(resolved)}`).not.toMatch(/hunter2|north/);
  });

  it('are none unless written, and do not change the budget', () => {
    const [without] = resolve(['main: { base_url: "https://x.example", auth: { token: t } }']).connections;
    const [with_] = resolve([connection('{ X-Key: abc }')]).connections;
    expect(without?.headers).toEqual({});
    expect(with_?.budgetId).toBe(without?.budgetId);
  });

  it.each([
    ['Authorization', 'is a header that Searchmill sets itself; expected it to be left out (credentials belong in auth)'],
    ['content-type', 'is a header that Searchmill sets itself; expected it to be left out (credentials belong in auth)'],
    ['Content-Length', 'is a header that Searchmill sets itself; expected it to be left out (credentials belong in auth)'],
    ['HOST', 'is a header that Searchmill sets itself; expected it to be left out (credentials belong in auth)'],
    ['Connection', 'is a header about the connection to the next hop, not about the call; expected it to be left out'],
    ['transfer-encoding', 'is a header about the connection to the next hop, not about the call; expected it to be left out'],
    ['"X Key"', 'is not a name of a header; expected letters, digits and hyphens, such as X-Gateway-Key'],
    ['"X-Key:"', 'is not a name of a header; expected letters, digits and hyphens, such as X-Gateway-Key'],
    ['""', 'is not a name of a header; expected letters, digits and hyphens, such as X-Gateway-Key'],
  ])('named %s are refused at the name, and their values not shown', (name, problem) => {
    expect(mistakesIn(connectionsFile(connection(`{ ${name}: hunter2 }`)))).toEqual([
      `2:73: connections.main.headers.${name.replaceAll('"', '')}: ${problem}`,
    ]);
  });

  it('that differ only by case are one header', () => {
    expect(mistakesIn(connectionsFile(connection('{ X-Key: a, x-key: b }')))).toEqual([
      '2:83: connections.main.headers.x-key: is the same header as X-Key, since case is ignored; expected only one of them',
    ]);
  });

  it.each([
    ['" hunter2"', 'is text in another format'],
    ['"hunter2\\r\\nX-Other: 1"', 'is text in another format'],
    ['"hünter2"', 'is text in another format'],
    ['""', 'is text in another format'],
    ['"${BAD}"', 'comes from a variable whose value is not valid'],
  ])('with the value %s are refused without showing it', (value, fault) => {
    const [mistake = '', ...others] = mistakesIn(connectionsFile(connection(`{ X-Key: ${value} }`)), { BAD: 'hunter2\nX-Other: 1' });
    expect(mistake).toBe(
      `2:80: connections.main.headers.X-Key: ${fault}; expected the value of a header: ASCII characters, with blanks only between them`,
    );
    expect(others).toEqual([]);
  });

  it('that are no mapping, or whose value is a number, are refused with the reason', () => {
    expect(mistakesIn(connectionsFile(connection('hunter2')))).toEqual([
      '2:71: connections.main.headers: is text in another format; expected a mapping of header names to their values',
    ]);
    expect(mistakesIn(connectionsFile(connection('{ X-Key: 12345 }')))).toEqual([
      '2:80: connections.main.headers.X-Key: is a number; expected the value of a header: ASCII characters, with blanks only between them; write it in quotes',
    ]);
  });
});

describe('limits', () => {
  function limitsOf(limits: string, env: EnvironmentVariables = {}): unknown {
    return resolve([`main: { base_url: "https://x.example", auth: { token: t }${limits} }`], env).connections[0]?.callsPerMinute;
  }

  it.each([
    ['', { submit: 5, read: 1000 }],
    [', limits: recommended', { submit: 5, read: 1000 }],
    [', limits: hard', { submit: 40, read: 5000 }],
    [', limits: "${LIMITS:-hard}"', { submit: 40, read: 5000 }],
    [', limits: { submits_per_minute: 40, reads_per_minute: 5000 }', { submit: 40, read: 5000 }],
    [', limits: { submits_per_minute: 1 }', { submit: 1, read: 1000 }],
    [', limits: { reads_per_minute: "${READS}" }', { submit: 5, read: 77 }],
  ])('%j', (limits, callsPerMinute) => {
    expect(limitsOf(limits, { READS: '77' })).toEqual(callsPerMinute);
  });

  const mistakesOf = (limits: string): readonly string[] =>
    mistakesIn(connectionsFile(`main: { base_url: "https://x.example", auth: { token: t }, limits: ${limits} }`));

  it.each([
    ['submits_per_minute', 41, 40],
    ['reads_per_minute', 5001, 5000],
    ['reads_per_minute', 0, 5000],
  ])('%s of %i is refused', (name, value, most) => {
    const column = 70 + `{ ${name}: `.length;
    expect(mistakesOf(`{ ${name}: ${value} }`)).toEqual([
      `2:${column}: connections.main.limits.${name}: is ${value}; expected a whole number from 1 to ${most}`,
    ]);
  });

  it.each([
    ['Hard', '"Hard"', '; did you mean hard?'],
    ['5', '5', ''],
  ])('of %s are refused', (limits, shown, advice) => {
    const expected = 'expected one of recommended, hard, or submits_per_minute and reads_per_minute';
    expect(mistakesOf(limits)).toEqual([`2:70: connections.main.limits: is ${shown}; ${expected}${advice}`]);
  });
});

describe('connections', () => {
  const token = (name: string, url: string, value: string, limits = ''): string =>
    `${name}: { base_url: "${url}", auth: { token: "\${NONE:-${value}}" }${limits} }`;

  it('with the same base URL and credential share a budget with the lowest of their limits, with a warning', () => {
    const { connections, warnings } = resolve([
      token('first', 'https://x.example', 'abc', ', limits: { submits_per_minute: 3, reads_per_minute: 4000 }'),
      token('other', 'https://y.example', 'abc', ', limits: hard'),
      token('second', 'https://X.example:443/', 'abc', ', limits: hard'),
      token('third', 'https://x.example', 'abc'),
    ]);
    const [first, other, second, third] = connections;
    expect(new Set([first?.budgetId, second?.budgetId, third?.budgetId]).size).toBe(1);
    expect([first, second, third].map((connection) => connection?.callsPerMinute)).toEqual(Array(3).fill({ submit: 3, read: 1000 }));
    expect(other?.budgetId).not.toBe(first?.budgetId);
    expect(other?.callsPerMinute).toEqual({ submit: 40, read: 5000 });
    expect(warnings).toEqual([
      'jobs.yaml:4:90: connections.second.limits: differs from the limits of first, which has the same base_url and credential: both share one budget, 3 submits and 1000 reads per minute',
      'jobs.yaml:5:3: connections.third.limits: differs from the limits of first, which has the same base_url and credential: both share one budget, 3 submits and 1000 reads per minute',
    ]);
  });

  it('that share a budget with the same limits bring no warning', () => {
    expect(
      resolve([token('a', 'https://x.example', 'abc'), token('b', 'https://x.example/', 'abc', ', limits: recommended')]).warnings,
    ).toEqual([]);
  });

  it('have a budget of their own for each base URL, credential and kind of credential', () => {
    const { connections } = resolve([
      token('a', 'https://x.example', 'abc'),
      token('b', 'https://x.example', 'abd'),
      token('c', 'https://x.example/v2', 'abc'),
      'd: { base_url: "https://x.example", auth: { api_key: abc, shared_secret: d } }',
      'e: { base_url: "https://x.example", auth: { api_key: ab, shared_secret: cd } }',
    ]);
    expect(new Set(connections.map(({ budgetId }) => budgetId)).size).toBe(5);
    for (const { budgetId } of connections) expect(budgetId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('may have any name, and are found by it', () => {
    const { connections } = resolve([token('Main account', 'https://x.example', 'abc')]);
    expect(connections.map(({ name }) => name)).toEqual(['Main account']);
  });
});

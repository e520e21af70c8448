// The pages for operators of a stack that has loaded all, with a password and without, for all tests of a file.
import { afterAll, beforeAll } from 'vitest';
import { silentLogger } from '../../src/core/log.ts';
import { Secret } from '../../src/core/secret.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { type OpsServer, startOpsServer } from '../../src/ops/server.ts';
import type { Instance } from '../../src/queue/instance.ts';
import { prepareAssets } from './dashboards.ts';
import type { TestStack } from './test-stack.ts';
import { useStack } from './use-stack.ts';

export const PAGES_PASSWORD = 'open sesame';

type Fields = Readonly<Record<string, string>>;

/** Servers and instance are there from beforeAll on. */
export interface OperatorPages {
  readonly stack: TestStack;
  readonly instance: Instance;
  /** With a password. */
  readonly guarded: OpsServer;
  /** Without. */
  readonly open: OpsServer;
  /** The cookie of a new session. */
  logIn(name?: string): Promise<string>;
  /** A page, with a cookie of the guarded ones. */
  textOf(path: string, cookie?: string): Promise<string>;
  /** Sends the form of an action. */
  post(server: OpsServer, fields: Fields, headers?: Fields): Promise<Response>;
}

export function useOperatorPages(jobs: string): OperatorPages {
  const stack = useStack({ jobs, sandbox: { size: 'tiny' } });
  beforeAll(async () => {
    const instance = await stack.start();
    await instance.planNow();
    await stack.settle();
    const options = {
      host: '127.0.0.1',
      port: 0,
      databaseUrl: new Secret(stack.databaseUrl),
      instance,
      metrics: createMetrics('1.2.3'),
      log: silentLogger,
      assetsFolder: await prepareAssets(),
    };
    const guarded = await startOpsServer({ ...options, password: new Secret(PAGES_PASSWORD) });
    Object.assign(pages, { instance, guarded, open: await startOpsServer(options) });
  });
  afterAll(async () => {
    await pages.guarded.close();
    await pages.open.close();
  });
  const pages = {
    stack,
    async logIn(name = 'Ann') {
      const body = new URLSearchParams({ password: PAGES_PASSWORD, name });
      const answer = await fetch(`${pages.guarded.url}/login`, { method: 'POST', redirect: 'manual', body });
      return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    },
    async textOf(path, cookie) {
      const { url } = cookie ? pages.guarded : pages.open;
      return (await fetch(url + path, { headers: cookie ? { cookie } : {} })).text();
    },
    post: (server, fields, headers = {}) =>
      fetch(`${server.url}/operations/actions`, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(fields) }),
  } as OperatorPages;
  return pages;
}

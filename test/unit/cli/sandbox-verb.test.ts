// searchmill sandbox: its options reach the server.
import { expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/program.ts';
import { runCli } from '../../support/command-line.ts';

/** Runs the verb while `work` talks to it at its address. Returns the exit code. */
async function withSandbox(args: readonly string[], work: (url: string) => Promise<void>): Promise<number> {
  const stop = new AbortController();
  let tellUrl: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => {
    tellUrl = resolve;
  });
  const ended = runCommandLine(
    {
      env: { LOG_LEVEL: 'silent' },
      print: (text) => {
        const found = /listens on (\S+)/.exec(text);
        if (found?.[1]) tellUrl(found[1]);
      },
      write: () => undefined,
      warn: () => undefined,
      isInteractive: false,
      width: 80,
      height: 24,
      stopping: stop.signal,
    },
    ['sandbox', '--port', '0', '--size', 'tiny', ...args],
  );
  try {
    await work(await url);
  } finally {
    stop.abort();
  }
  return ended;
}

function submitMonday(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/data-api/v1/async/ai_search_brands`, {
    method: 'POST',
    headers: { authorization: 'Bearer sandbox-token', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ account_id: 12345, start_date: '2026-11-02', end_date: '2026-11-08' }),
  });
}

it('refuses weeks from Monday by default', async () => {
  const code = await withSandbox([], async (url) => {
    expect((await submitMonday(url)).status).toBe(400);
  });
  expect(code).toBe(0);
});

it('demands a header, accepts any period and writes records as specified, where it is told so', async () => {
  const args = ['--gateway-header', 'X-Gateway-Key: abc:def', '--periods', 'any', '--records', 'specified'];
  await withSandbox(args, async (url) => {
    expect((await submitMonday(url)).status).toBe(401);
    const accepted = await submitMonday(url, { 'x-gateway-key': 'abc:def' });
    expect(accepted.status).toBe(202);
    expect(await accepted.json()).toMatchObject({ executionState: 'IN_PROGRESS', results: [], schema: [], nextPageId: null });
  });
});

it('says how to choose another port when one is taken', async () => {
  await withSandbox([], async (url) => {
    const { port } = new URL(url);
    const { code, err } = await runCli(['sandbox', '--port', port, '--size', 'tiny']);
    expect({ code, err }).toEqual({
      code: 2,
      err: `--port: ${port} of 127.0.0.1 is in use, perhaps by another sandbox; choose another port, or 0 for any free one\n`,
    });
  });
});

it.each([['X-Gateway-Key'], [':abc'], ['X-Gateway-Key:']])('refuses the header %s, of which a part is missing', async (header) => {
  const { code, err } = await runCli(['sandbox', '--port', '0', '--gateway-header', header]);
  expect(code).toBe(2);
  expect(err).toContain('--gateway-header: expected a name and a value, separated by a colon');
});

// Traces of real loads by two processes, as a collector gets them over HTTP.

import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { NO_PROXIES } from '../../../src/egress/route.ts';
import { approveHeld } from '../../../src/ledger/endings.ts';
import { startTracing, type Tracing } from '../../../src/ops/tracing.ts';
import { recordLog } from '../../support/recorded-log.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const JOBS = jobsSince(addDays(NEWEST, -7), {
  rankings: 'keyword_rankings, page_size: 300',
});
const ENDPOINT = new Secret('http://user:collector-password@127.0.0.1:9/');

type Span = { traceId: string; spanId: string; parentSpanId?: string; name: string; links?: { spanId: string }[]; attributes: unknown[] };

let stack: TestStack;
const open = (ledgerId: string, exporter?: InMemorySpanExporter, endpoint = ENDPOINT): Tracing =>
  startTracing({ endpoint, proxies: NO_PROXIES, ledgerId, version: '1.2.3', log: silentLogger, ...(exporter && { exporter }) });
const observing = ({ pipelineObserver: observer, callObserver }: Tracing) => ({ observer, callObserver });
const named = <T extends { name: string }>(spans: readonly T[], name: string): T[] => spans.filter((span) => span.name === name);

beforeAll(async () => {
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS });
});
afterAll(() => stack?.close());

describe('traces', () => {
  let server: Server;
  const bodies: string[] = [];
  const paths = new Set<string | undefined>();
  beforeAll(async () => {
    server = createServer((request, response) => {
      paths.add(request.url);
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        bodies.push(body);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
  });
  afterAll(() => server.close());

  it('have one trace per execution, with its calls and stages, over processes, and reach a collector', async () => {
    const { port } = server.address() as AddressInfo;
    const processes = ['scheduler', 'worker', 'worker'] as const;
    const tracings = processes.map(() => open('a-ledger', undefined, new Secret(`http://127.0.0.1:${port}/`)));
    const instances = [];
    for (const [at, role] of processes.entries()) instances.push(await stack.start({ role, ...observing(tracings[at] as Tracing) }));
    await stack.settle();
    for (const instance of instances) await instance.stop();
    for (const tracing of tracings) await tracing.close();

    expect(paths).toEqual(new Set(['/v1/traces']));
    const resources = bodies.flatMap((body) => JSON.parse(body).resourceSpans);
    const spans: Span[] = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope: { spans: Span[] }) => scope.spans));
    const loads = await stack.read<{ id: number; pages: number }>('SELECT id, pages FROM searchmill.executions');
    const roots = named(spans, 'execution');
    expect(roots).toHaveLength(loads.length);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(loads.length);
    for (const root of roots) {
      expect(root.parentSpanId).toBeUndefined();
      const own = spans.filter(({ traceId }) => traceId === root.traceId);
      const [submit, load, publish] = ['submit', 'load', 'publish'].map((name) => {
        expect(named(own, name), name).toHaveLength(1);
        return named(own, name)[0];
      });
      expect(named(own, 'call submit')).toHaveLength(1);
      expect(named(own, 'call poll').length).toBeGreaterThanOrEqual(1);
      expect(named(own, 'call paginate').length).toBeGreaterThanOrEqual(1);
      expect(named(own, 'copy').length).toBeGreaterThanOrEqual(1);
      expect(load?.links?.[0]?.spanId).toBe(submit?.spanId);
      expect(publish?.links?.[0]?.spanId).toBe(load?.spanId);
      for (const span of own.filter((one) => one !== root)) expect(span.parentSpanId, span.name).toBe(root.spanId);
    }
    expect(named(spans, 'call paginate')).toHaveLength(loads.reduce((sum, { pages }) => sum + pages - 1, 0));
    const sent = bodies.join();
    expect(sent).toContain('"service.name"');
    for (const secret of ['stack-token', stack.sandbox.url, '127.0.0.1:']) expect(sent).not.toContain(secret);
  });

  it('are the same trace in each process of a ledger, and another in another ledger', async () => {
    const idsIn = async (ledgerId: string): Promise<string[]> => {
      const exporter = new InMemorySpanExporter();
      const tracing = open(ledgerId, exporter);
      const context = { execution: '42', job: 'rankings' };
      const call = {
        name: 'poll',
        kind: 'read',
        dataset: 'keyword_rankings',
        connection: 'main',
        baseUrl: 'http://127.0.0.1',
        path: '/',
        context,
      } as const;
      tracing.callObserver('main').onCall(call, 'rate_limited', 3, 20);
      // Shutting down empties the exporter, which has them by then.
      const spans: ReadableSpan[] = [];
      exporter.shutdown = async () => void spans.push(...exporter.getFinishedSpans());
      await tracing.close();
      expect(spans).toMatchObject([{ name: 'call poll', status: { code: 2, message: 'rate_limited' } }]);
      return spans.map((span) => `${span.spanContext().traceId} ${span.parentSpanContext?.spanId}`);
    };
    expect(await idsIn('one')).toEqual(await idsIn('one'));
    expect(await idsIn('one')).not.toEqual(await idsIn('other'));
  });

  it('go on after a takeover, end at a hold, and have what was decided beside the root', async () => {
    const tracings = new Map<string, { tracing: Tracing; spans: ReadableSpan[] }>();
    const openNamed = (name: string): Tracing => {
      const exporter = new InMemorySpanExporter();
      const spans: ReadableSpan[] = [];
      exporter.shutdown = async () => void spans.push(...exporter.getFinishedSpans());
      const tracing = open('a-ledger', exporter);
      tracings.set(name, { tracing, spans });
      return tracing;
    };
    const week = addDays(NEWEST, -7);
    const by = { name: 'test', reason: undefined };
    // The first process stops while a page is under way, and the second continues where it stopped.
    stack.sandbox.setFaults({
      rules: [
        { fault: { kind: 'shrink', keep: 0.4 }, on: { operation: 'keyword_rankings' } },
        { fault: { kind: 'slow', ms: 60_000 }, on: { call: 'page' } },
      ],
    });
    const first = await stack.start({ ...observing(openNamed('first')) });
    await first.reload('rankings', week, by);
    const live = (state: string) => stack.read('SELECT FROM searchmill.executions WHERE state = $1 AND pages > 0', [state]);
    await until('the first page', async () => (await live('loading')).length > 0);
    await first.stop();
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'shrink', keep: 0.4 }, on: { operation: 'keyword_rankings' } }] });
    const second = await stack.start({ ...observing(openNamed('second')) });
    await until('a held week', async () => (await live('held')).length > 0);
    stack.sandbox.setFaults({ rules: [] });
    expect(await approveHeld(stack.pool, 'rankings', by)).toHaveLength(1);
    await stack.settle();
    await second.stop();
    for (const { tracing } of tracings.values()) await tracing.close();

    const spansOf = (name: string): ReadableSpan[] => tracings.get(name)?.spans ?? [];
    const own = [...spansOf('first'), ...spansOf('second')];
    expect(new Set(own.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(new Set(own.map((span) => span.spanContext().spanId)).size).toBe(own.length);
    const [submit] = named(spansOf('first'), 'submit');
    const [load] = named(spansOf('second'), 'load');
    expect(load?.links.map(({ context }) => context.spanId)).toEqual([submit?.spanContext().spanId]);
    const [root, ...others] = named(own, 'execution');
    expect(others).toEqual([]);
    expect(root?.attributes['searchmill.outcome']).toBe('held');
    expect(named(own, 'decision').map(({ attributes }) => attributes['searchmill.outcome'])).toEqual(['published']);
    for (const span of own.filter((one) => one !== root)) {
      expect(span.parentSpanContext?.spanId, span.name).toBe(root?.spanContext().spanId);
    }
  });

  it('that no collector accepts disturb no load, are reported once without the credential, and delay no stop', async () => {
    const { log, lines } = recordLog('warn');
    const tracing = startTracing({ endpoint: ENDPOINT, proxies: NO_PROXIES, ledgerId: 'x', version: '1', log });
    const week = addDays(NEWEST, -7);
    const instance = await stack.start(observing(tracing));
    await instance.reload('rankings', week, { name: 'test', reason: undefined });
    await stack.settle();
    await instance.stop();
    await tracing.close();
    await until('a word about it', async () => lines.length > 0);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('traces could not be sent');
    expect(lines[0]).not.toContain('collector-password');
  });
});

it('nothing of the SDK is loaded unless traces are asked for', () => {
  const loadedWith = (module: string): string[] => {
    const script = `import { createRequire } from 'node:module'; await import('./src/${module}');
      const names = Object.keys(createRequire(import.meta.url).cache).flatMap((path) => /@opentelemetry.([\\w-]+)/.exec(path)?.[1] ?? []);
      console.log(JSON.stringify([...new Set(names)].sort()));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    return JSON.parse(stdout || stderr);
  };
  // prom-client has the API, which does nothing by itself.
  expect(loadedWith('cli/start-verb.ts')).toEqual(['api']);
  expect(loadedWith('ops/tracing.ts')).toContain('sdk-trace');
});

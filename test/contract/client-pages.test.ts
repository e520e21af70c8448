// Reading all pages over HTTP: in order, one request at a time, ending cleanly.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { areSpooled } from '../../src/codec/page-rows.ts';
import { ServiceUnavailableError } from '../../src/core/errors.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { type PagesWanted, readPages } from '../../src/service/pages.ts';
import { type FakeService, type ReceivedRequest, sendJson, startFakeService } from '../support/fake-service.ts';
import { readRows, rowAt, WANTED } from '../support/page-rows.ts';
import { createTestClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const PAGES = 12;

let service: FakeService;
let client: ServiceClient;
let inFlight = 0;
let mostInFlight = 0;
let failAt: number | undefined;
let hangAt: number | undefined;
let hangs: () => void;

const numberOf = ({ body }: ReceivedRequest): number => Number((JSON.parse(body) as { nextPageId?: string }).nextPageId?.slice(1) ?? 0);

beforeEach(async () => {
  inFlight = 0;
  mostInFlight = 0;
  failAt = undefined;
  hangAt = undefined;
  service = await startFakeService(async (response, request) => {
    const number = numberOf(request);
    mostInFlight = Math.max(mostInFlight, ++inFlight);
    response.once('close', () => inFlight--);
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (number === hangAt) return hangs();
    if (number === failAt) return sendJson(response, 503, {});
    const nextPageId = number + 1 < PAGES ? `p${number + 1}` : null;
    sendJson(response, 200, {
      executionId: 'e1',
      executionState: 'COMPLETED',
      results: [[String(number)]],
      schema: [],
      nextPageId,
      totalRowCount: PAGES,
    });
  });
  client = createTestClient(service.url, { options: { cancelGraceMs: 20 } });
});
afterEach(async () => {
  await client.close();
  await service.close();
});

const askedPages = (): number[] => service.received.map(numberOf);
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

async function readNumbers(wanted: PagesWanted = WANTED): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { rows } of readPages(client, wanted)) numbers.push(Number((rowAt(rows, 0) as string[])[0]));
  return numbers;
}

describe('readPages over HTTP', () => {
  it('reads every page once, in order, with one request at a time', async () => {
    expect(await readNumbers()).toEqual(range(0, PAGES));
    expect(askedPages()).toEqual(range(0, PAGES));
    expect(mostInFlight).toBe(1);
  });

  it('goes on at a cursor', async () => {
    expect(await readNumbers({ ...WANTED, cursor: 'p9' })).toEqual([9, 10, 11]);
    expect(askedPages()).toEqual([9, 10, 11]);
  });

  it('delivers every page before the one that failed', async () => {
    failAt = 3;
    const numbers: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const { rows } of readPages(client, WANTED)) numbers.push(Number((rowAt(rows, 0) as string[])[0]));
    };
    await expect(reading()).rejects.toBeInstanceOf(ServiceUnavailableError);
    expect(numbers).toEqual([0, 1, 2]);
    expect(askedPages()).toEqual([0, 1, 2, 3]);
  });

  it('asks at most one page ahead, however long the consumer takes', async () => {
    for await (const { rows } of readPages(client, WANTED)) {
      const number = Number((rowAt(rows, 0) as string[])[0]);
      const last = Math.min(number + 1, PAGES - 1);
      await until('the next page to be asked for', () => askedPages().at(-1) === last);
      await new Promise((resolve) => setTimeout(resolve, 15));
      expect(askedPages().at(-1)).toBe(last);
    }
  });

  it('does not ask for the next page any more when the consumer stops before it was sent', async () => {
    for await (const _ of readPages(client, WANTED)) break;
    expect(askedPages()).toEqual([0]);
  });

  it('leaves no request behind when the consumer stops while the next page is on its way', async () => {
    hangAt = 2;
    const hanging = new Promise<void>((resolve) => {
      hangs = resolve;
    });
    for await (const { rows } of readPages(client, WANTED)) {
      if ((rowAt(rows, 0) as string[])[0] !== '1') continue;
      await hanging;
      break;
    }
    await service.allClosed();
    expect(inFlight).toBe(0);
    expect(askedPages()).toEqual([0, 1, 2]);
  });

  it.each([
    ['with its length', true],
    ['in pieces', false],
  ])('leaves a page in a file that is too large for memory, sent %s', async (_what, isWhole) => {
    const rows = range(0, 1_000).map((row) => [String(row), `${row} `.repeat(3_000)]);
    const large = await startFakeService((response) => {
      const text = Buffer.from(
        JSON.stringify({ executionId: 'e1', executionState: 'COMPLETED', results: rows, schema: [], nextPageId: null }),
      );
      response.writeHead(200, { 'content-type': 'application/json', ...(isWhole ? { 'content-length': text.length } : {}) });
      for (let at = 0; at < text.length; at += 100_000) response.write(text.subarray(at, at + 100_000));
      response.end();
    });
    const itsClient = createTestClient(large.url);
    const found: unknown[] = [];
    for await (const page of readPages(itsClient, WANTED)) {
      if (!areSpooled(page.rows)) throw new Error('the page is in memory');
      expect(page.rows.length).toBe(rows.length);
      found.push(...(await readRows(page.rows)));
    }
    expect(found).toEqual(rows);
    await itsClient.close();
    await large.close();
  });
});

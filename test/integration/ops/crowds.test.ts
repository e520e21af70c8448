// The pages of a real process among clients that mean no good: whatever they do, health is answered and memory stays flat.
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays } from '../../../src/core/weeks.ts';
import { type DeafClients, startDeafClients } from '../../support/deaf-clients.ts';
import { ensureBuilt, killPrograms, type Program, startProgram } from '../../support/program.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const JOBS = jobsSince(addDays(NEWEST, -7), {
  rankings: 'keyword_rankings',
});
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const PASSWORD = 'open sesame';
const CLIENTS = 300;
const MAX_BYTES = 256 * 1024 * 1024;
/** A second on a quiet machine. */
const HEALTH_WITHIN_MS = 20_000;
const CHECKS = 50;

let stack: TestStack;
let service: Program;
let url: string;
let deaf: DeafClients | undefined;

beforeAll(async () => {
  await ensureBuilt();
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny' } });
  service = startProgram(['start'], { ...stack.env, OPS_PASSWORD: PASSWORD });
  await service.says(/dashboards, health and metrics/);
  url = /"url":"(http:[^"]+)"/.exec(service.stdout)?.[1] ?? '';
  await service.says(/"msg":"published"/);
});
afterAll(async () => {
  deaf?.stop();
  service.send('SIGTERM');
  await service.ended;
  await killPrograms();
  await stack.close();
});

/** The most memory that the process has had; undefined where the system does not say. */
function mostMemory(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** On a connection of its own, as a load balancer asks. */
function askHealth(): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = get(`${url}/healthz`, { agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
    });
    asking.on('error', reject).setTimeout(HEALTH_WITHIN_MS, () => asking.destroy(new Error('health is not answered')));
  });
}

const ask = (...paths: string[]): string =>
  paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n\r\n`).join('');

describe('clients that send pipelined requests and read nothing', () => {
  it.each([
    ['the login', ask('/login').repeat(1_500)],
    ['answers to a form', `POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 11\r\n${FORM}\r\n\r\npassword=no`.repeat(700)],
    ['the script', ask('/assets/charts.js').repeat(1_500)],
    ['metrics, readiness and what needs a session', ask('/metrics', '/readyz', '/boards/rankings', '/operations').repeat(400)],
    ['a few large answers at a time', ask('/assets/charts.js').repeat(4)],
    ['one page after another, without end', `${ask('/login')}GET /log`],
  ])('of %s keep nobody from the health endpoint, and take no memory', async (_, requests) => {
    deaf = await startDeafClients({ url, clients: CLIENTS, requests, maxConnections: 5 * CLIENTS });
    const answers: unknown[] = [];
    for (let check = 0; check < CHECKS; check += 1) answers.push(await askHealth());
    expect(answers).toEqual(Array(CHECKS).fill(200));
    await until('connections to be closed', async () => ((await deaf?.countClosed()) ?? 0) > CLIENTS);
    deaf.stop();
    expect(mostMemory() ?? 0).toBeLessThan(MAX_BYTES);
  });

  it('two thousand idle sockets keep nobody from the health endpoint either', async () => {
    const sockets = Array.from({ length: 2_000 }, () => connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined));
    expect(await askHealth()).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

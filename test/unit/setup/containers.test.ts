// What the Dockerfile and compose.yaml promise: images that cannot change, containers that can do little harm, health that is true.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadJobsConfig } from '../../../src/config/jobs-config.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PINNED = /^[\w./-]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;
const dockerfile = readFileSync(`${ROOT}Dockerfile`, 'utf8');
const { services } = parse(readFileSync(`${ROOT}compose.yaml`, 'utf8'), { merge: true }) as { services: Record<string, Service> };

type Service = Readonly<{
  image: string;
  logging: unknown;
  volumes?: string[];
  env_file?: unknown;
  tmpfs?: string[];
  mem_limit: string;
  pids_limit: number;
  environment?: Record<string, string>;
}>;

type Prometheus = Readonly<{ scrape_configs: { static_configs: unknown }[] }>;

describe('the Dockerfile', () => {
  it('builds on one image, pinned by digest, of the version that .nvmrc names', () => {
    const [, image = ''] = /^ARG NODE_IMAGE=(.+)$/m.exec(dockerfile) ?? [];
    expect(image).toMatch(PINNED);
    expect(image).toMatch(new RegExp(`^node:${readFileSync(`${ROOT}.nvmrc`, 'utf8').trim()}\\.`));
    const stages = dockerfile.match(/^FROM .*$/gm) ?? [];
    expect(stages).toHaveLength(3);
    for (const stage of stages) expect(stage).toMatch(/^FROM \$\{NODE_IMAGE\}( AS [a-z]+)?$/);
  });

  it('copies only what .dockerignore lets through to the builder', () => {
    const [first, ...allowed] = readFileSync(`${ROOT}.dockerignore`, 'utf8').match(/^[^#\s].*$/gm) ?? [];
    expect(first).toBe('*');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' '));
    expect(new Set(copied.map((path) => `!${path.split('/')[0]}`))).toEqual(new Set(allowed));
  });
});

describe.each(Object.entries(services))('the container %s of compose.yaml', (_, service) => {
  it('can write to its volumes only, has no capability, and is bounded in memory, threads and logs', () => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service).not.toHaveProperty('cap_add');
    expect(service).not.toHaveProperty('privileged');
    expect(service.mem_limit).toMatch(/^\d+[mg]$/);
    expect(service.pids_limit).toBeGreaterThan(0);
    expect(service.logging).toEqual({ driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } });
  });

  it('uses an image that this repository builds or that is pinned by digest', () => {
    const [, image = service.image] = /^\$\{[A-Z]+_IMAGE:-(.+)\}$/.exec(service.image) ?? [];
    // No registry could be asked for the digests of Grafana and Prometheus: a version only, until somebody who can pull them pins them.
    const isUnpinned = /^(grafana|prom)\//.test(image);
    if (image !== 'searchmill') expect(image).toMatch(isUnpinned ? /^(grafana\/grafana:|prom\/prometheus:v)\d+\.\d+\.\d+$/ : PINNED);
  });
});

it('the containers have networks of their own, and their connection allows the plain http of the sandbox beside them', () => {
  for (const service of Object.values(services)) expect(service).not.toHaveProperty('network_mode');
  const withoutVariables = (text: string): string => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
  const { environment = {} } = { ...services['worker-1'] };
  const env = Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, withoutVariables(text)]));
  expect(loadJobsConfig(`${ROOT}demo/jobs.config.yaml`, env).config.connections.get('main')?.baseUrl).toBe('http://sandbox:4010');
});

it('the boards have a password, without which every page of a container is refused', () => {
  for (const name of ['scheduler', 'worker-1', 'worker-2'])
    expect(services[name]?.environment?.OPS_PASSWORD).toMatch(/^\$\{OPS_PASSWORD:-.{8,}\}$/);
});

it('the password of the database may have any characters: it stands in no address', () => {
  const { environment = {} } = { ...services.scheduler };
  const { environment: ofServer } = { ...services.postgres };
  expect(environment.PGPASSWORD).toBe(ofServer?.POSTGRES_PASSWORD);
  expect(environment.DATABASE_URL).toBe('postgres://searchmill@postgres:5432/searchmill');
});

it('what a jobs file names reaches every container that reads it, and .env moves no port of a container', () => {
  for (const name of ['migrate', 'scheduler', 'worker-1', 'worker-2']) {
    expect(services[name]?.env_file).toEqual([{ path: '.env', required: false }]);
    expect(services[name]?.environment).toMatchObject({ OPS_HOST: '0.0.0.0', OPS_PORT: '9464' });
  }
  const recipe = parse(readFileSync(`${ROOT}init/compose/compose.yaml`, 'utf8'), { merge: true }) as { services: Record<string, Service> };
  for (const name of ['migrate', 'searchmill']) {
    expect(recipe.services[name]?.env_file).toBe('.env');
    expect(recipe.services[name]?.environment).toMatchObject({ OPS_HOST: '0.0.0.0', OPS_PORT: '9464' });
  }
});

it('Prometheus reads every container that loads, with the rules that prometheus.yml names', () => {
  const read = (name: string) => parse(readFileSync(`${ROOT}ops/${name}`, 'utf8')) as Prometheus;
  const [inContainers, here] = [read('compose.yml'), read('prometheus.yml')];
  const loading = Object.keys(services).filter((name) => name === 'scheduler' || name.startsWith('worker'));
  expect(inContainers.scrape_configs[0]?.static_configs).toEqual([{ targets: loading.map((name) => `${name}:9464`) }]);
  const withoutTargets = (config: Prometheus) => ({ ...config, scrape_configs: [{ ...config.scrape_configs[0], static_configs: [] }] });
  expect(withoutTargets(inContainers)).toEqual(withoutTargets(here));
  expect(services.prometheus).toMatchObject({
    command: expect.arrayContaining(['--config.file=/etc/prometheus/compose.yml']),
    volumes: ['./ops:/etc/prometheus:ro'],
  });
});

it('the containers that load spool large answers on disk', () => {
  for (const name of ['worker-1', 'worker-2']) expect(services[name]?.volumes).toContain('/tmp');
});

describe('the health of a container', () => {
  let folder: string;
  let status = 200;
  const server = createServer((request, response) => response.writeHead(request.url === '/healthz' ? status : 404).end());
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'searchmill-container-'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  /** The exit status of the health check when process 1 was started by these words. */
  async function healthOf(...words: string[]): Promise<unknown> {
    const commandLine = join(folder, 'cmdline');
    writeFileSync(commandLine, words.map((word) => `${word}\0`).join(''));
    const env = { OPS_HOST: '0.0.0.0', OPS_PORT: `${(server.address() as AddressInfo).port}` };
    const child = spawn(process.execPath, [`${ROOT}scripts/container-health.mjs`, commandLine], { env });
    return ((await once(child, 'exit')) as unknown[])[0];
  }
  const program = ['node', '--max-semi-space-size=2', '--single-threaded-gc', 'dist/main.js'];

  it('of start is what /healthz answers', async () => {
    expect(await healthOf(...program, 'start')).toBe(0);
    status = 503;
    expect(await healthOf(...program, 'start', '--role', 'worker')).toBe(1);
    expect(await healthOf('/sbin/docker-init', '--', ...program, '-c', 'jobs.yaml', 'start')).toBe(1);
  });

  it('of run, backfill and migrate, which serve no port, is that they run', async () => {
    status = 503;
    expect(
      await Promise.all([['run', 'start'], ['backfill', 'rankings'], ['migrate']].map((verb) => healthOf(...program, ...verb))),
    ).toEqual([0, 0, 0]);
    expect(await healthOf('sleep', 'infinity')).toBe(0);
  });
});

describe('the recipe of "init --with compose"', () => {
  const folder = `${ROOT}init/compose/`;

  it('takes nothing into the image but its own file and a package: .env beside it has the token', () => {
    const copies = [...readFileSync(`${folder}Dockerfile`, 'utf8').matchAll(/^(?:COPY|ADD) (.*)$/gm)].map(([, words]) => words);
    expect(copies).toEqual(['Dockerfile *.tgz ./']);
  });

  it('gives the password of the database as it is, in no address, and says how .env has special characters', () => {
    const text = readFileSync(`${folder}compose.yaml`, 'utf8');
    type Own = Record<'searchmill' | 'postgres', { environment: Record<string, string> }>;
    const own = (parse(text, { merge: true }) as { services: Own }).services;
    expect(own.searchmill.environment.PGPASSWORD).toBe(own.postgres.environment.POSTGRES_PASSWORD);
    expect(own.searchmill.environment.DATABASE_URL).not.toContain('$');
    for (const file of [text, readFileSync(`${ROOT}init/env.example`, 'utf8')]) {
      const [, line = ''] = /(POSTGRES_PASSWORD='[^']*')/.exec(file) ?? [];
      const read = spawnSync('sh', ['-c', `${line}; printf %s "$POSTGRES_PASSWORD"`], { encoding: 'utf8' });
      expect(read.stdout).toBe('a$b#c"d@/');
    }
  });
});

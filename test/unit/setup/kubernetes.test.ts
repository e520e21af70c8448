// The manifests of deploy/kubernetes against the types of Kubernetes' API: the compiler refuses fields it does not know.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { pathRows, portRows, type Manifest as Rendered, renderManifests } from '../../../scripts/documents/deploying-page.ts';
import { loadJobsConfig } from '../../../src/config/jobs-config.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MANIFESTS = join(ROOT, 'deploy/kubernetes');
/** Kinds of others than Kubernetes, whose types are not to be had. */
const FOREIGN = ['Kustomization', 'PodMonitor'];
const TYPES: Readonly<Record<string, string>> = { v1: 'core/v1', 'networking.k8s.io/v1': 'networking/v1' };

type Manifest = { apiVersion: string; kind: string; spec?: unknown; resources?: string[]; images?: { newTag: string }[] };
type Container = { image: string; args: string[]; env: { name: string }[]; securityContext: unknown; resources: unknown };
type PodSpec = { containers: Container[]; securityContext: unknown; terminationGracePeriodSeconds?: number };

const files = readdirSync(MANIFESTS, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'));
const read = (path: string): Manifest[] =>
  parseAllDocuments(readFileSync(join(MANIFESTS, path), 'utf8')).map((document) => document.toJS() as Manifest);
const manifests = files.filter((path) => path !== 'jobs.config.yaml').flatMap(read);
const folder = mkdtempSync(join(tmpdir(), 'searchmill-manifests-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the compiler says of manifests that are written as values of the API's types. */
async function compile(given: readonly Manifest[]): Promise<string> {
  const values = given.map((manifest) => {
    const types = join(ROOT, 'node_modules/kubernetes-types', TYPES[manifest.apiVersion] ?? manifest.apiVersion);
    return `export const _${crypto.randomUUID().replaceAll('-', '')}: import('${types}').${manifest.kind} = ${JSON.stringify(manifest)};`;
  });
  const path = join(folder, `${crypto.randomUUID()}.ts`);
  writeFileSync(path, values.join('\n'));
  return new Promise((resolve) => {
    const words = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext'];
    execFile(process.execPath, [...words, '--moduleResolution', 'bundler', path], { cwd: folder }, (_, said) => resolve(said));
  });
}

function specOf<Spec>(given: readonly Manifest[], kind: string): Spec {
  const found = given.find((manifest) => manifest.kind === kind);
  if (!found) throw new Error(`there is no ${kind}`);
  return found.spec as Spec;
}

const podOf = ({ spec }: Manifest): PodSpec | undefined => (spec as { template?: { spec: PodSpec } } | undefined)?.template?.spec;
const pods = manifests.flatMap((manifest) => podOf(manifest) ?? []);

it('every manifest is what the API expects', async () => {
  const own = manifests.filter(({ kind }) => !FOREIGN.includes(kind));
  expect(new Set(own.map(({ kind }) => kind))).toEqual(
    new Set(['Deployment', 'Ingress', 'Job', 'Namespace', 'NetworkPolicy', 'PodDisruptionBudget', 'Service']),
  );
  expect(await compile(own)).toBe('');
});

it('a misspelt field, a wrong type and a missing field are found', async () => {
  const [worker] = read('worker.yaml');
  const text = JSON.stringify(worker);
  const wrong = [
    text.replace('"readOnlyRootFilesystem"', '"readOnlyRootFileSystem"'),
    text.replace('"replicas":3', '"replicas":"3"'),
    text.replace('"selector":', '"selectors":'),
  ].map((changed) => JSON.parse(changed) as Manifest);
  for (const said of await Promise.all(wrong.map((manifest) => compile([manifest])))) expect(said).toMatch(/error TS/);
});

it('the base names every file beside it, and its jobs are a configuration', () => {
  const named = read('kustomization.yaml')[0]?.resources;
  const beside = files.filter((path) => !path.includes('/') && !['kustomization.yaml', 'jobs.config.yaml'].includes(path));
  expect(new Set(named)).toEqual(new Set(beside));
  const { config } = loadJobsConfig(join(MANIFESTS, 'jobs.config.yaml'), { SEARCH_API_TOKEN: 'token' });
  expect(config.jobs.length).toBeGreaterThan(0);
});

it('both parts take the image of this release', () => {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string };
  const tags = ['kustomization.yaml', 'migrate/kustomization.yaml'].map((path) => read(path)[0]?.images?.[0]?.newTag);
  expect(tags).toEqual([version, version]);
});

describe('every pod', () => {
  it('is of the restricted kind: an ordinary user, a read-only file system, no capability, bounded memory', () => {
    expect(pods).toHaveLength(3);
    for (const pod of pods) {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } });
      const [container] = pod.containers;
      expect(container?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container?.resources).toMatchObject({ limits: { memory: '512Mi' } });
    }
  });

  it('gets its secrets as files', () => {
    const names = pods.flatMap(({ containers }) => containers.flatMap(({ env }) => env.map(({ name }) => name)));
    expect(names.filter((name) => /URL|TOKEN|PASSWORD/.test(name) && !name.endsWith('_FILE'))).toEqual([]);
  });
});

it('the policy lets out everything that docs/deploying.md says a process needs', () => {
  const { egress } = specOf<{ egress: { ports: { protocol: string; port: number }[] }[] }>(read('network.yaml'), 'NetworkPolicy');
  const open = egress.flatMap(({ ports }) => ports.map(({ protocol, port }) => `${protocol} ${port}`));
  const needed = {
    dns: 'UDP 53',
    postgres: 'TCP 5432',
    redis: 'TCP 6379',
    https: 'TCP 443',
    smtps: 'TCP 465',
    submission: 'TCP 587',
    traces: 'TCP 4318',
  };
  for (const [what, port] of Object.entries(needed)) expect(open, what).toContain(port);
});

it('the Ingress leads to the boards only: health and metrics, which have no login, reach no pod', () => {
  const served = read('examples/ingress.yaml');
  type Path = { path: string; pathType: string; backend: { service: { name: string } } };
  const { rules } = specOf<{ rules: { http: { paths: Path[] } }[] }>(served, 'Ingress');
  const paths = rules.flatMap(({ http }) => http.paths);
  const targets = new Map(paths.map(({ path, pathType, backend }) => [`${pathType} ${path}`, backend.service.name]));
  for (const path of ['/healthz', '/readyz', '/metrics']) expect(targets.get(`Exact ${path}`)).toBe('searchmill-nowhere');
  expect(targets.get('Prefix /')).toBe('searchmill');
  const nowhere = specOf<{ selector: Record<string, string> }>(served, 'Service');
  const components = files.filter((path) => /^(worker|scheduler)/.test(path)).map((path) => readFileSync(join(MANIFESTS, path), 'utf8'));
  for (const text of components) expect(text).not.toContain(`component: ${nowhere.selector['app.kubernetes.io/component']}`);
});

it('the PodMonitor names the scrape as the alerts do, so that they do not miss processes that run', () => {
  type Endpoints = { podMetricsEndpoints: { relabelings?: unknown }[] };
  const { podMetricsEndpoints: endpoints } = specOf<Endpoints>(read('examples/pod-monitor.yaml'), 'PodMonitor');
  const [, job] = /absent\(up\{job="(\w+)"\}/.exec(readFileSync(join(ROOT, 'ops/alerts.yml'), 'utf8')) ?? [];
  expect(job).toBeDefined();
  expect(endpoints.map(({ relabelings }) => relabelings)).toEqual([[{ targetLabel: 'job', replacement: job }]]);
});

it('the processes get more than the 9 s that they take to end', () => {
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment').flatMap((manifest) => podOf(manifest) ?? []);
  expect(deployments.map(({ terminationGracePeriodSeconds }) => terminationGracePeriodSeconds)).toEqual([15, 15]);
});

describe('what is let through, as the tables of docs/deploying.md have it', () => {
  const rendered = renderManifests();
  const change = (kind: string, spec: object): Rendered[] =>
    rendered.map((manifest) => (manifest.kind === kind ? { ...manifest, spec: { ...manifest.spec, ...spec } } : manifest));

  it('is one port of each pod for the namespaces of Prometheus and the Ingress, and out to what a process needs', () => {
    const incoming = portRows(rendered).filter(([, port]) => port?.startsWith('in'));
    const pods = ['searchmill-scheduler', 'searchmill-worker', 'searchmill-migrate'];
    expect(incoming).toEqual(pods.map((name) => [`\`${name}\``, 'in: TCP 9464', 'namespaces `monitoring`, `ingress`']));
  });

  it('is the boards of the schedulers by the Ingress, and no health or metrics', () => {
    expect(pathRows(rendered)).toEqual([
      ...['/healthz', '/readyz', '/metrics'].map((path) => [`\`${path}\` (exact)`, '`searchmill-nowhere`', 'none']),
      ['`/` (prefix)', '`searchmill`', '`searchmill-scheduler`, port 9464'],
    ]);
  });

  it('follows the manifests: a policy for other pods, or a service that selects all, shows', () => {
    expect(portRows(change('NetworkPolicy', { podSelector: { matchLabels: { app: 'other' } } }))).toEqual([]);
    expect(pathRows(change('Service', { selector: { 'app.kubernetes.io/name': 'searchmill' } }))[0]?.[2]).toContain('searchmill-worker');
  });
});

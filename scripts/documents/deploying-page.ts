// docs/deploying.md: what the manifests of deploy/kubernetes let through, rendered as Kustomize renders them; the rest of the page is written by hand.
import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { code, table } from './markdown.ts';

const ROOT = new URL('../../', import.meta.url);
const MANIFESTS = new URL('deploy/kubernetes/', ROOT);
const PAGE = new URL('docs/deploying.md', ROOT);
const LIST = /(?<=^<!-- policy: .*-->\n)[\s\S]*?(?=^<!-- end -->$)/m;
const LABELS_OF_NAMESPACE = 'kubernetes.io/metadata.name';

type Labels = Readonly<Record<string, string>>;
type Port = Readonly<{ protocol?: string; port: number | string }>;
type Peer = Readonly<{ namespaceSelector?: { matchExpressions?: readonly { key: string; values?: readonly string[] }[] } }>;
type Rule = Readonly<{ from?: readonly Peer[]; to?: readonly Peer[]; ports: readonly Port[] }>;
type Backend = Readonly<{ service: { name: string } }>;
type Template = Readonly<{
  metadata: { labels: Labels };
  spec: { containers: readonly { ports?: readonly { name: string; containerPort: number }[] }[] };
}>;
/** Of a manifest, what is read here. */
export type Manifest = Readonly<{
  kind: string;
  metadata: { name: string };
  spec?: Readonly<{
    template?: Template;
    selector?: Labels;
    podSelector?: { matchLabels?: Labels };
    ingress?: readonly Rule[];
    egress?: readonly Rule[];
    ports?: readonly { port: number; targetPort: string }[];
    rules?: readonly { http: { paths: readonly { path: string; pathType: string; backend: Backend }[] } }[];
  }>;
}>;
type Kustomization = Readonly<{ resources: readonly string[]; labels?: readonly { pairs: Labels }[] }>;

const readText = (path: string): string => readFileSync(new URL(path, MANIFESTS), 'utf8');
const readAll = (path: string): Manifest[] => parseAllDocuments(readText(path)).map((document) => document.toJS() as Manifest);

/** The manifests that a kustomization names, with its labels on pods and in the selectors of services. */
function render(folder: string): Manifest[] {
  const { resources, labels = [] } = parse(readText(`${folder}kustomization.yaml`)) as Kustomization;
  const pairs: Labels = Object.assign({}, ...labels.map((each) => each.pairs));
  return resources.flatMap((file) => readAll(folder + file)).map((manifest) => withLabels(manifest, pairs));
}

function withLabels(manifest: Manifest, pairs: Labels): Manifest {
  const { kind, spec } = manifest;
  if (kind === 'Service') return { ...manifest, spec: { ...spec, selector: { ...spec?.selector, ...pairs } } };
  if (!spec?.template) return manifest;
  const { metadata, ...rest } = spec.template;
  return { ...manifest, spec: { ...spec, template: { ...rest, metadata: { ...metadata, labels: { ...metadata.labels, ...pairs } } } } };
}

/** All that is rendered: base, migration, and the Ingress of the examples. */
export const renderManifests = (): Manifest[] => [...render(''), ...render('migrate/'), ...readAll('examples/ingress.yaml')];

const podsOf = (manifests: readonly Manifest[]) =>
  manifests.flatMap(({ metadata: { name }, spec }) =>
    spec?.template ? [{ name, labels: spec.template.metadata.labels, ...spec.template.spec }] : [],
  );
const selects = (selector: Labels, labels: Labels): boolean => Object.entries(selector).every(([key, value]) => labels[key] === value);

/** Which ports of each pod are open, and to whom: rows of pod, direction and port, peers. */
export function portRows(manifests: readonly Manifest[]): string[][] {
  const policies = manifests.flatMap(({ kind, spec }) => (kind === 'NetworkPolicy' && spec ? [spec] : []));
  return podsOf(manifests).flatMap(({ name, labels }) =>
    policies
      .filter(({ podSelector }) => selects(podSelector?.matchLabels ?? {}, labels))
      .flatMap(({ ingress = [], egress = [] }) => [
        ...ingress.map(({ ports, from }) => [code(name), `in: ${portsOf(ports)}`, peersOf(from)]),
        ...egress.map(({ ports, to }) => [code(name), `out: ${portsOf(ports)}`, peersOf(to)]),
      ]),
  );
}

const portsOf = (ports: readonly Port[]): string => ports.map(({ protocol = 'TCP', port }) => `${protocol} ${port}`).join(', ');

function peersOf(peers: readonly Peer[] | undefined): string {
  if (peers === undefined) return 'any address';
  const expressions = peers.flatMap(({ namespaceSelector }) => namespaceSelector?.matchExpressions ?? []);
  if (expressions.length === 0 || expressions.some(({ key }) => key !== LABELS_OF_NAMESPACE)) throw new Error('a peer has no words here');
  return `namespaces ${expressions.flatMap(({ values = [] }) => values.map(code)).join(', ')}`;
}

/** Where each path of an Ingress leads: rows of path, service, and the pods and ports behind it. */
export function pathRows(manifests: readonly Manifest[]): string[][] {
  const pods = podsOf(manifests);
  const behind = (wanted: string): string => {
    const { selector = {}, ports = [] } =
      manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === wanted)?.spec ?? {};
    const found = pods
      .filter(({ labels }) => selects(selector, labels))
      .flatMap(({ name, containers }) =>
        containers
          .flatMap((container) => container.ports ?? [])
          .filter((port) => ports.some(({ targetPort }) => targetPort === port.name))
          .map(({ containerPort }) => `${code(name)}, port ${containerPort}`),
      );
    return found.join('; ') || 'none';
  };
  const rules = manifests.flatMap(({ kind, spec }) => (kind === 'Ingress' ? (spec?.rules ?? []) : []));
  return rules
    .flatMap(({ http }) => http.paths)
    .map(({ path, pathType, backend: { service } }) => [
      `${code(path)} (${pathType.toLowerCase()})`,
      code(service.name),
      behind(service.name),
    ]);
}

export function deployingPage(): string {
  const written = readFileSync(PAGE, 'utf8');
  if (!LIST.test(written)) throw new Error('docs/deploying.md has no place for what Kubernetes lets through');
  const manifests = renderManifests();
  const tables = [table(['Pod', 'Port', 'From or to'], portRows(manifests)), table(['Path', 'Service', 'Pods'], pathRows(manifests))];
  return written.replace(LIST, () => `\n${tables.join('\n\n')}\n\n`);
}

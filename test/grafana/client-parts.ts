// The client parts of a Grafana from npm, in Node: @grafana/data and @grafana/scenes as they are, with stand-ins for what cannot be installed
// (@grafana/ui has a dependency from git) or needs a whole Grafana.
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';

/** A data source as the parts see it. */
export interface DataSource {
  readonly uid: string;
  readonly type: string;
  readonly name: string;
  getRef(): object;
  metricFindQuery(query: unknown, options: MetricFindOptions): Promise<readonly Readonly<{ text: string; value?: string }>[]>;
}
export type MetricFindOptions = Readonly<{ scopedVars: Readonly<{ __sceneObject: { value: object } }> }>;

export interface Field {
  name: string;
  type: string;
  config: object;
  values: unknown[];
}
export interface Frame {
  fields: Field[];
  length: number;
}
export interface SceneVariable {
  readonly state: Readonly<{ name: string; error?: unknown; options?: readonly Readonly<{ label: string; value: unknown }>[] }>;
  changeValueTo(value: string | readonly string[], text: string | readonly string[]): void;
  getValue(): unknown;
}
export interface VariableSet {
  isVariableLoadingOrWaitingToUpdate(variable: SceneVariable): boolean;
}
type Transformer = Readonly<{ id: string; name: string }>;
type FrameObserver = Readonly<{ next: (frames: Frame[]) => void; error: (error: unknown) => void }>;
interface Scene {
  activate(): () => void;
}
type Made<T> = new (state: object) => T;

export interface GrafanaParts {
  readonly data: {
    standardTransformersRegistry: { setInit(init: () => unknown[]): void };
    standardTransformers: Record<string, Transformer>;
    transformDataFrame(transformations: readonly object[], frames: readonly Frame[]): { subscribe(observer: FrameObserver): unknown };
    toDataFrame(frame: Readonly<{ fields: readonly Field[] }>): Frame;
    rangeUtil: { describeTextRange(text: string): { display: string; invalid?: boolean } };
    dateMath: { parse(text: string): { valueOf(): number } | undefined };
  };
  readonly scenes: {
    QueryVariable: Made<SceneVariable>;
    CustomVariable: Made<SceneVariable>;
    DataSourceVariable: Made<SceneVariable>;
    SceneVariableSet: Made<VariableSet>;
    EmbeddedScene: Made<Scene>;
    SceneFlexLayout: Made<object>;
    sceneGraph: { interpolate(scene: unknown, text: string): string };
  };
}

const STOOD_IN = /^@grafana\/(?:ui|runtime|i18n|schema\/dist)(?:\/|$)/;
/** Of the browser, what the parts look for when they are loaded. */
const OF_THE_PAGE = [
  'document',
  'navigator',
  'location',
  'localStorage',
  'history',
  'HTMLElement',
  'Element',
  'Node',
  'DOMParser',
  'getComputedStyle',
];

type Load = (request: string, ...rest: unknown[]) => unknown;

/** Loads the parts in `folder`; `source` is the data source that they find, whatever they ask for. */
export function loadGrafanaParts(folder: string, version: string, source: DataSource): GrafanaParts {
  const require = createRequire(join(folder, version, 'package.json'));
  openPage(require('jsdom') as { JSDOM: new (html: string, options: object) => { window: Record<string, unknown> } });
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  const standIn = standInOf(version, source);
  loader._load = function stoodIn(this: unknown, request, ...rest) {
    return STOOD_IN.test(request) ? standIn : load.call(this, request, ...rest);
  };
  try {
    const data = require('@grafana/data') as GrafanaParts['data'];
    // Some transformers are exported under two names.
    const transformers = new Map(Object.values(data.standardTransformers).map((each) => [each.id, each]));
    // Since 13 they are loaded when they are first asked for.
    const isLoadedLater = Number.parseInt(version, 10) >= 13;
    const entryOf = (each: Transformer) => ({ ...each, transformation: isLoadedLater ? async () => each : each });
    data.standardTransformersRegistry.setInit(() => [...transformers.values()].map(entryOf));
    return { data, scenes: require('@grafana/scenes') as GrafanaParts['scenes'] };
  } finally {
    loader._load = load;
  }
}

function openPage({ JSDOM }: { JSDOM: new (html: string, options: object) => { window: Record<string, unknown> } }): void {
  if ('window' in globalThis) return;
  const { window } = new JSDOM('', { url: 'http://localhost/' });
  window.matchMedia = () => ({ matches: false, addEventListener: () => undefined });
  class Watcher {
    observe(): void {}
    disconnect(): void {}
  }
  const page = Object.fromEntries(OF_THE_PAGE.map((name) => [name, window[name]]));
  const all = { ...page, window, self: globalThis, matchMedia: window.matchMedia, ResizeObserver: Watcher, IntersectionObserver: Watcher };
  for (const [name, value] of Object.entries(all)) {
    // Later versions of Node have some, which cannot be assigned.
    if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}

/** A component that is never drawn: called, made or extended. */
function StandIn(): void {}

/** What is not known is a stand-in that does nothing. */
function standInOf(version: string, source: DataSource): object {
  const known: Record<string, unknown> = {
    __esModule: true,
    LANGUAGES: [],
    t: (_key: string, text: string) => text,
    config: { buildInfo: { version }, theme2: {}, featureToggles: {}, bootData: { user: {} } },
    getDataSourceSrv: () => ({ get: async () => source, getList: () => [source], getInstanceSettings: () => source }),
    getDataSourceInstance: async () => source,
    getDataSourceInstanceList: async () => [source],
    getTemplateSrv: () => ({ replace: (text: string) => text }),
  };
  return new Proxy(known, {
    get(own, name: string) {
      if (!(name in own) && name !== 'then') own[name] = StandIn;
      return own[name];
    },
  });
}

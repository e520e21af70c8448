// Settings of messages whose variables are not there. Loads do not need them, so the file is not refused: a target without its address, key
// or recipients stays a target that nothing can be sent to, whose messages wait as those of one that is down.
import { type LackingTarget, sharedTargetFields } from './notify.ts';
import { formatPath, isMapping, mappingAt, type Path, type Remark } from './remarks.ts';
import type { YamlSource } from './yaml-source.ts';

const TARGETS = ['notify', 'targets'] as const;
const RULES = Object.keys(sharedTargetFields);

export type LackingNotify = Readonly<{
  /** Missing variables that are no mistake, as warnings. */
  warnings: readonly Remark[];
  /** Other mistakes of the file. */
  mistakes: readonly Remark[];
  /** The file without what cannot be resolved; without `notify` when that leaves no target. */
  value: unknown;
  /** Address of the pages, if it is written and has its variable. */
  pages: string | undefined;
  /** Targets that nothing can be sent to. */
  targets: readonly LackingTarget[];
}>;

/**
 * Separates what messages lack from what loads lack.
 * @param source as it is checked, in which texts without their variable are as written
 * @param unreadable the remarks of reading it
 * @param file its name, as reasons show it
 */
export function separateLackingNotify(source: YamlSource, unreadable: readonly Remark[], file: string): LackingNotify {
  const lacking = lackingPaths(source.value, [], source);
  const loadsLack = lacking.some(([section]) => section !== 'notify');
  const isTolerated = ({ lacksVariable, path: [section] }: Remark): boolean =>
    lacksVariable === true && (section === 'notify' || (String(section).startsWith('x-') && !loadsLack));
  const tolerated = unreadable.filter(isTolerated);
  const targets: LackingTarget[] = [];
  for (const [name, target] of Object.entries(mappingAt(source.value, TARGETS))) {
    const own = lacking.filter(([section, part, whose]) => section === 'notify' && part === 'targets' && whose === name);
    if (own.length === 0) continue;
    const lacks = new Set(own.map((path) => path[3]));
    const written = isMapping(target)
      ? Object.fromEntries(Object.entries(target).filter(([key]) => RULES.includes(key) && !lacks.has(key)))
      : {};
    targets.push({ name, reason: own.map((path) => reasonOf(path, tolerated, source, file)).join('; '), written });
  }
  const { pages } = mappingAt(source.value, ['notify']);
  const lacksPages = lacking.some((path) => formatPath(path) === 'notify.pages');
  return {
    mistakes: unreadable.filter((remark) => !isTolerated(remark)),
    warnings: tolerated.map((remark) => ({ ...remark, text: `${remark.text}; ${consequenceOf(remark.path)}` })),
    value: withoutLacking(source.value, new Set(targets.map(({ name }) => name)), lacksPages),
    pages: typeof pages === 'string' && !lacksPages ? pages : undefined,
    targets,
  };
}

function consequenceOf([section, part]: Path): string {
  if (section === 'notify' && part === 'pages') return 'until then messages have no links';
  return 'until then messages to the target wait, and loads go on';
}

/** Why nothing can be sent, with the place in the file. An alias leads to where its text is written. */
function reasonOf(path: Path, remarks: readonly Remark[], source: YamlSource, file: string): string {
  const remark =
    remarks.find((each) => formatPath(each.path) === formatPath(path)) ?? remarks.find(({ path: [section] }) => section !== 'notify');
  const { line, column } = remark?.position ?? source.positionOf(path);
  return `${file}:${line}:${column}: ${formatPath(path)}: ${remark?.text ?? 'lacks its variable'}`;
}

/** Paths of the texts that lack a variable. */
function lackingPaths(value: unknown, path: Path, source: YamlSource): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => lackingPaths(item, [...path, index], source));
  if (isMapping(value)) return Object.entries(value).flatMap(([key, item]) => lackingPaths(item, [...path, key], source));
  return typeof value === 'string' && value.includes('${') && source.lacksVariable(path) ? [path] : [];
}

function withoutLacking(value: unknown, names: ReadonlySet<string>, lacksPages: boolean): unknown {
  if (!isMapping(value) || !isMapping(value.notify)) return value;
  const { notify, ...others } = value;
  const { pages, ...rest } = notify as Record<string, unknown>;
  const targets = Object.fromEntries(Object.entries(mappingAt(value, TARGETS)).filter(([name]) => !names.has(name)));
  if (names.size > 0 && Object.keys(targets).length === 0) return others;
  return { ...others, notify: { ...rest, ...(pages !== undefined && !lacksPages && { pages }), targets } };
}

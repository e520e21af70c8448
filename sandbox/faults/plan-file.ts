// A fault plan as text: YAML, and therefore also JSON. Every mistake is reported with its line.
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { ConfigurationError, describeError } from '../../src/core/errors.ts';
import { checkFaultPlan, describeMistake, type FaultPlan } from './plan.ts';

/** `name` is what messages call the text. Throws ConfigurationError that lists all mistakes by line. */
export function parseFaultPlanText(written: string, name: string): FaultPlan {
  const lines = new LineCounter();
  const document = parseDocument(written, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const refuse = (sentences: readonly string[]): never => {
    throw new ConfigurationError(`the fault plan cannot be used:\n${sentences.map((sentence) => `  ${sentence}`).join('\n')}`);
  };
  if (document.errors.length > 0) refuse(document.errors.map(({ pos, message }) => `${at(pos[0])} ${message}`));
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    // An alias without an anchor, or too many aliases.
    refuse([`${name} ${describeError(error)}`]);
  }
  const checked = checkFaultPlan(value);
  if ('plan' in checked) return checked.plan;
  return refuse(checked.mistakes.map((mistake) => `${at(offsetOf(document.contents, mistake.path))} ${describeMistake(mistake)}`));
}

/** Where the value at a path begins; for a missing value, the mapping that lacks it. */
function offsetOf(contents: unknown, path: readonly PropertyKey[]): number {
  let offset = 0;
  let node: unknown = contents;
  for (const step of [undefined, ...path]) {
    if (step !== undefined) node = childOf(node, step);
    if (!isNode(node) || !node.range) return offset;
    offset = node.range[0];
  }
  return offset;
}

function childOf(node: unknown, step: PropertyKey): unknown {
  if (isMap(node)) return node.items.find(({ key }) => isScalar(key) && key.value === step)?.value;
  return isNode(node) && 'items' in node ? (node.items as unknown[])[Number(step)] : undefined;
}

// docs/architecture.md: the state diagram and the tables of error handling are generated from the code that decides; the rest of the page is
// written by hand.
import { readFileSync } from 'node:fs';
import { MINUTE, SECOND } from '../../src/core/clock.ts';
import { CANCELLED, REMOVED, type State, TRANSITIONS } from '../../src/ledger/states.ts';
import { type Outcome, STEP_RULES, SUBMIT_RULES, type Wait } from '../../src/pipeline/outcome.ts';
import { code, table } from './markdown.ts';

const PAGE = new URL('../../docs/architecture.md', import.meta.url);

export function architecturePage(): string {
  return Object.entries({ states: diagram, submits: submitTable, steps: stepTable }).reduce(
    (text, [name, content]) => fill(text, name, content()),
    readFileSync(PAGE, 'utf8'),
  );
}

/** Replaces the text between `<!-- name: ... -->` and `<!-- end -->`. */
function fill(text: string, name: string, content: string): string {
  const place = new RegExp(`(?<=^<!-- ${name}: .*-->\\n)[\\s\\S]*?(?=^<!-- end -->$)`, 'm');
  if (!place.test(text)) throw new Error(`docs/architecture.md has no place for ${name}`);
  return text.replace(place, () => `\n${content}\n\n`);
}

function diagram(): string {
  const ways = Object.entries(TRANSITIONS).flatMap(([from, followers]) =>
    Object.entries(followers)
      .filter(([, label]) => label !== CANCELLED && label !== REMOVED)
      .map(([to, label]) => `  ${from as State} --> ${to}: ${label}`),
  );
  return ['```mermaid', 'stateDiagram-v2', '  direction LR', '  [*] --> planned', ...ways, '```'].join('\n');
}

function submitTable(): string {
  const rows = SUBMIT_RULES.map(({ when, known = '', outcome }) => [when, known, describeOutcome(outcome, 'planned')]);
  return table(['Error of a submit', 'The query', 'Then'], rows);
}

function stepTable(): string {
  const rows = STEP_RULES.map(({ when, outcome }) => [when, describeOutcome(outcome, undefined)]);
  return table(['Error of a poll, page or publish', 'Then'], rows);
}

/** `state` is the state in which the execution waits, if it differs from the current one. */
function describeOutcome(outcome: Outcome, state: State | undefined): string {
  const stays = state === undefined ? '' : `${code(state)}, `;
  switch (outcome.kind) {
    case 'nothing':
      return 'nothing is written';
    case 'give-back':
      return `${stays}due as before`;
    case 'wait': {
      const counted = outcome.isCounted ? '' : '; not counted';
      return `${stays}again ${describeWait(outcome.wait)}${counted}${outcome.isShared ? '; its job waits with it' : ''}`;
    }
    case 'end': {
      const again = outcome.again ? `again ${describeWait(outcome.again)}` : 'until the next tick';
      return `${code(outcome.state)}, ${again}${outcome.isUnlimited ? '; max_submits does not count it' : ''}`;
    }
  }
}

function describeWait({ baseMs, maxMs, isAsked = false, isAtOnceFirst = false }: Wait): string {
  const span = baseMs === maxMs ? describeMs(baseMs) : `${describeMs(baseMs)} to ${describeMs(maxMs)}`;
  return `${isAtOnceFirst ? 'at once, then ' : ''}after ${isAsked ? 'Retry-After, or ' : ''}${span}`;
}

function describeMs(ms: number): string {
  return ms < MINUTE ? `${ms / SECOND} s` : `${ms / MINUTE} min`;
}

// What was found of an account: the page that the form of the bar leads to, and the hits that browser/find.ts shows under the box while
// somebody types.
import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type Choice, canonicalQuery, type Query } from './board-view.ts';
import type { Board } from './boards.ts';
import { FIND, LIST_ID, MAX_WANTED, WANTED } from './find-box.tsx';
import { type Frame, Layout, writePage } from './layout.tsx';
import type { FoundThing } from './sources.ts';
import { VARIABLES } from './variables.ts';

/** Most hits under the box. */
export const MAX_BOX_HITS = 8;

/** A thing that was found, with the address of its board. */
export type Hit = Readonly<{ variable: FoundThing['variable']; value: string; href: string }>;

/** All things that were found: of each kind how many, and the first of them. */
export type Hits = Readonly<{ first: readonly Hit[]; amounts: ReadonlyMap<FoundThing['variable'], number> }>;

export type Pair = readonly [name: string, value: string];

/** The address of the board that is about a thing, with other choices; undefined if there is none. */
export function linkTo(
  boards: readonly Pick<Board, 'name' | 'about'>[],
  { variable, value }: Omit<Hit, 'href'>,
  others: readonly Pair[],
): string | undefined {
  const board = boards.find(({ about }) => about === variable);
  const choices = new URLSearchParams(others.map(([name, each]) => [name, each]));
  choices.set(variable, value);
  return board && `/boards/${board.name}?${choices}`;
}

const labelOf = (variable: Hit['variable']): string => VARIABLES[variable].label;
const PLURALS: Readonly<Record<Hit['variable'], string>> = {
  keyword: 'Keywords',
  prompt: 'Prompts',
  page: 'Pages',
  site: 'Sites',
  topic: 'Topics',
};

/** Options of the box's list, the best first, and what a screen reader says of them. */
export function writeHits({ first, amounts }: Hits, more: string): string {
  const all = [...amounts.values()].reduce((sum, amount) => sum + amount, 0);
  const shown = first.slice(0, MAX_BOX_HITS);
  return renderToString(
    <div>
      {shown.map(({ variable, value, href }, at) => (
        <a key={href} id={`${LIST_ID}-${at}`} role="option" aria-selected="false" tabindex={-1} href={href}>
          <bdi>{value}</bdi> <span class="kind">{labelOf(variable)}</span>
        </a>
      ))}
      {all > shown.length && (
        <a id={`${LIST_ID}-${shown.length}`} role="option" aria-selected="false" tabindex={-1} href={more}>
          All {all.toLocaleString('en-US')} that were found
        </a>
      )}
      <output>{all === 0 ? 'Nothing was found' : `${all.toLocaleString('en-US')} found`}</output>
    </div>,
  );
}

type FindPage = Readonly<{ query: Query; account: Choice; faults: readonly string[]; wanted: string; hits: Hits }>;

export function findPage(frame: Frame, { query, account, faults, wanted, hits }: FindPage): string {
  const chosen = chosenOf(query, account);
  const title = wanted === '' ? 'Find' : `Find: ${wanted}`;
  return writePage(
    <Layout frame={frame} title={title} kind="find" chosen={chosen}>
      <h1>Find</h1>
      <form class="choices" method="get" action={FIND}>
        {[...chosen]
          .filter(([name]) => name !== 'account' && name !== WANTED)
          .map(([name, value]) => (
            <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
          ))}
        <div class="choice">
          <label for="find-account">{account.variable.label}</label>
          <select id="find-account" name="account">
            {account.options.map(({ value, label }) => (
              <option key={value} value={value} selected={account.chosen.includes(value)}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div class="choice">
          <label for="find-wanted">Keyword, prompt, page, site or topic</label>
          <input id="find-wanted" type="search" name={WANTED} value={wanted} maxLength={MAX_WANTED} />
        </div>
        <button type="submit">Find</button>
      </form>
      {faults.map((fault) => (
        <p key={fault} class="problem" role="alert">
          {fault}
        </p>
      ))}
      {wanted !== '' && faults.length === 0 && hits.first.length === 0 && (
        <p>No keyword, prompt, page, site or topic of the newest week has this text.</p>
      )}
      {[...hits.amounts].map(([variable, amount]) => (
        <FoundOfKind
          key={variable}
          title={PLURALS[variable]}
          amount={amount}
          hits={hits.first.filter((hit) => hit.variable === variable)}
        />
      ))}
    </Layout>,
  );
}

function FoundOfKind({ title, amount, hits }: Readonly<{ title: string; amount: number; hits: readonly Hit[] }>): JSX.Element {
  return (
    <section class="found">
      <h2>
        {title} <span class="fine">{hits.length < amount ? `first ${hits.length} of ${amount.toLocaleString('en-US')}` : amount}</span>
      </h2>
      <ul>
        {hits.map(({ value, href }) => (
          <li key={href}>
            <a href={href}>
              <bdi>{value}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** All that the address says, with the account that is shown. */
function chosenOf(query: Query, { chosen }: Choice): URLSearchParams {
  const pairs = Object.entries(canonicalQuery(query)).flatMap(([name, given]) =>
    name === 'account' ? [] : [given ?? []].flat().map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams([...chosen.map((value): [string, string] => ['account', value]), ...pairs]);
}

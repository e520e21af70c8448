// The page of a board: the choices as a form whose state is the address, then its panels.
import type { JSX } from 'preact';
import { nameSome } from '../core/name-some.ts';
import type { OwnDomain, Source } from '../warehouse/sources.ts';
import { Notes } from './annotations.tsx';
import { type BoardView, type Choice, newestWeek, type Query, SINCE, UNTIL } from './board-view.ts';
import type { Board } from './boards.ts';
import { Choosing, labelsOf } from './choosing.tsx';
import { InWords } from './in-words.tsx';
import { type Frame, Layout, writePage } from './layout.tsx';
import { BACK, chosenOf, type Place, writeChoices } from './links.ts';
import type { Panel } from './panel-file.ts';
import { Filters, findWide, PanelSection } from './panel-section.tsx';
import { localPath } from './sessions.ts';
import { readDays } from './variables.ts';

type Shown = Readonly<{
  query: Query;
  now: Date;
  /** The panel that has the page for itself. */
  alone?: Panel | undefined;
}>;

export function boardPage(frame: Frame, view: BoardView, { query, now, alone }: Shown): string {
  const { board, choices, faults, panels, values, sources, ownDomains, annotations } = view;
  const written = writeChoices(choices, query);
  const search = written.size > 0 ? `?${written}` : '';
  const home = `/boards/${board.name}`;
  const back = findBack(frame, query[BACK]);
  const action = alone ? `${home}/${alone.name}` : home;
  const wide = findWide(panels);
  const chosenFor = (target: string): URLSearchParams =>
    chosenOf(
      choices,
      query,
      board.about,
      frame.boards.find(({ name }) => name === target),
    );
  const place: Place = { here: `${action}?${withBack(written, back)}`, chosenFor };
  return writePage(
    <Layout
      frame={frame}
      title={alone ? `${alone.title} · ${board.title}` : board.title}
      current={board.name}
      kind="board"
      chosen={chosenOf(choices, query, board.about)}
    >
      {back && (
        <nav class="trail" aria-label="Way back">
          <a href={back.href}>Back to {back.title}</a>
        </nav>
      )}
      <header class="board">
        {alone ? (
          <p class="lead">
            <a href={`${home}${search}#${alone.name}`}>{board.title}</a>
          </p>
        ) : (
          <>
            <h1>{board.title}</h1>
            <Subject choices={choices} name={board.about} />
            <p class="lead">{board.question}</p>
          </>
        )}
      </header>
      {faults.length > 0 && (
        <div class="problem" role="alert">
          <p>
            The address contains values that cannot be shown;{' '}
            {panels.length > 0 ? 'they are left out or replaced by the default.' : 'choose others to see figures.'}
          </p>
          <ul>
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </div>
      )}
      {choices.length > 0 && <Choices action={action} choices={choices} kept={withBack(written, back)} isFolded={board.isFolded} />}
      {!alone && <InWords shown={panels} place={place} />}
      {(sources.length > 0 || faults.length === 0) && <AsOf sources={sources} now={now} />}
      {ownDomains && <OwnSites ownDomains={ownDomains} />}
      <div class={alone ? 'panels alone' : 'panels'}>
        {panels.map((shown) => (
          <PanelSection
            key={shown.panel.name}
            {...{ shown, choices, values, search, place, sources, annotations, query }}
            isWhole={wide.has(shown.panel.name)}
            isAlone={alone !== undefined}
          />
        ))}
        {values.account && <Notes accountId={values.account} notesAddress={frame.notesAddress} annotations={annotations} />}
      </div>
    </Layout>,
  );
}

type WayBack = Readonly<{ href: string; title: string }>;

/** The board that led here, which the address says. */
function findBack({ boards }: Frame, given: Query[string]): WayBack | undefined {
  const href = typeof given === 'string' ? localPath(given) : '/';
  const [, name] = /^\/boards\/([^/?#]+)/.exec(href) ?? [];
  const board = boards.find((each) => each.name === name);
  return board && { href, title: board.title };
}

function withBack(written: URLSearchParams, back: WayBack | undefined): URLSearchParams {
  return new URLSearchParams([...written, ...(back ? [[BACK, back.href] as [string, string]] : [])]);
}

/** What a board of one thing is about. */
function Subject({ choices, name }: Readonly<{ choices: readonly Choice[]; name: Board['about'] }>): JSX.Element | null {
  const value = choices.find(({ variable }) => variable.name === name)?.chosen[0];
  return value ? (
    <p class="subject">
      <bdi>{value}</bdi>
    </p>
  ) : null;
}

type ChoicesProps = Readonly<{
  action: string;
  choices: readonly Choice[];
  /** All that the address says. */
  kept: URLSearchParams;
  isFolded: boolean;
}>;

function Choices({ action, choices, kept, isFolded }: ChoicesProps): JSX.Element {
  const others = [...kept].filter(([name]) => choices.every(({ variable }) => variable.name !== name));
  const form = (
    <form class="choices" method="get" action={action}>
      {others.map(([name, value]) => (
        <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
      ))}
      {choices.map((choice) =>
        choice.variable.choice.kind === 'span' ? (
          <Span key={choice.variable.name} choice={choice} action={action} kept={kept} />
        ) : (
          <Choosing key={choice.variable.name} choice={choice} />
        ),
      )}
      <button type="submit">Show</button>
    </form>
  );
  if (!isFolded) return form;
  return (
    <details class="folded">
      <summary>{choices.map(tellChoice).filter(Boolean).join(' · ')}</summary>
      {form}
    </details>
  );
}

/** `Account: 12345`; nothing of what is as usual. */
function tellChoice(choice: Choice): string {
  const { variable, chosen } = choice;
  if (chosen.length === 0 || (chosen.join() === variable.default && variable.choice.kind !== 'span')) return '';
  return `${variable.label}: ${nameSome(labelsOf(choice), MAX_TOLD)}`;
}

/** Of several values, in one line. */
const MAX_TOLD = 3;
const PRESETS: readonly (readonly [value: string, label: string])[] = [
  ['4', '4'],
  ['13', '13'],
  ['26', '26'],
  ['52', '52'],
  ['year', 'this year'],
];

type SpanProps = Pick<ChoicesProps, 'action' | 'kept'> & Readonly<{ choice: Choice }>;

/** Numbers of weeks to go to, or two days to write. */
function Span({ choice: { variable, chosen }, action, kept }: SpanProps): JSX.Element {
  const { name, label } = variable;
  const value = chosen[0] ?? '';
  const days = readDays(value);
  const others = days || PRESETS.some(([preset]) => preset === value) ? [] : [[value, value] as const];
  const addressOf = (weeks: string): string => {
    const query = new URLSearchParams(kept);
    query.set(name, weeks);
    return `${action}?${query}`;
  };
  return (
    <fieldset class="weeks">
      <legend>{label}</legend>
      {!days && <input type="hidden" name={name} value={value} />}
      <span class="presets">
        {[...PRESETS, ...others].map(([preset, text]) => (
          <a key={preset} class="preset" href={addressOf(preset)} aria-current={preset === value ? 'true' : undefined}>
            {text}
            {text === preset && <span class="hidden"> weeks</span>}
          </a>
        ))}
      </span>
      <label>
        From <input type="date" name={SINCE} value={days?.since ?? ''} />
      </label>
      <label>
        to <input type="date" name={UNTIL} value={days?.until ?? ''} />
      </label>
    </fieldset>
  );
}

/** How new the data is, and the filters behind it. */
function AsOf({ sources, now }: Readonly<{ sources: readonly Source[]; now: Date }>): JSX.Element {
  const newest = newestWeek(sources);
  const published = Math.max(0, ...sources.map(({ publishedAt }) => publishedAt?.getTime() ?? 0));
  return (
    <details class="as-of">
      <summary>
        {newest === undefined ? (
          'Nothing has been published yet'
        ) : (
          <>
            Data through the week of <time>{newest}</time>, last published <time>{showTime(new Date(published))}</time>
          </>
        )}
      </summary>
      <p class="fine">Read {showTime(now)}, all panels at one moment. These jobs load it, with these filters:</p>
      <Filters sources={sources} />
    </details>
  );
}

const MAX_SITES = 10;

/** Rankings do not say which sites are ours. */
function OwnSites({ ownDomains }: Readonly<{ ownDomains: readonly OwnDomain[] }>): JSX.Element {
  const shown = ownDomains.slice(0, MAX_SITES).map(({ domain }) => domain);
  const rest = ownDomains.length - shown.length;
  const names = `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  if (shown.length === 0) {
    return <p class="as-of warning">No site is known to be ours, so all searches count as absent: set own_domains in jobs.config.yaml.</p>;
  }
  return (
    <p class="as-of fine">
      Our sites: <bdi>{names}</bdi>.{' '}
      {ownDomains[0]?.source === 'cited' &&
        'They were found in citations attributed to You; set own_domains in jobs.config.yaml to define them.'}
    </p>
  );
}

function showTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

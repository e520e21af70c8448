// The routes of the page Find and of the hits under the box in the bar.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Pool } from '../postgres/pool.ts';
import { canonicalQuery, chooseValues, type Query } from './board-view.ts';
import type { Board } from './boards.ts';
import { findPage, type Hits, linkTo, MAX_BOX_HITS, type Pair, writeHits } from './find.tsx';
import { FIND, MAX_WANTED, WANTED } from './find-box.tsx';
import type { Frame } from './layout.tsx';
import { inSnapshot } from './run-panels.ts';
import { type FoundThing, findThings } from './sources.ts';
import { isVariableName } from './variables.ts';

/** Most hits of each kind on the page. */
const MAX_PAGE_HITS = 50;
const HTML = 'text/html; charset=utf-8';

export type FindContext = Readonly<{
  pool: Pool;
  boards: readonly Board[];
  frame: Frame;
  /** A signal that aborts when the connection closes. */
  untilGone: (reply: FastifyReply) => AbortSignal;
}>;

/** Serves both below /find, unless no board has an account to look in. */
export function serveFind(server: FastifyInstance, { pool, boards, frame, untilGone }: FindContext): void {
  const account = boards.flatMap(({ variables }) => variables).find(({ name }) => name === 'account');
  const [board] = boards;
  if (!account || !board) return;
  const choosing: Board = { ...board, about: undefined, variables: [account] };

  const look = (query: Query, most: number, gone: AbortSignal) =>
    inSnapshot(
      pool,
      async (client) => {
        const { choices, values, faults: unknown } = await chooseValues(client, choosing, query);
        const wanted = String([query[WANTED] ?? ''].flat()[0] ?? '').trim();
        const fault =
          wanted.length > MAX_WANTED || wanted.includes('\0') ? `expected a text of at most ${MAX_WANTED} characters` : undefined;
        const faults = fault === undefined ? unknown : [...unknown, fault];
        const isAsked = wanted !== '' && faults.length === 0 && values.account;
        const things = isAsked ? await findThings(client, { accountId: values.account ?? '', wanted, most }) : [];
        return {
          choice: choices[0],
          account: values.account ?? undefined,
          wanted,
          faults,
          hits: hitsOf(boards, query, values.account, things),
        };
      },
      gone,
    );

  server.get<{ Querystring: Query }>(FIND, async (request, reply) => {
    const query = canonicalQuery(request.query);
    const { choice, wanted, faults, hits } = await look(query, MAX_PAGE_HITS, untilGone(reply));
    if (!choice) throw new Error('the account is a choice of this page');
    return reply
      .code(faults.length > 0 ? 400 : 200)
      .type(HTML)
      .send(findPage(frame, { query, account: choice, faults, wanted, hits }));
  });
  server.get<{ Querystring: Query }>(`${FIND}/hits`, async (request, reply) => {
    const query = canonicalQuery(request.query);
    const { faults, hits } = await look(query, MAX_BOX_HITS, untilGone(reply));
    const more = `${FIND}?${new URLSearchParams(request.url.split('?')[1] ?? '')}`;
    return reply
      .code(faults.length > 0 ? 400 : 200)
      .type(HTML)
      .send(writeHits(hits, more));
  });
}

/** What was found, with links to the boards that are about it. Other choices of the address go along. */
function hitsOf(boards: readonly Board[], query: Query, account: string | null | undefined, things: readonly FoundThing[]): Hits {
  const kept = Object.entries(query).flatMap(([name, given]) =>
    isVariableName(name) && name !== 'account' ? [given ?? []].flat().map((value): Pair => [name, value]) : [],
  );
  const choices: readonly Pair[] = [...(account ? [['account', account] as const] : []), ...kept];
  const first = things.flatMap(({ variable, value }) => {
    const href = linkTo(boards, { variable, value }, choices);
    return href === undefined ? [] : [{ variable, value, href }];
  });
  return { first, amounts: new Map(things.map(({ variable, found }) => [variable, found])) };
}

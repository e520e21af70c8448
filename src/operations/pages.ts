// The operators' pages: routes on the same server as the boards, with the same headers and sessions.
import type { FastifyReply } from 'fastify';
import { isIsoDate } from '../core/weeks.ts';
import type { MorePages } from '../dashboards/pages.ts';
import { readAnnotations } from '../ledger/annotations.ts';
import type { Pool } from '../postgres/pool.ts';
import { type Reload, serveActions } from './actions.ts';
import { jobPage } from './job-page.tsx';
import { NOTES, notesPage } from './notes-page.tsx';
import { operationsPage } from './overview-page.tsx';
import { OPERATIONS, weekAddress } from './parts.tsx';
import { type Choice, readOverview } from './read-overview.ts';
import { readJob, readWeek } from './read-week.ts';
import { weekPage } from './week-page.tsx';

const HTML = 'text/html; charset=utf-8';
const DEFAULT_WEEKS = 13;
const MAX_WEEKS = 260;
const MAX_NAME = 100;

type Options = Readonly<{
  /** Made by createPanelPool, for a role that may read the ledger and its staging. */
  pool: Pool;
  /** For actions: may write the ledger. */
  writer: Pool;
  reload: Reload;
}>;

export function operationsPages({ pool, writer, reload }: Options): MorePages {
  return {
    notesAddress: NOTES,
    links: [{ name: 'operations', href: OPERATIONS, label: 'Operations' }],
    serve(server, context) {
      const { frame, sendMessage } = context;
      serveActions(server, context, { pool: writer, reload });
      const notFound = (reply: FastifyReply, text = 'The ledger has no job of this name.'): FastifyReply =>
        sendMessage(reply, 404, { title: 'Not found', text });
      server.get<{ Querystring: Record<string, string | string[] | undefined> }>(OPERATIONS, async ({ query }, reply) =>
        reply.type(HTML).send(operationsPage(frame, await readOverview(pool, chooseWeeks(query)))),
      );
      server.get<{ Querystring: Record<string, string | string[] | undefined> }>(NOTES, async ({ query, session }, reply) => {
        const { account } = query;
        if (typeof account !== 'string' || !/^\d{1,18}$/.test(account)) return notFound(reply, 'The address does not name an account.');
        const notes = (await readAnnotations(pool, account)).filter(({ kind }) => kind === 'note');
        return reply.type(HTML).send(notesPage(frame, { account, notes }, session));
      });
      server.get<{ Params: { job: string } }>(`${OPERATIONS}/jobs/:job`, async (request, reply) => {
        const view = await readJob(pool, request.params.job);
        return view ? reply.type(HTML).send(jobPage(frame, view, request.session)) : notFound(reply);
      });
      server.get<{ Params: { job: string; week: string } }>(`${OPERATIONS}/jobs/:job/:week`, async (request, reply) => {
        const { params } = request;
        if (!isIsoDate(params.week)) return notFound(reply, 'Name a week by its first day, such as 2026-11-08.');
        const view = await readWeek(pool, params.job, params.week);
        if (!view) return notFound(reply);
        if (view.week !== params.week) return reply.redirect(weekAddress(params.job, view.week));
        return reply.type(HTML).send(weekPage(frame, view, request.session));
      });
    },
  };
}

/** Reads the query of the address; invalid values are replaced by defaults, and large ones are capped. */
function chooseWeeks(query: Readonly<Record<string, string | string[] | undefined>>): Choice {
  const whole = (name: string, fallback: number, max: number): number => {
    const value = Number(query[name]);
    return Number.isInteger(value) && value >= 1 ? Math.min(value, max) : fallback;
  };
  const { name } = query;
  return {
    weeks: whole('weeks', DEFAULT_WEEKS, MAX_WEEKS),
    name: typeof name === 'string' ? name.slice(0, MAX_NAME) : '',
    page: whole('page', 1, 1_000),
  };
}

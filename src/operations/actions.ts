// The actions of the operators' pages: the same functions as the command line, behind the password. Each records who did it.
import type { FastifyInstance } from 'fastify';
import { ConfigurationError, describeError } from '../core/errors.ts';
import { onOneLine } from '../core/invisible.ts';
import { type IsoDate, isIsoDate } from '../core/weeks.ts';
import type { MorePagesContext } from '../dashboards/pages.ts';
import { localPath } from '../dashboards/sessions.ts';
import { type Actor, LONGEST_REASON } from '../ledger/actions.ts';
import { addNote, removeNote } from '../ledger/annotations.ts';
import { cancelLoads } from '../ledger/cancel.ts';
import { approveHeld, discardHeld } from '../ledger/endings.ts';
import { pause, readPausables, resume } from '../ledger/pauses.ts';
import type { Pool } from '../postgres/pool.ts';
import { OPERATIONS } from './parts.tsx';

export const ACTIONS = `${OPERATIONS}/actions`;

/** Plans a load of one week of a job, whether or not it is published. Throws ConfigurationError when this process cannot. */
export type Reload = (job: string, week: IsoDate, by: Actor) => Promise<void>;

type Control = Readonly<{
  /** Connects with a role that may write the ledger. */
  pool: Pool;
  reload: Reload;
}>;

/** The fields of a form as sent. */
type Form = Readonly<Record<string, string | undefined>>;

/** By the form's `action`. Throws ConfigurationError when there is nothing to act on or a field is invalid; StoreError. */
const ACTIONS_BY_NAME: Readonly<Record<string, (control: Control, form: Form, by: Actor) => Promise<unknown>>> = {
  approve: async ({ pool }, form, by) => requireSome(await approveHeld(pool, heldOf(form), by)),
  discard: async ({ pool }, form, by) => requireSome(await discardHeld(pool, heldOf(form), by)),
  cancel: async ({ pool }, form, by) => {
    const span = { from: weekOf(form, 'from'), to: weekOf(form, 'until') };
    const cancelled = await cancelLoads(pool, await knownJob(pool, form), span, by);
    if (cancelled.length === 0) throw new ConfigurationError('it has no running loads any more');
  },
  reload: ({ reload }, form, by) => reload(requireField(form, 'job'), weekOf(form, 'from'), by),
  pause: async ({ pool }, form, by) => pause(pool, 'job', await knownJob(pool, form), by),
  resume: async ({ pool }, form, by) => resume(pool, 'job', await knownJob(pool, form), by),
  note: ({ pool }, form, by) =>
    addNote(pool, { accountId: numberOf(form, 'account'), day: weekOf(form, 'day'), text: requireField(form, 'text') }, by),
  remove_note: ({ pool }, form, by) => removeNote(pool, Number(numberOf(form, 'note')), by),
};

export function serveActions(server: FastifyInstance, { sendMessage }: Pick<MorePagesContext, 'sendMessage'>, control: Control): void {
  server.post<{ Body: URLSearchParams | undefined }>(ACTIONS, async (request, reply) => {
    const form: Form = Object.fromEntries(request.body ?? []);
    const { session } = request;
    if (!session) {
      const text =
        'Decisions can be made here only if the pages have a password: set OPS_PASSWORD, or use the command that the page shows.';
      return sendMessage(reply, 403, { title: 'This needs a password', text });
    }
    if (form.formToken !== session.formToken) {
      return sendMessage(reply, 403, {
        title: 'This form is too old',
        text: 'It belongs to another session. Open the page again and decide there.',
      });
    }
    const act = Object.hasOwn(ACTIONS_BY_NAME, form.action ?? '') ? ACTIONS_BY_NAME[form.action ?? ''] : undefined;
    if (!act) return sendMessage(reply, 400, { title: 'This cannot be done', text: 'The form names an unknown action.' });
    const by = { name: `${session.name || 'somebody'} on the pages`, reason: onOneLine(form.reason ?? '').slice(0, LONGEST_REASON) };
    try {
      await act(control, form, by);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return sendMessage(reply, 409, { title: 'Nothing was done', text: describeError(error) });
    }
    return reply.redirect(localPath(form.to), 303);
  });
}

function requireSome(decided: readonly unknown[]): void {
  if (decided.length === 0) throw new ConfigurationError('it is no longer held: it was already decided on, or planned again');
}

function requireField(form: Form, name: string): string {
  const value = form[name];
  if (!value) throw new ConfigurationError(`the form has no ${name}`);
  return value;
}

/** The execution that the page showed, not whatever is held now: another held answer needs a decision of its own. */
function heldOf(form: Form): { executionId: number } {
  return { executionId: Number(numberOf(form, 'execution')) };
}

function numberOf(form: Form, name: string): string {
  const value = requireField(form, name);
  if (!/^[1-9]\d{0,17}$/.test(value)) throw new ConfigurationError(`the form names no ${name}`);
  return value;
}

function weekOf(form: Form, name: string): IsoDate {
  const week = requireField(form, name);
  if (!isIsoDate(week)) throw new ConfigurationError('the form names no week');
  return week;
}

async function knownJob(pool: Pool, form: Form): Promise<string> {
  const job = requireField(form, 'job');
  const known = await readPausables(pool);
  if (!known.some(({ kind, name }) => kind === 'job' && name === job)) throw new ConfigurationError(`the ledger has no job "${job}"`);
  return job;
}

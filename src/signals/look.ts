// Looks of rules at weeks. A look is due when what it follows from has changed: a week was published, held, revised or is being revised, own sites or
// thresholds are others. One process at a time looks; readers leave a week's signals out from its change until the next look.
import { createHash } from 'node:crypto';
import type { SignalSettings } from '../config/settings.ts';
import { SECOND } from '../core/clock.ts';
import { describeError, isPassing } from '../core/errors.ts';
import { cutText, onOneLine } from '../core/invisible.ts';
import type { Logger } from '../core/log.ts';
import { labelOf } from '../dashboards/labels.ts';
import type { Client, Pool } from '../warehouse/pool.ts';
import {
  type DueLook,
  type Finding,
  findDueLooks,
  forgetLooks,
  isStillDue,
  type KnownRule,
  takeSignalsTurn,
  writeLook,
} from '../warehouse/signals.ts';
import { asStoreError, codeOf } from '../warehouse/store-errors.ts';
import { inSavepoint, inTransaction } from '../warehouse/transaction.ts';
import type { Rule } from './rule-file.ts';

export const LOOK_EVERY_MS = 30 * SECOND;
/** Weeks of an account, from the newest back, that rules look at. */
const WATCHED_WEEKS = 13;
/** The rest follows at the next round. */
const MAX_ROUND_MS = 20 * SECOND;
/** Looks of a round that may fail: where the database is away, all would. */
const MAX_FAILURES = 10;
const RULE_TIMEOUT_MS = 15 * SECOND;
/** Of a rule and week; a site that vanishes from all searches is one thing to be told, not thousands. */
const MAX_FOUND = 500;
const MAX_TEXT = 500;
/** Characters of a subject; a longer one is cut, and tells itself apart by its digest. */
const MAX_SUBJECT = 500;
const CUT_SUBJECT = 400;
/** SQLSTATE of a statement that was cancelled, as its timeout does. */
const TOO_SLOW = '57014';

/** Looks at what is due, the newest weeks first. A look that fails is logged, and the others go on. Throws the first StoreError at the end. */
export async function lookForSignals(
  pool: Pool,
  rules: readonly Rule[],
  { isEnabled, thresholds }: SignalSettings,
  { log, signal, watchedWeeks = WATCHED_WEEKS }: Readonly<{ log: Logger; signal?: AbortSignal; watchedWeeks?: number }>,
): Promise<void> {
  const own = isEnabled ? rules : [];
  const known = own.map((rule, place): KnownRule => {
    const { name, title, datasets, weeks } = rule;
    return { name, place, title, datasets, weeks, digest: digestOf(rule, thresholds) };
  });
  const started = performance.now();
  const failures: unknown[] = [];
  for (const look of await findDueLooks(pool, known, watchedWeeks)) {
    if (failures.length === MAX_FAILURES || performance.now() - started > MAX_ROUND_MS) break;
    const rule = own.find(({ name }) => name === look.rule);
    const about = known.find(({ name }) => name === look.rule);
    if (!rule || !about) continue;
    try {
      await inTransaction(pool, (client) => lookOnce(client, { look, rule, about, thresholds }), { isSnapshot: true, signal });
    } catch (error) {
      if (signal?.aborted) throw error;
      failures.push(error);
      log.warn({ account: look.accountId, week: look.week, rule: look.rule, err: describeError(error) }, 'evaluating a rule failed');
    }
  }
  if (failures.length > 0) throw failures[0];
  await inTransaction(
    pool,
    (client) =>
      forgetLooks(
        client,
        own.map(({ name }) => name),
      ),
    { signal },
  );
}

type Look = Readonly<{ look: DueLook; rule: Rule; about: KnownRule; thresholds: SignalSettings['thresholds'] }>;

async function lookOnce(client: Client, { look, rule, about, thresholds }: Look): Promise<void> {
  if (!(await takeSignalsTurn(client))) return;
  // What the rule reads and what its look follows from are of one moment. A week that has changed since the round began comes with the next.
  if (!(await isStillDue(client, look, about, WATCHED_WEEKS))) return;
  let failure = '';
  await client.query(`SET LOCAL statement_timeout = ${RULE_TIMEOUT_MS}`);
  const isWritten = await inSavepoint(
    client,
    async () => {
      await writeLook(client, look, about, await ask(client, rule, { ...thresholds, account: look.accountId, week: look.week }));
      return true;
    },
    (error) => {
      const refused = asStoreError(error);
      failure = describeError(refused);
      // A rule that is too slow would be as slow the next time, and keep all behind it from their turn.
      return codeOf(error) === TOO_SLOW || !isPassing(refused);
    },
  );
  if (!isWritten) await writeLook(client, look, about, `the rule failed: ${failure}`);
}

type FoundRow = Readonly<{
  subject: string | null;
  text: string;
  weight: string | null;
  about: Readonly<Record<string, string | null>>;
  silence: string | null;
}>;

/** What a rule found, the weightiest first, or why it says nothing. */
async function ask(client: Client, { text, parameters }: Rule, values: Readonly<Record<string, unknown>>): Promise<Finding[] | string> {
  const { rows } = await client.query<FoundRow>(
    text,
    parameters.map((name) => values[name]),
  );
  const silence = rows.find((row) => row.silence !== null)?.silence;
  if (silence) return silence;
  return rows
    .flatMap(({ subject, weight, about, ...row }): Finding[] => {
      const named = row.text?.replace('{assistant}', labelOf('assistant', about.assistant ?? ''));
      return subject === null || weight === null
        ? []
        : [{ subject: keyOf(subject), text: cutText(onOneLine(named), MAX_TEXT), weight, about }];
    })
    .sort((a, b) => Number(b.weight) - Number(a.weight))
    .slice(0, MAX_FOUND);
}

/** A subject as an index can hold it. The full one is in what the signal is about. */
function keyOf(subject: string): string {
  const characters = [...subject];
  if (characters.length <= MAX_SUBJECT) return subject;
  return `${characters.slice(0, CUT_SUBJECT).join('')} ${createHash('sha256').update(subject).digest('hex')}`;
}

function digestOf(rule: Rule, thresholds: SignalSettings['thresholds']): string {
  const own = rule.thresholds.map((name) => thresholds[name]);
  return createHash('sha256')
    .update(JSON.stringify([rule.text, rule.title, own]))
    .digest('hex')
    .slice(0, 32);
}

// Evaluates rules on weeks; one evaluation is a look. A look is due when its inputs have changed: a week was published, held, revised or is
// being revised, or own sites or thresholds changed. One process at a time evaluates. From a week's change until its next look, readers leave
// the week's signals out.
import { createHash } from 'node:crypto';
import type { SignalSettings } from '../config/settings.ts';
import { SECOND } from '../core/clock.ts';
import { describeError, isPassing } from '../core/errors.ts';
import { cutText, onOneLine } from '../core/invisible.ts';
import type { Logger } from '../core/log.ts';
import { labelOf } from '../dashboards/labels.ts';
import {
  type DueLook,
  type Finding,
  findDueLooks,
  forgetLooks,
  isStillDue,
  type KnownRule,
  takeSignalsTurn,
  writeLook,
} from '../ledger/signals.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { asStoreError, codeOf } from '../postgres/store-errors.ts';
import { inSavepoint, inTransaction } from '../postgres/transaction.ts';
import type { Rule } from './rule-file.ts';

export const LOOK_EVERY_MS = 30 * SECOND;
/** Number of newest weeks of an account on which rules are evaluated. */
const WATCHED_WEEKS = 13;
/** After this time the remaining looks wait for the next round. */
const MAX_ROUND_MS = 20 * SECOND;
/** A round ends after this many failures: during a database outage every look would fail. */
const MAX_FAILURES = 10;
const RULE_TIMEOUT_MS = 15 * SECOND;
/** Most signals of one rule and week: a site that vanishes from all searches must not give thousands. */
const MAX_FOUND = 500;
const MAX_TEXT = 500;
/** Most characters of a subject. A longer one is cut and gets a digest appended, so that it stays unique. */
const MAX_SUBJECT = 500;
const CUT_SUBJECT = 400;
/** SQLSTATE query_canceled, raised by statement_timeout. */
const TOO_SLOW = '57014';

/** Does the due looks, newest weeks first. A look that fails is logged, and the others continue. Throws the first failure at the end. */
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
  // Checked in the rule's snapshot, so that the look's inputs and the rule's rows agree. A week that has changed since waits for the next round.
  if (!(await isStillDue(client, look, about, WATCHED_WEEKS))) return;
  let failure = '';
  await client.query(`SET LOCAL statement_timeout = ${RULE_TIMEOUT_MS}`);
  const isWritten = await inSavepoint(
    client,
    async () => {
      await writeLook(client, look, about, await ask(client, rule, thresholds, look));
      return true;
    },
    (error) => {
      const refused = asStoreError(error);
      failure = describeError(refused);
      // Retrying a rule that is too slow would delay all looks after it again, so its failure is stored.
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

/**
 * The rule's findings, largest weight first, or the reason why it cannot say anything. A rule weighs what it finds in the unit of its first
 * threshold. The weight that is stored is a multiple of the threshold, so findings of different rules can be sorted.
 */
async function ask(
  client: Client,
  { text, parameters, thresholds: [first = ''], from }: Rule,
  thresholds: SignalSettings['thresholds'],
  { accountId, week }: DueLook,
): Promise<Finding[] | string> {
  const values: Readonly<Record<string, unknown>> = { ...thresholds, account: accountId, week };
  const unit = thresholds[first] || 1;
  const { rows } = await client.query<FoundRow>(
    text,
    parameters.map((name) => values[name]),
  );
  const silence = rows.find((row) => row.silence !== null)?.silence;
  if (silence) return silence;
  return rows
    .flatMap(({ subject, weight, about, ...row }): Finding[] => {
      const named = row.text && nameIn(row.text, about);
      return subject === null || weight === null
        ? []
        : [
            {
              subject: keyOf(subject),
              text: cutText(onOneLine(named), MAX_TEXT),
              weight: String(Number(weight) / unit),
              about: { ...about, panel: from },
            },
          ];
    })
    .sort((a, b) => Number(b.weight) - Number(a.weight))
    .slice(0, MAX_FOUND);
}

/** A sentence with readable names in place of `{assistant}`, with which it begins, and of the last `{tracked}`: a keyword before it may hold one. */
function nameIn(text: string, { assistant, device, engine, country }: FoundRow['about']): string {
  const named = text.replace(/^\{assistant\}/, () => labelOf('assistant', assistant ?? ''));
  if (device === undefined && engine === undefined && country === undefined) return named;
  const tracked = [device, engine, country].filter(Boolean).join(', ') || '(unknown)';
  return named.replace(/\{tracked\}(?=[^{}]*$)/, () => labelOf('tracked', tracked));
}

/** A subject short enough for an index. The full one is in the signal's `about`. */
function keyOf(subject: string): string {
  const characters = [...subject];
  if (characters.length <= MAX_SUBJECT) return subject;
  return `${characters.slice(0, CUT_SUBJECT).join('')} ${createHash('sha256').update(subject).digest('hex')}`;
}

function digestOf(rule: Rule, thresholds: SignalSettings['thresholds']): string {
  const own = rule.thresholds.map((name) => thresholds[name]);
  return createHash('sha256')
    .update(JSON.stringify([rule.text, rule.title, rule.from, own]))
    .digest('hex')
    .slice(0, 32);
}

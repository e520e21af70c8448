// Looks of rules at weeks. A look is due when what it follows from has changed: a week was published, held, revised or is being revised, own sites or
// thresholds are others. One process at a time looks; readers leave a week's signals out from its change until the next look.
import { createHash } from 'node:crypto';
import type { SignalSettings } from '../config/settings.ts';
import { SECOND } from '../core/clock.ts';
import { describeError, isPassing } from '../core/errors.ts';
import { cutText, onOneLine } from '../core/invisible.ts';
import { labelOf } from '../dashboards/labels.ts';
import type { Client, Pool } from '../warehouse/pool.ts';
import { type DueLook, type Finding, findDueLooks, forgetLooks, type KnownRule, takeSignalsTurn, writeLook } from '../warehouse/signals.ts';
import { asStoreError } from '../warehouse/store-errors.ts';
import { inSavepoint, inTransaction } from '../warehouse/transaction.ts';
import type { Rule } from './rule-file.ts';

export const LOOK_EVERY_MS = 30 * SECOND;
/** Weeks of an account, from the newest back, that rules look at. */
const WATCHED_WEEKS = 13;
/** The rest follows at the next round. */
const MAX_ROUND_MS = 20 * SECOND;
const RULE_TIMEOUT_MS = 15 * SECOND;
/** Of a rule and week; a site that vanishes from all searches is one thing to be told, not thousands. */
const MAX_FOUND = 500;
const MAX_TEXT = 500;

/** Looks at what is due, the newest weeks first. Throws StoreError; what was looked at stays. */
export async function lookForSignals(
  pool: Pool,
  rules: readonly Rule[],
  { isEnabled, thresholds }: SignalSettings,
  signal?: AbortSignal,
): Promise<void> {
  const own = isEnabled ? rules : [];
  const known = own.map((rule, place): KnownRule => {
    const { name, title, datasets } = rule;
    return { name, place, title, datasets, digest: digestOf(rule, thresholds) };
  });
  const started = performance.now();
  for (const look of await findDueLooks(pool, known, WATCHED_WEEKS)) {
    if (signal?.aborted || performance.now() - started > MAX_ROUND_MS) return;
    const rule = own.find(({ name }) => name === look.rule);
    const about = known.find(({ name }) => name === look.rule);
    if (rule && about)
      await inTransaction(pool, (client) => lookOnce(client, { look, rule, about, thresholds }), { isSnapshot: true, signal });
  }
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
  let failure = '';
  await client.query(`SET LOCAL statement_timeout = ${RULE_TIMEOUT_MS}`);
  const found = await inSavepoint(
    client,
    () => ask(client, rule, { ...thresholds, account: look.accountId, week: look.week }),
    (error) => {
      const refused = asStoreError(error);
      failure = describeError(refused);
      return !isPassing(refused);
    },
  );
  await writeLook(client, look, about, found ?? `the rule failed: ${failure}`);
}

type FoundRow = Readonly<{
  subject: string | null;
  text: string;
  weight: string | null;
  about: Readonly<Record<string, string | null>>;
  silence: string | null;
}>;

/** What it found, the weightiest first, or why it says nothing. */
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
      return subject === null || weight === null ? [] : [{ subject, text: cutText(onOneLine(named), MAX_TEXT), weight, about }];
    })
    .sort((a, b) => Number(b.weight) - Number(a.weight))
    .slice(0, MAX_FOUND);
}

function digestOf(rule: Rule, thresholds: SignalSettings['thresholds']): string {
  const own = rule.thresholds.map((name) => thresholds[name]);
  return createHash('sha256')
    .update(JSON.stringify([rule.text, rule.title, own]))
    .digest('hex')
    .slice(0, 32);
}

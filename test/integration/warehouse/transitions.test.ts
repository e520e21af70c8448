// Each statement that sets a state names its ways in its header; here it is run on an execution in every state, and may lead where it says.
import { describe, expect, it } from 'vitest';
import { compareText } from '../../../src/core/compare-text.ts';
import { END_STATES, LIVE_STATES, type State, statesBefore, TRANSITIONS } from '../../../src/ledger/states.ts';
import { compileStatement } from '../../../src/postgres/named-parameters.ts';
import { readStatements } from '../../../src/postgres/statement-files.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { planWindow } from '../../support/window-steps.ts';

const ledger = useLedger();
const STATES: readonly State[] = [...LIVE_STATES, ...END_STATES];
const texts = [...readStatements()];
/** `from -> to`, sorted, as a header says it. */
const waysIn = (text: string): string[] =>
  [...(/^-- States: ([^.]*)\./m.exec(text)?.[1] ?? '').matchAll(/\w+ -> \w+/g)].map(([way]) => way).toSorted(compareText);
const SETS_STATE = /\bSET (?:(?!\b(?:WHERE|FROM)\b)[\s\S])*?(?<![.\w])state = /;
const setting = texts.filter(([, text]) => /UPDATE searchmill\.executions/.test(text) && SETS_STATE.test(text));

/** What a statement is given so that nothing but the state stands against it. */
const VALUES: Readonly<Record<string, unknown>> = {
  leaseToken: 1,
  sliceId: null,
  job: null,
  remoteExecutionId: 'r1',
  requestId: null,
  validityMs: 60_000,
  firstPollMs: 0,
  objections: '[]',
  elapsedMs: 1,
  rows: 0,
  weekRows: null,
  reason: 'a reason',
  errorCode: null,
  pagesBefore: 0,
  pagesAfter: 1,
  nextCursor: 'next',
  totalRowCount: null,
  rowSchema: null,
  cursorAnchor: null,
  keyVersion: 2,
};

/** An execution of its own in `state`. */
async function executionIn(state: State): Promise<number> {
  const { pool } = ledger;
  const job = jobOf();
  await planWindow(pool, job);
  const isLive = (LIVE_STATES as readonly string[]).includes(state);
  const { rows } = await pool.query<{ id: number }>(
    `UPDATE searchmill.executions e
        SET state = $2, lease_token = 1, submit_started_at = now(), submitted_at = now(), expires_at = now() + interval '1 day',
            remote_execution_id = 'r1', objections = '[]', end_reason = CASE WHEN $3 THEN NULL ELSE 'a test' END,
            next_cursor = CASE $2 WHEN 'loading' THEN 'cursor' END,
            ended_at = CASE WHEN $3 THEN NULL ELSE now() END, due_at = CASE WHEN $3 AND $2 <> 'held' THEN now() END
       FROM searchmill.slices s WHERE s.id = e.slice_id AND s.job = $1 RETURNING e.id`,
    [job.name, state, isLive],
  );
  return rows[0]?.id ?? 0;
}

/** The ways that a statement takes, over all states, with these values. */
async function waysOf(text: string, values: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
  const { text: sql, parameters } = compileStatement(text);
  const ways: string[] = [];
  for (const from of STATES) {
    const client = await ledger.pool.connect();
    try {
      const executionId = await executionIn(from);
      const given = { ...VALUES, executionId, ...values };
      // Figures that do not matter are 0.
      const ordered = parameters.map((name) => (Object.hasOwn(given, name) ? given[name as keyof typeof given] : 0));
      await client.query('BEGIN');
      await client.query(sql, ordered);
      const { rows } = await client.query<{ state: State }>('SELECT state FROM searchmill.executions WHERE id = $1', [executionId]);
      if (rows[0] && rows[0].state !== from) ways.push(`${from} -> ${rows[0].state}`);
    } finally {
      await client.query('ROLLBACK');
      client.release();
      await ledger.pool.query(
        `UPDATE searchmill.executions SET state = 'cancelled', ended_at = now(), due_at = NULL, end_reason = 'a test', lease_until = NULL, lease_owner = NULL, next_cursor = NULL`,
      );
    }
  }
  return ways.toSorted(compareText);
}

const TABLE = Object.entries(TRANSITIONS).flatMap(([from, followers]) => Object.keys(followers).map((to) => `${from} -> ${to}`));

describe('the ways between states', () => {
  it('are exactly those that statements name and endings guard', () => {
    const named = setting.flatMap(([, text]) => waysIn(text));
    const endings = (['failed', 'abandoned', 'discarded', 'cancelled'] as const).flatMap((to) =>
      statesBefore(to).map((from) => `${from} -> ${to}`),
    );
    expect([...new Set([...named, ...endings])].toSorted(compareText)).toEqual([...TABLE].toSorted(compareText));
  });

  it('are taken by those statements alone', () => {
    expect(setting.map(([name]) => name).toSorted(compareText)).toEqual(
      texts
        .filter(([, text]) => text.includes('-- States: '))
        .map(([name]) => name)
        .toSorted(compareText),
    );
  });

  it('and the beginnings of executions stand next to each other', () => {
    const beginning = texts.filter(([, text]) => text.includes('INSERT INTO searchmill.executions'));
    expect(texts.filter(([name]) => name.startsWith('transitions/'))).toEqual(expect.arrayContaining([...setting, ...beginning]));
    expect(texts.filter(([name]) => name.startsWith('transitions/'))).toHaveLength(setting.length + beginning.length);
  });

  it.each(setting.filter(([name]) => name !== 'transitions/end'))('that %s takes are those that it names', async (name, text) => {
    const ways =
      name === 'transitions/checkpoint'
        ? [
            ...(await waysOf(text)),
            ...(await waysOf(text, { nextCursor: null })),
            ...(await waysOf(text.replaceAll('pages = :pagesBefore', 'true'), { pagesBefore: 1, nextCursor: null })),
          ].toSorted(compareText)
        : await waysOf(text);
    expect(ways).toEqual(waysIn(text));
  });

  it.each(['failed', 'abandoned', 'discarded', 'cancelled'] as const)(
    'to %s are taken by an ending from every state that allows it',
    async (to) => {
      const [, text = ''] = setting.find(([name]) => name === 'transitions/end') ?? [];
      const ways = await waysOf(text, { state: to, statesBefore: statesBefore(to) });
      expect(ways).toEqual(TABLE.filter((way) => way.endsWith(`-> ${to}`)).toSorted(compareText));
    },
  );
});

// What Slack is sent: text in which nothing from outside is a mark.
import { expect, it } from 'vitest';
import { compareProblems } from '../../../src/notify/compare.ts';
import { eventMessage } from '../../../src/notify/events.ts';
import type { Message } from '../../../src/notify/message-lines.ts';
import { problemMessages } from '../../../src/notify/messages.ts';
import { slackText } from '../../../src/notify/slack-text.ts';
import { type FoundProblem, tellProblem } from '../../../src/problems/status.ts';
import { NOW } from '../../support/status-rows.ts';

const RULES = { severity: 'error', afterMs: 0, remindMs: 1, gatherMs: 1 } as const;

function messageOf(...problems: Partial<FoundProblem>[]): Message {
  const found = problems.map((own, index) =>
    tellProblem({ kind: 'held', job: 'acme', apart: `${index}`, needsYou: true, title: 'it', why: [], next: [], ...own }),
  );
  const [message] = problemMessages(compareProblems([], found, RULES, NOW), 'https://pages.example', NOW);
  if (!message) throw new Error('a message was expected');
  return message;
}

it('lets no outside text mention people or link anywhere', () => {
  const evil = '<!channel> <https://evil.example|click> & `code`';
  const text = slackText(messageOf({ title: evil, why: [evil], next: ['searchmill approve `x`'] }));
  expect(text).not.toContain('<!');
  expect(text).not.toContain('<https://evil');
  expect(text.match(/<[^>]*>/g)).toEqual([
    '<https://pages.example/operations/jobs/acme|page>',
    '<https://pages.example/operations|Open the pages>',
  ]);
  expect(text).toContain("`searchmill approve 'x'`");
});

it('says what happened to a week, and why it is held, in text without markup', () => {
  const message = eventMessage(
    {
      kind: 'held',
      job: 'acme & co',
      dataset: 'keyword_rankings',
      accountId: '1',
      week: '2026-11-08',
      windowStart: '2026-11-08',
      windowEnd: '2026-11-14',
      ledger: 'a',
      cursor: 7,
      publication: null,
      execution: 3,
      changedAt: NOW,
      inserted: null,
      updated: null,
      unchanged: null,
      deleted: null,
      staged: 1_200,
      quarantined: 0,
      published: 3_400,
      objections: [{ message: 'fewer <!channel>\nrows' }],
    },
    'https://pages.example',
  );
  expect(slackText(message).split('\n')).toEqual([
    '*Held: acme &amp; co 2026-11-08* rows: 1,200 staged, 3,400 published <https://pages.example/operations/jobs/acme%20%26%20co/2026-11-08|page>',
    '   fewer &lt;!channel&gt; rows',
  ]);
});

it('is never longer than Slack shows, and is cut between lines', () => {
  const text = slackText(messageOf(...Array.from({ length: 30 }, () => ({ title: 'x'.repeat(390), why: ['<'.repeat(300)] }))));
  expect(text.length).toBeLessThan(4_000);
  expect(text).toMatch(/\n…$/);
  for (const line of text.split('\n')) expect(line).toMatch(/^(\*|•| {3}|<|…)/);
});

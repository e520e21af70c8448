// What e-mail and Slack show of signals and of the brief: words of others are neither marks nor headers.
import { expect, it } from 'vitest';
import { mailText } from '../../../src/notify/mail-text.ts';
import type { SignalMessage } from '../../../src/notify/signal-message.ts';
import { slackText } from '../../../src/notify/slack-text.ts';

const EVIL = '<!channel> <https://evil.example|click> & <img src=x onerror=alert(1)> "quoted"';
const HOME = 'https://pages.example/boards/home?account=7&weeks=13';
const signal = (text: string) => ({ rule: 'left-places', title: 'Left', week: '2026-11-08', text, page: `${HOME}&keyword=%22%3E|<b>` });

const messageOf = (own: Partial<SignalMessage['data']> = {}, type: SignalMessage['type'] = 'signals'): SignalMessage => ({
  type,
  timestamp: '2026-11-16T06:10:00.000Z',
  data: {
    account: '7',
    name: EVIL,
    week: '2026-11-08',
    count: 1,
    signals: [signal(EVIL)],
    more: 0,
    late: [],
    lateCount: 0,
    takenBack: [],
    takenBackCount: 0,
    silent: [],
    brief: null,
    page: HOME,
    ...own,
  },
});
const BRIEF = {
  facts: [
    { text: 'Visibility fell by 2 points to 31 %.', page: HOME },
    { text: EVIL, page: HOME },
  ],
  figures: [{ title: 'Visibility', text: `31 %, ${EVIL}`, page: HOME }],
  movers: [],
  missing: { title: 'What is missing or held', page: HOME, rows: [], more: 0, empty: 'Every week is complete.' },
  unread: [EVIL],
};
const EVERYTHING = messageOf(
  {
    late: [signal(EVIL)],
    lateCount: 2,
    takenBack: [signal(EVIL)],
    takenBackCount: 3,
    silent: [{ title: 'Left', reason: EVIL }],
    more: 4,
    brief: BRIEF,
  },
  'brief',
);

it('no outside text sent to Slack mentions people or adds links', () => {
  const text = slackText(EVERYTHING);
  expect(text).not.toContain('<!');
  const links = text.match(/<[^>]*>/g) ?? [];
  expect(links.length).toBeGreaterThan(3);
  for (const link of links)
    expect(link).toMatch(/^<https:\/\/pages\.example\/boards\/home\?account=7&amp;weeks=13[^|<>]*\|(look|all|Open the boards)>$/);
});

it('outside text adds no element and no attribute to the HTML', () => {
  const { html } = mailText(EVERYTHING);
  expect(html).not.toMatch(/<img|<!channel|<https/);
  const elements = [...html.matchAll(/<(\/?[a-z0-9]+)/g)].map(([, name]) => name?.replace('/', ''));
  expect([...new Set(elements)].sort()).toEqual([
    'a',
    'body',
    'div',
    'h1',
    'h2',
    'head',
    'html',
    'li',
    'meta',
    'p',
    'strong',
    'title',
    'ul',
  ]);
  for (const [, address] of html.matchAll(/href="([^"]*)"/g))
    expect(address).toMatch(/^https:\/\/pages\.example\/boards\/home\?account=7&amp;weeks=13/);
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;quoted&quot;');
});

it('a subject is one short line', () => {
  const { subject } = mailText(messageOf({ name: `Acme\r\nBcc: a@b.example${'x'.repeat(500)}` }));
  expect(subject).toMatch(/^Acme Bcc: a@b\.example/);
  expect(subject.length).toBe(120);
});

it('signals are one line each with a link; late ones, those taken back and silent rules follow', () => {
  const { subject, text } = mailText(
    messageOf({
      name: 'Acme',
      count: 12,
      signals: [signal('“crm” has left the first 3')],
      more: 11,
      late: [{ ...signal('“cms” does not find us any more'), week: '2026-10-18', page: HOME }],
      lateCount: 3,
      takenBack: [signal('“erp” has left the first 3')],
      takenBackCount: 2,
      silent: [{ title: 'New criticism', reason: 'held (sentiments)' }],
    }),
  );
  expect(subject).toBe('Acme: 12 signals in the week of 2026-11-08');
  expect(text).toBe(`Acme: 12 signals in the week of 2026-11-08

Open the boards: ${HOME}
- “crm” has left the first 3 (${HOME}&keyword=%22%3E|<b>)
- and 11 more (${HOME})

Found late, in earlier weeks
- Week of 2026-10-18: “cms” does not find us any more (${HOME})
- and 2 more

Taken back by a revision
- Week of 2026-11-08: “erp” has left the first 3 (${HOME}&keyword=%22%3E|<b>)
- and 1 more

Silent rules, and why
- New criticism: held (sentiments)
`);
});

it('the brief begins with what moved, which is its subject, and says what is missing', () => {
  const { subject, text } = mailText(messageOf({ name: 'Acme', count: 0, signals: [], brief: BRIEF }, 'brief'));
  expect(subject).toBe('Acme: the week of 2026-11-08 – Visibility fell by 2 points to 31 %.');
  expect(text.split('\n').slice(1, 3)).toEqual([EVIL, 'The rules found nothing that is worth a look.']);
  expect(text).toContain('What is missing or held\nEvery week is complete.\n');
});

it.each([
  [
    { count: 0, signals: [], late: [signal('a'), signal('b')], lateCount: 2, takenBackCount: 1 },
    'Acme: 2 signals found late, in earlier weeks',
  ],
  [{ count: 0, signals: [], takenBack: [signal('a')], takenBackCount: 1 }, 'Acme: 1 signal taken back'],
])('has a subject of what there is when the newest week has no news', (own, expected) => {
  expect(mailText(messageOf({ name: 'Acme', ...own })).subject).toBe(expected);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as people write them
// Targets of messages, each a Slack channel, a webhook or e-mail. Addresses are secrets, so only variables may hold them.
import { z } from 'zod';
import { Secret } from '../core/secret.ts';
import { WEEKDAYS, type Weekday } from '../core/weeks.ts';
import { isPlainHttpElsewhere, normalizeBaseUrl } from './base-url.ts';
import {
  duration,
  factsOf,
  findingProblem,
  flag,
  identifier,
  listOf,
  oneOf,
  parseDurationMs,
  secretFields,
  secretText,
  section,
  text,
} from './fields.ts';
import { mailServerProblem } from './mail-server.ts';
import { isMapping, mappingAt, type Remark } from './remarks.ts';
import type { YamlSource } from './yaml-source.ts';

/** Events of weeks: `week.published` is new, `week.revised` has changed rows, `week.held` failed the audit. */
export const WEEK_EVENT_KINDS = ['published', 'held', 'revised'] as const;
export type WeekEventKind = (typeof WEEK_EVENT_KINDS)[number];

/** Sender and recipients of e-mail, whether it may be sent without TLS, and the name that the server is greeted with. */
export type MailTarget = Readonly<{ from: string; to: readonly string[]; allowsPlain: boolean; ehlo?: string | undefined }>;

/** What a target is told, and when. */
export type NotifyRules = Readonly<{
  /** The lowest severity that is reported. */
  severity: 'error' | 'warning';
  /** How long a problem must last before it is reported, or be gone before its end is. */
  afterMs: number;
  /** Time between reminders while a problem lasts. */
  remindMs: number;
  /** Minimum time between two messages of one kind, so that many events make few messages. */
  gatherMs: number;
  hasDigest: boolean;
  /** Whether it gets signals, and on which day it gets the brief. */
  hasSignals?: boolean;
  briefOn?: Weekday | undefined;
  /** Events of weeks that are reported, one message each. */
  events: readonly WeekEventKind[];
}>;

export type NotifyTarget = Readonly<{ name: string }> & NotifyAddress & NotifyRules;

export type Notify = Readonly<{
  /** Address of the pages, without a trailing slash. */
  pages: string | undefined;
  targets: readonly NotifyTarget[];
}>;

const MAX_TARGETS = 20;

function addressProblem(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not an address';
  const { protocol, username, password } = new URL(address);
  if (protocol !== 'https:' && protocol !== 'http:') return 'is not a web address';
  return username || password ? 'has a credential in it' : undefined;
}

const webAddress = (description: string, expected: string, isSecret: boolean) =>
  z.string().check(findingProblem(addressProblem)).meta({ description, expected, isSecret });

const MAIL_ADDRESS = /^[^\s@<>(),;:"\\]+@[^\s@<>(),;:"\\]+$/;
const mailAddress = (description: string) =>
  text(description, { expected: 'an address such as search@example.com' }).regex(MAIL_ADDRESS).max(254);

const EVENTS = ['week.published', 'week.held', 'week.revised'] as const satisfies readonly `week.${WeekEventKind}`[];
const EVENTS_EXPECTED = `true, false, or a list of ${EVENTS.join(', ')}`;

const ADDRESS = 'a variable with an https address';

/** When a target is told, and of what: the same for each kind. */
export const sharedTargetFields = {
  severity: oneOf(['error', 'warning'], 'Problems of this severity and above are reported.').default('error'),
  after: duration(
    'How long a problem must last, or be over, before it is reported. Held and failed weeks and refused credentials are reported at once.',
    '1d',
  ).default('2m'),
  remind: duration('Time until a lasting problem is reported again.', '30d').default('24h'),
  gather: duration('Minimum time between messages of one kind; what happens in between is reported together.', '1d').default('10m'),
  digest: flag('Whether the target gets a message about what each tick of a schedule has loaded.').default(false),
  events: z
    .union([flag('All of them, or none.'), listOf(oneOf(EVENTS, 'An event.'), 'Only these.', EVENTS_EXPECTED)])
    .meta({
      description: 'Whether the target gets a message for each week that is published, held or revised, or for which of these events.',
      expected: EVENTS_EXPECTED,
    })
    .default(false),
  signals: flag('Whether the target gets signals: one message per account and tick.').default(false),
  brief: oneOf(WEEKDAYS, 'The day on which the target gets the weekly brief, one per account, once all of its loads are done.').optional(),
  allow_http: flag('Whether plain http to another machine, or e-mail without TLS, is allowed.').default(false),
};

export const slackTarget = section(
  { slack: webAddress('Incoming webhook of Slack.', ADDRESS, true), ...sharedTargetFields },
  'A Slack channel.',
);

export const webhookTarget = section(
  {
    webhook: webAddress('Address that gets each message as JSON.', ADDRESS, true),
    secret: secretText(
      'Key of the signatures. To make one: echo whsec_$(openssl rand -base64 32)',
      /^whsec_(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
      'a variable with whsec_ and 24 to 64 bytes in base64',
    ),
    ...sharedTargetFields,
  },
  'A webhook.',
);

export const emailTarget = section(
  {
    email: z.string().check(findingProblem(mailServerProblem)).meta({
      description: 'Mail server with user and password: smtps://, or smtp://, which uses STARTTLS.',
      expected: 'a variable with an address such as smtps://user:password@mail.example.com',
      isSecret: true,
    }),
    from: mailAddress('Sender of the e-mail.'),
    ehlo: text(
      'Name of this machine, with which the mail server is greeted. Default: its own name if that has a domain, otherwise the domain of from.',
      {
        expected: 'a name such as search.example.com',
      },
    )
      .regex(/^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$|^\[[0-9A-Fa-f:.]+\]$/)
      .max(253)
      .optional(),
    to: listOf(mailAddress('One of them.'), 'Recipients of the e-mail.', 'a list of addresses such as search@example.com'),
    ...sharedTargetFields,
  },
  'E-mail.',
);

/** Each kind of target by the field that only it has. */
export const TARGET_FIELDS = ['slack', 'webhook', 'email'] as const;
/** The other fields of targets. */
export const TARGET_SETTINGS: ReadonlySet<string> = new Set(
  [slackTarget, webhookTarget, emailTarget].flatMap((target) => Object.keys(target.shape)),
);

const targetField = z.union([slackTarget, webhookTarget, emailTarget]).meta({
  description: 'A target: either slack, or webhook and secret, or email, from and to.',
  expected: 'a mapping with slack, with webhook and secret, or with email, from and to',
  isSecret: true,
});

export const notifySchema = section(
  {
    pages: webAddress(
      'Address of the pages of Searchmill, for links in messages.',
      'an address such as https://searchmill.example.com',
      false,
    ).optional(),
    targets: z
      .record(z.string(), targetField)
      .refine((targets) => Object.keys(targets).length > 0 && Object.keys(targets).length <= MAX_TARGETS)
      .meta({
        description: `Where problems are reported, by names of your choice; up to ${MAX_TARGETS}.`,
        expected: `a mapping with 1 to ${MAX_TARGETS} targets`,
        isSecret: true,
        minProperties: 1,
      }),
  },
  'Where problems are reported.',
  { isSecret: true },
);

type WrittenNotify = z.output<typeof notifySchema>;

const NAME = identifier('Name of a target.');
const SECRET_FIELDS = secretFields(targetField.options);

/** Mistakes: addresses and keys in the file itself, and addresses with plain http to other machines. */
export function checkNotify(source: YamlSource): Remark[] {
  return Object.entries(mappingAt(source.value, ['notify', 'targets'])).flatMap(([name, target]): Remark[] => {
    if (!NAME.safeParse(name).success) {
      return [source.remark(['notify', 'targets', name], `is not a name of a target; expected ${factsOf(NAME).expected}`, 'key')];
    }
    if (!isMapping(target)) return [];
    return SECRET_FIELDS.flatMap((field) => {
      const written = target[field];
      const path = ['notify', 'targets', name, field];
      if (typeof written !== 'string' || source.lacksVariable(path)) return [];
      if (!source.hasVariable(path)) {
        return [source.remark(path, 'is a secret written in the file; expected a variable such as ${OPS_WEBHOOK_URL}')];
      }
      if (field === 'secret' || target.allow_http === true || !isPlainHttpElsewhere(written)) return [];
      const text = 'is http to another machine, which would expose messages to the network; expected https, or allow_http: true';
      return [source.remark(path, text)];
    });
  });
}

/** Where messages go. An address is a secret: anyone who knows it can write there. */
export type NotifyAddress =
  | Readonly<{ kind: 'slack'; url: Secret }>
  /** `secret` is the key of its signatures. */
  | Readonly<{ kind: 'webhook'; url: Secret; secret: Secret }>
  /** `url` is that of the server, with user and password. */
  | Readonly<{ kind: 'email'; url: Secret; mail: MailTarget }>
  /** A variable of the target is missing, so nothing can be sent: its messages wait. `reason` names file, line, variable and remedy. */
  | Readonly<{ kind: 'unset'; reason: string }>;

function addressOf(target: z.output<typeof targetField>): NotifyAddress {
  if ('slack' in target) return { kind: 'slack', url: new Secret(target.slack) };
  if ('webhook' in target) return { kind: 'webhook', url: new Secret(target.webhook), secret: new Secret(target.secret) };
  const { email, from, to, ehlo, allow_http: allowsPlain } = target;
  return { kind: 'email', url: new Secret(email), mail: { from, to, allowsPlain, ehlo } };
}

/** A target that lacks a variable: why nothing can be sent to it, and those of its rules that are there, as written. */
export type LackingTarget = Readonly<{ name: string; reason: string; written: Readonly<Record<string, unknown>> }>;

type WrittenRules = Readonly<z.output<typeof rulesSchema>>;
const rulesSchema = z.object(sharedTargetFields);

/** `lacking` are targets of the file that are not in `written`. */
export function resolveNotify(
  written: WrittenNotify | undefined,
  { pages, targets: lacking }: Readonly<{ pages: string | undefined; targets: readonly LackingTarget[] }>,
): Notify {
  const targets = Object.entries(written?.targets ?? {}).map(
    ([name, target]): NotifyTarget => ({ name, ...addressOf(target), ...rulesOf(target) }),
  );
  const silent = lacking.map(
    ({ name, reason, written: own }): NotifyTarget => ({ name, kind: 'unset', reason, ...rulesOf(rulesSchema.parse(own)) }),
  );
  return { pages: pages === undefined ? undefined : normalizeBaseUrl(pages), targets: [...targets, ...silent] };
}

function rulesOf({ severity, after, remind, gather, digest, events, signals, brief }: WrittenRules): NotifyRules {
  const isTold = (kind: WeekEventKind): boolean => (Array.isArray(events) ? events.includes(`week.${kind}`) : events);
  return {
    severity,
    afterMs: parseDurationMs(after),
    remindMs: parseDurationMs(remind),
    gatherMs: parseDurationMs(gather),
    hasDigest: digest,
    hasSignals: signals,
    briefOn: brief,
    events: WEEK_EVENT_KINDS.filter(isTold),
  };
}

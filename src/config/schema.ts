// The boundary to jobs.config.yaml: its one definition. The file is checked against it, jobs.config.schema.json (which
// editors read) and docs/configuration.md are generated from it. Rules between fields are in check-jobs.ts, filters by
// dataset in filters.ts.
import { z } from 'zod';
import { HARD_LIMITS, MAX_PERIOD_DAYS, MAX_WEEKS_PER_QUERY, PAGE_SIZE, RECOMMENDED_LIMITS } from '../core/limits.ts';
import { WEEKDAYS } from '../core/weeks.ts';
import { DATASETS } from '../datasets/index.ts';
import { aliasesSchema } from './aliases.ts';
import { baseUrlField } from './base-url.ts';
import { brandsByAccount } from './brands.ts';
import {
  calendarDate,
  duration,
  findingProblem,
  flag,
  identifier,
  listOf,
  oneOf,
  secretText,
  section,
  share,
  text,
  wholeNumber,
} from './fields.ts';
import { notifySchema } from './notify.ts';
import { pagesSchema } from './pages.ts';
import { retentionSchema } from './retention.ts';
import { scheduleField } from './schedule.ts';
import { signalsSchema } from './signals.ts';

/** What is wrong with a token, where it is more than its characters. */
function tokenProblem(token: string): string | undefined {
  if (/^Bearer\s/i.test(token)) return 'begins with Bearer, which Searchmill adds itself';
  if (/^["'\u2018\u2019\u201c\u201d]|["'\u2018\u2019\u201c\u201d]$/.test(token)) return 'has quotes around it that are part of it';
  if (/^<.*>$|\{\{/.test(token)) return 'is a placeholder';
  if (/^(?:\$\(.*\s.*\)|`.*`)$/s.test(token))
    return 'is a command of a shell, which is not run here; use a variable, or NAME_FILE for a file';
  return /\s/.test(token) ? 'has a blank or a line break in it' : undefined;
}

/** The default of min_keep. */
export const USUAL_MIN_KEEP = 0.5;
/** The default of lookback_weeks. */
export const USUAL_LOOKBACK = 1;

export const tokenAuth = section(
  // A header value: anything else in it would be refused, or would end the header.
  {
    token: z
      .string()
      .check(findingProblem(tokenProblem))
      .regex(/^[\x21-\x7e]+$/)
      .meta({
        description: 'API token, sent as a bearer token with every call.',
        expected: 'a token: ASCII characters without spaces',
        isSecret: true,
      }),
  },
  'API token (recommended).',
);

export const signatureAuth = section(
  {
    api_key: secretText('API key, sent with every call.', /\S/, 'an API key as text'),
    shared_secret: secretText('Shared secret that signs every call; never sent.', /\S/, 'a shared secret as text'),
  },
  'API key and signature (legacy).',
);

// A header value: printable, blanks only inside, so that nothing in it ends the header.
const headerValue = secretText(
  'Value of the header; never shown.',
  /^[\x21-\x7e]+(?:[ \t]+[\x21-\x7e]+)*$/,
  'the value of a header: ASCII characters, with blanks only between them',
);

const LIMIT_NAMES = ['recommended', 'hard'] as const;

export const ownLimits = section(
  {
    submits_per_minute: wholeNumber('Queries submitted per minute.', { min: 1, max: HARD_LIMITS.submit }).default(
      RECOMMENDED_LIMITS.submit,
    ),
    reads_per_minute: wholeNumber('Polls and pages, together, per minute.', { min: 1, max: HARD_LIMITS.read }).default(
      RECOMMENDED_LIMITS.read,
    ),
  },
  'Own limits, up to the hard ones.',
);

export const connectionSchema = section(
  {
    base_url: baseUrlField,
    allow_http: flag(
      'Whether calls may go to another machine over plain http, which exposes the credential to everyone on the way. Only for a private network, such as that of containers.',
    ).default(false),
    auth: z.union([tokenAuth, signatureAuth]).meta({
      description: 'Credential: either token, or api_key and shared_secret.',
      expected: 'either token, or api_key and shared_secret',
      isSecret: true,
    }),
    headers: z
      .record(z.string(), headerValue)
      .meta({
        description: 'Headers that a gateway requires in addition to the credential. Their values are secrets.',
        expected: 'a mapping of header names to their values',
        isSecret: true,
      })
      .default({}),
    limits: z
      .union([oneOf(LIMIT_NAMES, 'The limits the service recommends, or the ones it enforces.'), ownLimits])
      .meta({
        description:
          `Calls per minute that all processes together never exceed. recommended: ${RECOMMENDED_LIMITS.submit} submits and ` +
          `${RECOMMENDED_LIMITS.read} reads; hard: ${HARD_LIMITS.submit} and ${HARD_LIMITS.read}; or own numbers up to hard.`,
        expected: `one of ${LIMIT_NAMES.join(', ')}, or submits_per_minute and reads_per_minute`,
      })
      .default('recommended'),
  },
  'A base URL, a credential and its limits.',
  // A credential that is written in place of the whole connection must not appear in a log.
  { isSecret: true },
);

/** Weeks that begin on another day need a confirmation: by its documentation the service refuses them, or has no rows for them. */
const otherWeekStart = section(
  {
    day: oneOf(WEEKDAYS, 'First day of a week.'),
    even_if_refused: z.literal(true).meta({
      description: 'Confirms the other day, although the service may refuse such weeks or return no rows for them.',
      expected: 'true',
    }),
  },
  'Another first day of a week.',
);

const sunday = z.literal('sunday').meta({ description: 'The first day of the weeks of the service.', expected: 'sunday' });

const weekStart = z.union([sunday, otherWeekStart]).meta({
  description: 'First day of a week.',
  expected:
    'sunday, since the service returns only weeks from Sunday to Saturday; to ask for others anyway write ' +
    '{ day: monday, even_if_refused: true }',
});

export const ownMaxRejected = section(
  {
    share: share('Largest share of such rows.').default(0.001),
    rows: wholeNumber('Allowed number of such rows, whatever their share, while they are fewer than half.', { min: 0 }).default(5),
  },
  'The largest share and a number of rows.',
);

const domains = z
  .array(
    z
      .string()
      .check(findingProblem((domain) => (domain.includes('*') ? 'has a wildcard, although subdomains count without one' : undefined)))
      .regex(/^[^\s./:@?#*,;"']+(\.[^\s./:@?#*,;"']+)+$/)
      .max(253)
      .meta({
        description:
          'One of them, without scheme and path. Case, `www.` and a dot at the end make no difference, and `münchen.example` is the same as `xn--mnchen-3ya.example`.',
        expected: 'a domain such as example.com',
      }),
  )
  .meta({
    description: 'Domains of one account; an empty list means the default.',
    expected: 'a list of domains such as example.com',
  })
  .meta({ uniqueItems: true });

/** Domains of each account. A plain list is for one account: check-account-lists.ts checks that. */
function domainsByAccount(description: string) {
  return z
    .union([
      domains,
      z.record(z.string(), domains).meta({ description: 'By account.', expected: 'a mapping of accounts to lists of domains' }),
    ])
    .meta({ description, expected: 'a list of domains such as example.com, or a mapping of accounts to such lists' })
    .default([]);
}

/** Fields of both `defaults` and jobs; the job's value takes precedence. */
const SHARED_FIELDS = {
  dataset: oneOf(
    DATASETS.map((dataset) => dataset.name),
    'What to load; also the name of the table it is loaded into.',
  ).meta({ several: 'write a job for each' }),
  connection: text('Connection to use, by its name.', { expected: 'the name of a connection', usual: 'the only one' }),
  account_id: wholeNumber('Account to ask for.', { min: 1 }).meta({
    usual: 'required, or `account_ids`',
    several: 'for several accounts write account_ids',
  }),
  account_ids: listOf(
    wholeNumber('One of them.', { min: 1 }),
    'Accounts to ask for: one job each, named as in acme-12345.',
    'a list of accounts, not empty, each a whole number, at least 1',
  )
    .meta({ uniqueItems: true })
    .optional(),
  schedule: scheduleField.prefault({}),
  since: calendarDate('First day to load, from 2000-01-01 on; moved back to the start of its week.'),
  lookback_weeks: wholeNumber('Number of weeks before the newest that every run loads again, because the service restates them.', {
    min: 0,
    max: 104,
  }).default(USUAL_LOOKBACK),
  keep_weeks: wholeNumber(
    'Number of weeks to keep, counted back from the newest published one; older weeks are neither loaded nor expected. A partition of a table is removed once no job that loads into it keeps any of its weeks, a day after "searchmill plan" shows it.',
    { min: 1, max: 5_200 },
  )
    .meta({ usual: 'all weeks' })
    .optional(),
  weeks_per_query: wholeNumber('Most weeks that one query may cover when several are missing.', {
    min: 1,
    max: MAX_WEEKS_PER_QUERY,
    because: `the service answers at most ${MAX_PERIOD_DAYS} days a query`,
  }).default(1),
  week_starts_on: weekStart.default('sunday'),
  page_size: wholeNumber('Rows asked for per page.', PAGE_SIZE).default(PAGE_SIZE.default),
  max_rejected: z
    .union([share('The largest share alone.'), ownMaxRejected])
    .meta({
      description:
        'How many rows of a week may fail to decode and go to quarantine before the week is held: up to a share, or up to a number that is below half.',
      expected: 'a share from 0 to 1, such as 0.05, or share and rows',
      usual: '`{ share: 0.001, rows: 5 }`',
    })
    .prefault({}),
  min_keep: share('Share of the published rows below which a new load is held for a decision.').default(USUAL_MIN_KEEP),
  allow_empty: flag('Whether weeks without rows are expected and not a problem. They still never replace rows without a decision.').default(
    false,
  ),
  max_wait: duration('How long a query may run before a new one is submitted.', '7d').default('6h'),
  max_submits: wholeNumber('Most queries spent on the same weeks within 24 hours, counted since they were last published.', {
    min: 1,
    max: 100,
  }).default(3),
  own_domains: domainsByAccount(
    'Own domains of the account, which dashboards compare with others; subdomains count, too. Those of all jobs of an account are combined. Without any, dashboards use the domains of citations attributed to You.',
  ),
  competitors: domainsByAccount(
    'Sites of competitors, with which dashboards compare the account; subdomains count, too. Those of all jobs of an account are combined. Without any, dashboards use the sites that citations attribute to SEO Competitor.',
  ),
  own_brands: brandsByAccount(
    'Names of our brands and products, each with other spellings if it has any. They are looked for in the texts of answers, for share of voice. Those of all jobs of an account are combined.',
  ),
  rival_brands: brandsByAccount(
    'Names of the brands of rivals, in the same way; each has a share of voice of its own. Without any, share of voice is unknown.',
  ),
  enabled: flag('Whether the job is planned. A disabled job keeps its weeks, and its running loads continue.').default(true),
};

const nameField = identifier('Unique name of the job; with account_ids, the prefix of the names of its jobs.');

const filtersField = z.record(z.string(), z.unknown()).meta({
  description: 'What to ask for; the dataset says which filters there are.',
  expected: 'a mapping of filters to their values',
});

export const defaultsSchema = section(
  z.strictObject(SHARED_FIELDS).partial().shape,
  'Values for every job that does not set its own. All fields except name and filters are allowed.',
);

const { dataset, connection, account_id, account_ids, ...others } = defaultsSchema.shape;

/** A job as it is written: all fields of `defaults` are optional. */
export const jobSchema = section(
  { name: nameField, dataset, connection, account_id, account_ids, filters: filtersField.optional(), ...others },
  'One dataset of one account, loaded on a schedule; with account_ids, of each of these accounts.',
);

/** A job after `defaults` were filled in; parsing it adds Searchmill's own defaults. */
export const completeJobSchema = z.strictObject({ name: nameField, ...SHARED_FIELDS, filters: filtersField.default({}) });

/** Top-level sections that begin with this are ignored. */
export const EXTENSION_PREFIX = 'x-';

export const fileSchema = section(
  {
    connections: z
      .record(z.string(), connectionSchema)
      .refine((connections) => Object.keys(connections).length > 0)
      .meta({
        description: 'Connections to the service, by names of your choice.',
        expected: 'a mapping with at least one connection',
        isSecret: true,
        minProperties: 1,
      }),
    defaults: defaultsSchema.optional(),
    jobs: z.array(jobSchema).min(1).meta({ description: 'What to load.', expected: 'a list of at least one job' }),
    aliases: aliasesSchema.optional(),
    notify: notifySchema.optional(),
    pages: pagesSchema.prefault({}),
    retention: retentionSchema.prefault({}),
    signals: signalsSchema.prefault({}),
  },
  'Jobs of Searchmill: what to load, from where, and when.',
);

export type WrittenFile = z.output<typeof fileSchema>;
export type WrittenConnection = z.output<typeof connectionSchema>;

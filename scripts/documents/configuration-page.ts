// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as people write them
// docs/configuration.md: every setting, from the same zod definitions that Searchmill checks them with.
import { z } from 'zod';
import { formatNumber } from '../../src/cli/table.ts';
import { MAX_JOBS } from '../../src/config/entry-jobs.ts';
import { environmentSchema } from '../../src/config/environment.ts';
import { factsOf } from '../../src/config/fields.ts';
import { filtersSchema } from '../../src/config/filters.ts';
import { parseJobsConfig } from '../../src/config/jobs-config.ts';
import { scheduleField } from '../../src/config/schedule.ts';
import {
  completeJobSchema,
  connectionSchema,
  EXTENSION_PREFIX,
  jobSchema,
  ownLimits,
  ownMaxRejected,
  signatureAuth,
  tokenAuth,
} from '../../src/config/schema.ts';
import { MAX_VALUES } from '../../src/config/yaml-aliases.ts';
import { MAX_BYTES, MAX_LEVELS } from '../../src/config/yaml-bounds.ts';
import { separatingFilters } from '../../src/datasets/disjoint-filters.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { code, page, table } from './markdown.ts';

export function configurationPage(): string {
  // In the order of a job as it is written, with the defaults of a complete one.
  const jobFields = Object.fromEntries(
    Object.keys(jobSchema.shape).map((name) => [name, completeJobSchema.shape[name as keyof typeof completeJobSchema.shape]]),
  );
  return page([
    '# Configuration',
    'Two things configure Searchmill: a few variables of the environment, and a YAML file that defines the jobs. ' +
      'Both are checked as a whole before anything starts; `searchmill check` does only that.',

    '## Environment',
    fieldTable('Variable', environmentSchema.shape),
    'An empty variable counts as not set. Where a variable holds a secret (`DATABASE_URL`, `REDIS_URL`, and every variable that ' +
      '`jobs.config.yaml` names), `NAME_FILE` may name a file that holds it instead, as container platforms mount secrets; `NAME` counts when both are set.',

    '## jobs.config.yaml',
    'The smallest useful file:',
    fenced('yaml', SMALLEST),
    'The first line lets editors with yaml-language-server complete and check the file while you write it. ' +
      'The `jobs.config.yaml` that comes with Searchmill is a working example with all seven datasets.',

    '### Variables',
    'Inside any text, also as a part of it:',
    table(
      ['Written', 'Becomes'],
      [
        [
          code('${NAME}'),
          'the value of the variable NAME, or the content of the file that NAME_FILE names; it is a mistake when there is neither',
        ],
        [code('${NAME:-default}'), '`default` when NAME is not set or empty'],
        [code('$${'), 'the two characters `${`'],
      ],
    ),
    'Variables are put in after the YAML was read, so a value can hold any characters. Where a number, or true or false, is expected, ' +
      'a text from a variable becomes one. Inside `{ }` and `[ ]` write them in quotes: `{ token: "${SEARCH_API_TOKEN}" }`.',

    '### Anchors and merge keys',
    'What several jobs have in common is written once, with the anchors, aliases and merge keys of YAML. Top-level sections whose name ' +
      `begins with \`${EXTENSION_PREFIX}\` are ignored and are a home for them:`,
    fenced('yaml', ANCHORS),
    'What a mapping says itself counts more than what it merges, and of several merged mappings (`<<: [*a, *b]`) the first. A merge replaces ' +
      `a mapping such as \`filters\` as a whole. A file may have ${MAX_BYTES / 1024 ** 2} MiB and ${MAX_LEVELS} levels, and ` +
      `${formatNumber(MAX_VALUES)} values with what its aliases stand for.`,

    '### connections',
    'By names of your choice, each with:',
    fieldTable('Field', connectionSchema.shape),
    '`auth`, either with a token (recommended):',
    fieldTable('Field', tokenAuth.shape),
    'or with an API key and a shared secret (legacy, still supported):',
    fieldTable('Field', signatureAuth.shape),
    '`limits`, where they are own numbers:',
    fieldTable('Field', ownLimits.shape),
    'Connections with the same `base_url` and credential share one budget, the lowest of their limits, since the service counts their calls together; ' +
      'headers make no difference to that.',
    'A gateway that asks for a header beside the credential gets it from `headers`; the values are never logged or shown:',
    fenced('yaml', GATEWAY),

    '### jobs and defaults',
    'What a job does not say is taken from `defaults`, and what that does not say either has the default of this table. ' +
      'All fields but `name` and `filters` may stand in `defaults`.',
    fieldTable('Field', jobFields),
    '`max_rejected`, where it is a share and rows:',
    fieldTable('Field', ownMaxRejected.shape),
    '`schedule`:',
    fieldTable('Field', scheduleField.shape),

    '### One entry for many accounts',
    'With `account_ids` in place of `account_id`, in a job or in `defaults`, an entry makes one job per account. ' +
      'Everywhere else these are ordinary jobs, each with its own weeks, schedule and name: that of the entry, a hyphen and the account. ' +
      'This file makes six jobs, from `rankings-12345` to `brands-24680`:',
    fenced('yaml', MANY_ACCOUNTS),
    'Adding an account adds jobs and changes no other. An entry that gets `account_ids` instead of `account_id` renames its job, ' +
      'here from `rankings` to `rankings-12345`; as with every renamed job that asks the same, `start` gives the weeks it has to the new name, ' +
      `and nothing is loaded again. A file makes at most ${formatNumber(MAX_JOBS)} jobs; \`searchmill check\` says how many.`,

    '### filters',
    'By the names of the service. All are optional; without any, everything is asked for. The account and the period are no filters: ' +
      'Searchmill sends them from the job. The vocabularies of the service are open, so a value that it does not document is sent as it is. ' +
      'It may be answered with 0 rows, so `check`, `run` and `start` warn, with file, line and column, of what is known in another case or spelling ' +
      '(`ChatGPT`, `dekstop`), of engines that are not known, and of countries, locations and languages of another form (`USA`, `UK`, `English`). ' +
      'Editors underline most of these.',
    ...DATASETS.flatMap((dataset) => [`#### ${dataset.name}`, fieldTable('Filter', filtersSchema(dataset).shape)]),

    '### Jobs that overlap',
    'Two jobs of one dataset and account that may load the same rows are a mistake, whatever their connections, since each would overwrite ' +
      "the other's. They may, unless both have the same one of these filters and no value of it is the same:",
    table(
      ['Dataset', 'Filters that keep two jobs apart'],
      DATASETS.map((dataset) => [
        code(dataset.name),
        separatingFilters(dataset)
          .map(({ name }) => code(name))
          .join(', '),
      ]),
    ),
    'Values are compared without case. A location or language covers what is inside it (`US` and `US-NY`, `en` and `en_US` are the same here), ' +
      'a domain the hosts below it. A filter that is not set covers everything; `collection_frequency` that is not set is `WEEKLY`. ' +
      'Ranks, `includeMsv`, groups and the other filters keep nothing apart: join such jobs into one. A job with `enabled: false` is not compared. Editors cannot know this rule; `searchmill check` tells.',

    '## When something is wrong',
    'All mistakes are told at once, each with file, line and column:',
    fenced('text', messageOf(WRONG)),
  ]);
}

const SMALLEST = `# yaml-language-server: $schema=./jobs.config.schema.json
connections:
  main:
    base_url: \${SEARCH_API_URL}
    auth:
      token: \${SEARCH_API_TOKEN}
jobs:
  - name: acme-rankings
    dataset: keyword_rankings
    account_id: 12345
    since: 2026-09-06
`;

const ANCHORS = `x-weekly: &weekly
  since: 2026-09-06
  filters: &desktop { devices: [DESKTOP], countries: [US] }
jobs:
  - { <<: *weekly, name: rankings, dataset: keyword_rankings }
  - <<: *weekly
    name: top-urls
    dataset: highest_ranking_url_per_keyword
    filters: { <<: *desktop, countries: [DE] }
`;

const MANY_ACCOUNTS = `defaults:
  account_ids: [12345, 67890, 24680]
  since: 2026-09-06
jobs:
  - { name: rankings, dataset: keyword_rankings, filters: { devices: [DESKTOP] } }
  - { name: brands, dataset: ai_search_brands }
`;

const GATEWAY = `connections:
  main:
    base_url: \${SEARCH_API_URL}
    auth: { api_key: "\${SEARCH_API_KEY}", shared_secret: "\${SEARCH_API_SECRET}" }
    headers: { X-API-GATEWAY-KEY: "\${SEARCH_API_KEY}" }
`;

const WRONG = `connections:
  main:
    base_url: http://gateway.example.com
    auth: { tokn: "\${SEARCH_API_TOKEN}" }
jobs:
  - name: acme-rankings
    dataset: keyword_rankings
    account_id: 12345
    page_size: 5000
    filters: { device: [DESKTOP], min_rank: 20, max_rank: 3 }
`;

function messageOf(wrong: string): string {
  try {
    parseJobsConfig('jobs.config.yaml', wrong, {});
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n`;
  }
  throw new Error('the example of a wrong file has no mistakes');
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\`\`\``;
}

function fieldTable(head: string, shape: z.ZodRawShape): string {
  const fields = Object.entries(shape).map(([name, field]) => ({ name, field: field as z.ZodType, ...factsOf(field as z.ZodType) }));
  const hasDefaults = fields.some(({ field }) => defaultOf(field) !== '');
  const rows = fields.map(({ name, field, expected, description }) => [
    code(name),
    firstUpper(expected),
    ...(hasDefaults ? [defaultOf(field)] : []),
    description,
  ]);
  return table([head, 'Expected', ...(hasDefaults ? ['Default'] : []), 'Meaning'], rows);
}

/** What holds when a field is left out; empty when it simply does not apply then. */
function defaultOf(field: z.ZodType): string {
  if (field instanceof z.ZodDefault && typeof field.def.defaultValue !== 'object') return code(String(field.def.defaultValue));
  return factsOf(field).usual ?? (field.safeParse(undefined).success ? '' : 'required');
}

function firstUpper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

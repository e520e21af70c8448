// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as people write them
// docs/configuration.md: every setting, generated from the zod definitions with which Searchmill validates settings.
import { z } from 'zod';
import { MAX_FILTER_VALUES } from '../../src/config/check-filter-values.ts';
import { MAX_JOBS } from '../../src/config/entry-jobs.ts';
import { environmentSchema } from '../../src/config/environment.ts';
import { factsOf } from '../../src/config/fields.ts';
import { filtersSchema } from '../../src/config/filters.ts';
import { emailTarget, slackTarget, webhookTarget } from '../../src/config/notify.ts';
import { retentionSchema } from '../../src/config/retention.ts';
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
import { signalsSchema } from '../../src/config/signals.ts';
import { MAX_VALUES } from '../../src/config/yaml-aliases.ts';
import { MAX_BYTES, MAX_LEVELS } from '../../src/config/yaml-bounds.ts';
import { formatNumber } from '../../src/core/numbers.ts';
import { separatingFilters } from '../../src/datasets/disjoint-filters.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { code, page, table } from './markdown.ts';

const SECRETS = Object.entries(environmentSchema.shape).flatMap(([name, field]) => (factsOf(field).isSecret ? [code(name)] : []));

export function configurationPage(): string {
  // In the order in which a job is written, with the defaults of a complete job.
  const jobFields = Object.fromEntries(
    Object.keys(jobSchema.shape).map((name) => [name, completeJobSchema.shape[name as keyof typeof completeJobSchema.shape]]),
  );
  return page([
    '# Configuration',
    'For people who write `jobs.config.yaml`. `searchmill check` checks this file and the environment, and loads nothing.',

    '## Environment',
    fieldTable('Variable', environmentSchema.shape),
    `An empty variable counts as not set. For a variable that holds a secret (${SECRETS.join(', ')}, and those that \`jobs.config.yaml\` ` +
      'names), `NAME_FILE` may name a file that contains it; `NAME` takes precedence when both are set.',

    '## jobs.config.yaml',
    fenced('yaml', SMALLEST),
    'The first line lets editors complete and check the file. The shipped file has jobs for all datasets.',

    '### Variables',
    table(
      ['In any text', 'Becomes'],
      [
        [
          code('${NAME}'),
          'the variable, or the content of the file that NAME_FILE names; an error if neither is set, below `notify` a warning',
        ],
        [code('${NAME:-default}'), '`default` when NAME is not set or empty'],
        [code('$${'), 'the characters `${`'],
      ],
    ),
    'Variables are replaced after the YAML was parsed, so a value can contain any characters. Inside `{ }` and `[ ]` put them in quotes.',

    '### Anchors and merge keys',
    `Top-level sections whose name begins with \`${EXTENSION_PREFIX}\` are ignored, so anchors can be defined there.`,
    fenced('yaml', ANCHORS),
    'A key of the mapping itself takes precedence over a merged one; of several merged mappings, the first wins. A merge replaces a mapping such as ' +
      `\`filters\` as a whole. A file may have ${MAX_BYTES / 1024 ** 2} MiB, ${MAX_LEVELS} levels and ${formatNumber(MAX_VALUES)} values, ` +
      'with aliases expanded.',

    '### connections',
    'A mapping from names of your choice to:',
    fieldTable('Field', connectionSchema.shape),
    '`auth` has either a token (recommended), or a key and a secret (legacy):',
    fieldTable('Field', { ...tokenAuth.shape, ...signatureAuth.shape }),
    '`limits` as numbers:',
    fieldTable('Field', ownLimits.shape),
    'Connections with the same `base_url` and credential share one budget, the lowest of their limits. Example of a header: ' +
      '`headers: { X-API-GATEWAY-KEY: "${SEARCH_API_KEY}" }`.',

    '### jobs and defaults',
    'Fields that a job does not set are taken from `defaults`, which may have all fields except `name` and `filters`, then from this table.',
    fieldTable('Field', jobFields),
    '`max_rejected` and `schedule` as mappings:',
    fieldTable('Field', { ...ownMaxRejected.shape, ...scheduleField.shape }),

    '### account_ids',
    '`account_ids: [12345, 67890]` in an entry or in `defaults` makes one job per account, named `<entry>-<account>`. An entry that changes from `account_id` to `account_ids` keeps its weeks. ' +
      `A file makes at most ${formatNumber(MAX_JOBS)} jobs, with at most ${formatNumber(MAX_FILTER_VALUES)} filter values together; \`searchmill check\` says how many jobs.`,

    '### own_domains',
    'Each account has its own domains. For one account a list is enough; for several write a mapping, as in ' +
      '`own_domains: { 12345: [acme.example], 67890: [other.example] }`. For an account that is not listed, or whose list is empty (`[]`), ' +
      'the domains of its citations attributed to You are used.',

    '### own_brands and rival_brands',
    'Share of voice looks for these names in the texts of answers ([what counts](dashboards.md#share-of-voice)): ours together, and each rival for itself. A name that has other ' +
      'spellings is a mapping:',
    fenced('yaml', BRANDS),
    'Case and accents make no difference and need no spelling of their own. One spelling cannot stand for two. For several accounts write mappings, as with own_domains. ' +
      'After a change, all weeks of answers of the account are counted anew.',

    '### aliases',
    'The service spells some things in several ways, such as the engine `chatgpt` in brands and `chatgptsearch` in responses. Figures that join ' +
      'datasets then find nothing, and boards show a gap with both spellings. `aliases: { engine: { chatgptsearch: chatgpt } }` makes them one, ' +
      'for all accounts of the file: it maps spellings of `engine`, `locode` or `language` to the one that boards use. Case is ignored, and ' +
      'space, underscore and hyphen are equal. Tables keep the spelling of the service; summaries are rebuilt.',

    '### filters',
    'Filters have the names of the service. All are optional; without filters a job asks for everything. Account and period come from the job. ' +
      'Values that the service does not document are sent as they are and may find nothing, so `check`, `run` and `start` warn about likely ' +
      'mistakes (`ChatGPT`, `dekstop`, `USA`). Filters take lists of texts unless the list below says otherwise.',
    table(['Dataset', 'Filters; those in bold can keep two jobs apart'], filterRows()),
    filterList(),

    '### notify',
    '`pages` is the address at which people open Searchmill, for links. `targets` have names of your choice; each has `slack`, or `webhook` and `secret`, or `email`, `from` and `to`. ' +
      '[Operations](operations.md#notifications) says when targets get messages, and how receivers verify them.',
    fieldTable('Field', { ...slackTarget.shape, ...webhookTarget.shape, ...emailTarget.shape }),

    '### retention',
    'How long the ledger keeps records that coverage does not need. The latest and the published load of every week are always kept, with their rows in quarantine. ' +
      'A scheduler removes older records every hour, in small steps, and logs how many rows it removed.',
    fieldTable('Field', retentionSchema.shape),

    '### signals',
    'How large a change must be to become a [signal](signals.md). Each rule in [signals](../signals) names its thresholds. After a change of a threshold, ' +
      'the rules are evaluated again for all their weeks within a minute.',
    fieldTable('Field', signalsSchema.shape),

    '### Jobs that overlap',
    'Two jobs of one dataset and account that may load the same rows are an error ' +
      '([why](decisions/0001-overlapping-jobs-are-refused.md)). They may load the same rows unless both set the same bold filter and share no value of it. ' +
      'Case is ignored; `US` covers `US-NY`, `en` covers `en_US`, a domain covers its hosts. An unset filter covers everything, an unset ' +
      '`collection_frequency` is `WEEKLY`. Jobs with `enabled: false` are not compared.',
  ]);
}

const BRANDS = `own_brands: [Acme, { name: Acme Pro, spellings: [AcmePro, "A. Pro"] }]
rival_brands:
  - Northtrail
  - { name: Cairn & Co, spellings: [Cairn and Co, Cairn] }
`;

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

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\`\`\``;
}

/** The filters of each dataset; those common to all AI search datasets are listed once. */
function filterRows(): [string, string][] {
  const rows = DATASETS.map((dataset) => {
    const separating = new Set(separatingFilters(dataset).map(({ name }) => name));
    return { dataset, names: dataset.filters.map(({ name }) => (separating.has(name) ? `**${code(name)}**` : code(name))) };
  });
  const ofAi = rows.filter(({ dataset }) => dataset.name.startsWith('ai_search_')).map(({ names }) => names);
  const shared = (ofAi[0] ?? []).filter((name) => ofAi.every((names) => names.includes(name)));
  const own = rows.map(({ dataset, names }): [string, string] => {
    if (!ofAi.includes(names)) return [code(dataset.name), names.join(', ')];
    return [code(dataset.name), ['the common ones', ...names.filter((name) => !shared.includes(name))].join(', ')];
  });
  return [...own, [`all ${code('ai_search_*')}`, shared.join(', ')]];
}

/** Every filter once; twice if its meaning differs between two kinds of datasets. */
function filterList(): string {
  const lines = DATASETS.flatMap((dataset) =>
    Object.entries(filtersSchema(dataset).shape).map(([name, field]) => {
      const { expected, description } = factsOf(field as z.ZodType);
      const form =
        expected === 'a list of texts, not empty' ? '' : ` (${expected.replace(/^a (list of )?/, '').replace(', not empty', '')})`;
      return `- ${code(name)}${form}: ${description}`;
    }),
  );
  return [...new Set(lines)].join('\n');
}

function fieldTable(head: string, shape: z.ZodRawShape): string {
  const fields = Object.entries(shape).map(([name, field]) => ({ name, field: field as z.ZodType, ...factsOf(field as z.ZodType) }));
  const rows = fields.map(({ name, field, expected, description }) => {
    const usual = defaultOf(field);
    return [code(name), `${firstUpper(expected)}${usual && `; ${usual}`}`, description];
  });
  return table([head, 'Expected; default', 'Meaning'], rows);
}

/** The default of a field; empty if an unset field has no effect. */
function defaultOf(field: z.ZodType): string {
  if (field instanceof z.ZodDefault && typeof field.def.defaultValue !== 'object') return code(String(field.def.defaultValue));
  return factsOf(field).usual ?? (field.safeParse(undefined).success ? '' : 'required');
}

function firstUpper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as people write them
// docs/configuration.md: every setting, from the same zod definitions that Searchmill checks them with.
import { z } from 'zod';
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
  // In the order of a job as it is written, with the defaults of a complete one.
  const jobFields = Object.fromEntries(
    Object.keys(jobSchema.shape).map((name) => [name, completeJobSchema.shape[name as keyof typeof completeJobSchema.shape]]),
  );
  return page([
    '# Configuration',
    'For those who write `jobs.config.yaml`. `searchmill check` checks it and the environment, and loads nothing.',

    '## Environment',
    fieldTable('Variable', environmentSchema.shape),
    `An empty variable counts as not set. Where a variable holds a secret (${SECRETS.join(', ')}, and those that \`jobs.config.yaml\` ` +
      'names), `NAME_FILE` may name a file that holds it; `NAME` counts when both are set.',

    '## jobs.config.yaml',
    fenced('yaml', SMALLEST),
    'The first line lets editors complete and check the file. The shipped one has all datasets.',

    '### Variables',
    table(
      ['Written in any text', 'Becomes'],
      [
        [code('${NAME}'), 'the variable, or the content of the file that NAME_FILE names; a mistake when there is neither'],
        [code('${NAME:-default}'), '`default` when NAME is not set or empty'],
        [code('$${'), 'the characters `${`'],
      ],
    ),
    'They are put in after the YAML was read, so a value can hold any characters. Inside `{ }` and `[ ]` write them in quotes.',

    '### Anchors and merge keys',
    `Top-level sections whose name begins with \`${EXTENSION_PREFIX}\` are ignored: a home for anchors.`,
    fenced('yaml', ANCHORS),
    'A key of the mapping itself counts before a merged one; of several merged mappings, the first counts. A merge replaces a mapping such as ' +
      `\`filters\` whole. A file may have ${MAX_BYTES / 1024 ** 2} MiB, ${MAX_LEVELS} levels and ${formatNumber(MAX_VALUES)} values, ` +
      'aliases counted.',

    '### connections',
    'By names of your choice:',
    fieldTable('Field', connectionSchema.shape),
    '`auth` has a token (recommended), or key and secret (legacy):',
    fieldTable('Field', { ...tokenAuth.shape, ...signatureAuth.shape }),
    '`limits` as numbers:',
    fieldTable('Field', ownLimits.shape),
    'Connections with the same `base_url` and credential share one budget, the lowest of their limits. A header looks so: ' +
      '`headers: { X-API-GATEWAY-KEY: "${SEARCH_API_KEY}" }`.',

    '### jobs and defaults',
    'What a job does not say is taken from `defaults`, which may have all fields but `name` and `filters`, then from this table.',
    fieldTable('Field', jobFields),
    '`max_rejected` and `schedule` as mappings:',
    fieldTable('Field', { ...ownMaxRejected.shape, ...scheduleField.shape }),

    '### account_ids',
    '`account_ids: [12345, 67890]` in an entry or in `defaults` makes one job per account, named `<entry>-<account>`. An entry that changes from `account_id` to `account_ids` keeps its weeks. ' +
      `A file makes at most ${formatNumber(MAX_JOBS)} jobs; \`searchmill check\` says how many.`,

    '### own_domains',
    'Each account has its own. A list is enough where it holds for one account; for several write a mapping, as in ' +
      '`own_domains: { 12345: [acme.example], 67890: [other.example] }`. An account that it does not name, or whose list is empty (`[]`), has ' +
      'the domains of its citations attributed to You.',

    '### aliases',
    'The service spells some things in several ways, such as the engine `chatgpt` in brands and `chatgptsearch` in responses. Figures that join ' +
      'datasets then find nothing, and boards show a gap with both spellings. `aliases: { engine: { chatgptsearch: chatgpt } }` makes them one, ' +
      'for all accounts of the file: spellings of `engine`, `locode` or `language`, each with what boards shall call it. Case does not count, and ' +
      'a space, an underscore and a hyphen are the same. Tables stay as served; summaries are made anew.',

    '### filters',
    'By the names of the service; all are optional, and none means everything. Account and period are sent from the job. ' +
      'Values that the service does not document are sent as they are and may find nothing, so `check`, `run` and `start` warn of likely ' +
      'mistakes (`ChatGPT`, `dekstop`, `USA`). Filters take lists of texts unless the list below says otherwise.',
    table(['Dataset', 'Filters; those in bold can keep two jobs apart'], filterRows()),
    filterList(),

    '### notify',
    '`pages` is the address at which people open Searchmill, for links. `targets` have names of your choice; each has `slack`, or `webhook` and `secret`, or `email`, `from` and `to`. ' +
      '[Operations](operations.md#notifications) says when targets are told, and how receivers verify messages.',
    fieldTable('Field', { ...slackTarget.shape, ...webhookTarget.shape, ...emailTarget.shape }),

    '### retention',
    'How long the ledger keeps what it does not need. The latest and the published load of every week stay, with their rows in quarantine. ' +
      'A scheduler removes the rest every hour, in small steps, and logs how many rows went.',
    fieldTable('Field', retentionSchema.shape),

    '### signals',
    'How large a change must be to become a [signal](signals.md). Each rule in [signals](../signals) names its thresholds. After a change of a value, ' +
      'all weeks that rules look at are looked at again within a minute.',
    fieldTable('Field', signalsSchema.shape),

    '### Jobs that overlap',
    'Two jobs of one dataset and account that may load the same rows are a mistake ' +
      '([why](decisions/0001-overlapping-jobs-are-refused.md)). They may load the same rows unless both set the same bold filter and share no value of it. ' +
      'Case does not count; `US` covers `US-NY`, `en` covers `en_US`, a domain its hosts. An unset filter covers everything, an unset ' +
      '`collection_frequency` is `WEEKLY`. Jobs with `enabled: false` are not compared.',
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

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\`\`\``;
}

/** The filters of each dataset; those that all of AI search have stand once. */
function filterRows(): [string, string][] {
  const rows = DATASETS.map((dataset) => {
    const separating = new Set(separatingFilters(dataset).map(({ name }) => name));
    return { dataset, names: dataset.filters.map(({ name }) => (separating.has(name) ? `**${code(name)}**` : code(name))) };
  });
  const ofAi = rows.filter(({ dataset }) => dataset.name.startsWith('ai_search_')).map(({ names }) => names);
  const shared = (ofAi[0] ?? []).filter((name) => ofAi.every((names) => names.includes(name)));
  const own = rows.map(({ dataset, names }): [string, string] => {
    if (!ofAi.includes(names)) return [code(dataset.name), names.join(', ')];
    return [code(dataset.name), ['those of all', ...names.filter((name) => !shared.includes(name))].join(', ')];
  });
  return [...own, [`all ${code('ai_search_*')}`, shared.join(', ')]];
}

/** Every filter once; twice where two kinds of datasets mean different things by it. */
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

/** What holds when a field is left out; empty when it simply does not apply then. */
function defaultOf(field: z.ZodType): string {
  if (field instanceof z.ZodDefault && typeof field.def.defaultValue !== 'object') return code(String(field.def.defaultValue));
  return factsOf(field).usual ?? (field.safeParse(undefined).success ? '' : 'required');
}

function firstUpper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

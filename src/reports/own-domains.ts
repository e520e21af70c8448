// Own domains: those configured in the account's jobs, or else those of its citations that are attributed to You. Summaries of rankings and answers follow from
// the patterns of those that count: a domain below another one changes none, nor does a cited one beside configured ones.
import { execute } from '../postgres/statements.ts';
import { type AccountSetting, domainValues } from './account-settings.ts';

const OWN_DOMAINS = {
  setting: 'own_domains',
  readEffect: async (client, accountId) => (await execute(client, 'reports/read-own-patterns', { accountId })).rows,
  subjects: ['rankings', 'answers'],
} as const satisfies Partial<AccountSetting>;

export const configuredDomains = (domains: readonly string[]): AccountSetting => ({
  ...OWN_DOMAINS,
  kind: 'configured',
  find: async () => domainValues('configured', domains),
});

export const CITED_DOMAINS: AccountSetting = {
  ...OWN_DOMAINS,
  kind: 'cited',
  find: async (client, accountId) =>
    domainValues('cited', (await execute(client, 'reports/find-cited-domains', { accountId })).rows[0]?.domains ?? []),
};

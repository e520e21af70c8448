// The accounts whose visibility is measured, their web properties (sites), and the brands and products of each.
import { ConfigurationError } from '../../src/core/errors.ts';

export type WebPropertyOptions = Readonly<{
  id: number;
  name: string;
  /** Name that people use; products are named after it. */
  brand: string;
  /** Registrable domain, preferably below .example or .test. */
  domain: string;
}>;

export type AccountOptions = Readonly<{
  id: number;
  name: string;
  organizationId: string;
  organizationName: string;
  webProperties: readonly WebPropertyOptions[];
}>;

export const DEFAULT_ACCOUNTS: readonly AccountOptions[] = [
  {
    id: 12345,
    name: 'Brightpeak Outdoor',
    organizationId: 'org-7f3a91',
    organizationName: 'Brightpeak Group',
    webProperties: [
      { id: 501, name: 'Brightpeak Shop', brand: 'Brightpeak', domain: 'brightpeak.example' },
      { id: 502, name: 'Brightpeak Rentals', brand: 'Peakhire', domain: 'peakhire.example' },
    ],
  },
  {
    id: 67890,
    name: 'Fjellvik Nordic',
    organizationId: 'org-7f3a91',
    organizationName: 'Brightpeak Group',
    webProperties: [{ id: 601, name: 'Fjellvik Shop', brand: 'Fjellvik', domain: 'fjellvik.example' }],
  },
];

/** A brand or product of the company, as in ai_search_brands: in lower case, as in a publicly documented answer. */
export type Entity = Readonly<{ name: string; type: 'brand' | 'product'; attribution: 'you' | 'Partner' }>;

const PRODUCT_LINES = ['Summit', 'Ridge', 'Aurora', 'Trailhead', 'Basecamp', 'Glacier', 'Nomad', 'Vertex', 'Willow', 'Cinder'];

/** The first `count` entities of a brand: the brand itself, a line made with a partner, then its products. */
export function entitiesOf(brand: string, count: number): Entity[] {
  const products = PRODUCT_LINES.map((line): Entity => ({ name: `${brand} ${line}`, type: 'product', attribution: 'you' }));
  const all: Entity[] = [
    { name: brand, type: 'brand', attribution: 'you' },
    { name: `${brand} x Fellmark`, type: 'product', attribution: 'Partner' },
    ...products,
  ];
  return all.slice(0, count);
}

/** Throws ConfigurationError when there is no account, an account has no web property, or an id is used twice. */
export function checkAccounts(accounts: readonly AccountOptions[]): void {
  if (accounts.length === 0) throw new ConfigurationError('the sandbox needs at least one account');
  const empty = accounts.find((account) => account.webProperties.length === 0);
  if (empty) throw new ConfigurationError(`account ${empty.id} of the sandbox needs at least one web property`);
  const accountIds = accounts.map((account) => account.id);
  const propertyIds = accounts.flatMap((account) => account.webProperties.map((property) => property.id));
  for (const [what, ids] of [['account', accountIds] as const, ['web property', propertyIds] as const]) {
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
    if (repeated !== undefined) throw new ConfigurationError(`the sandbox has two of ${what} ${repeated}`);
    const odd = ids.find((id) => !Number.isSafeInteger(id));
    if (odd !== undefined) throw new ConfigurationError(`${what} ${odd} of the sandbox is not a whole number`);
  }
}

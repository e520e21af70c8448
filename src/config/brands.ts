// own_brands and rival_brands: names that are looked for in the texts of answers, for share of voice.
import { z } from 'zod';
import { foldedText, isNameable } from '../core/name-pattern.ts';
import { jobsOfEntry, valueOrDefault } from './entry-jobs.ts';
import { findingProblem, listOf, section } from './fields.ts';
import { isMapping, type Path, type Remark, valueAt } from './remarks.ts';
import type { Brand } from './settings.ts';
import type { YamlSource } from './yaml-source.ts';

const LONGEST_NAME = 100;
const MAX_SPELLINGS = 20;
/** Each answer is searched for all of them. */
const MAX_BRANDS = 50;

function nameProblem(name: string): string | undefined {
  return /[\p{Cc}\p{Cs}]/u.test(name)
    ? 'has a line break or another control character'
    : isNameable(name)
      ? undefined
      : 'has no letter and no digit, so nothing can be found by it';
}

const nameOf = (description: string) =>
  z
    .string()
    .min(1)
    .max(LONGEST_NAME)
    .check(findingProblem(nameProblem))
    .meta({ description, expected: `a name of up to ${LONGEST_NAME} characters` });

const brandSchema = z
  .union([
    nameOf('Its name.'),
    section(
      {
        name: nameOf('The name that boards show.'),
        spellings: listOf(nameOf('One of them.'), 'Other spellings of it.', 'a list of names, not empty').max(MAX_SPELLINGS).optional(),
      },
      'A name with other spellings.',
    ),
  ])
  .meta({ description: 'A brand or product.', expected: 'a name, or a mapping with name and spellings' });

const list = z
  .array(brandSchema)
  .max(MAX_BRANDS)
  .meta({ description: 'Names of one account.', expected: `a list of names, at most ${MAX_BRANDS}` });

/** Names of each account. A plain list is for one account: check-account-lists.ts checks that. */
export function brandsByAccount(description: string) {
  return z
    .union([list, z.record(z.string(), list).meta({ description: 'By account.', expected: 'a mapping of accounts to lists of names' })])
    .meta({ description, expected: 'a list of names, or a mapping of accounts to such lists' })
    .default([]);
}

type Written = z.output<ReturnType<typeof brandsByAccount>>;

/** The brands of one account. */
export function brandsOf(written: Written, accountId: number): Brand[] {
  const ofAccount = Array.isArray(written) ? written : (written[accountId] ?? []);
  return ofAccount.map((brand) =>
    typeof brand === 'string' ? { name: brand, spellings: [] } : { name: brand.name, spellings: brand.spellings ?? [] },
  );
}

const FIELDS = ['own_brands', 'rival_brands'] as const;
type Spelled = Readonly<{ path: Path; spelling: string; owner: string }>;

/** A spelling that stands for two: whose answer it would be found in is not known. Works on values that may be wrong themselves. */
export function checkBrands(entries: readonly Path[], source: YamlSource): Remark[] {
  const seen = new Map<string, Spelled>();
  const read = new Set<string>();
  const remarks: Remark[] = [];
  for (const entry of entries) {
    for (const { accountId } of jobsOfEntry(source.value, entry)) {
      for (const each of FIELDS.flatMap((field) => spelledIn(source.value, entry, field, accountId))) {
        // Defaults are those of many jobs.
        const place = JSON.stringify([accountId, each.path]);
        if (read.has(place)) continue;
        read.add(place);
        const key = JSON.stringify([accountId, foldedText(each.spelling)]);
        const other = seen.get(key);
        if (!other) seen.set(key, each);
        else if (other.owner !== each.owner)
          remarks.push(source.remark(each.path, `is ${each.spelling}, which is also a spelling of ${other.owner}; expected it once`));
      }
    }
  }
  return remarks;
}

function spelledIn(file: unknown, entry: Path, field: (typeof FIELDS)[number], accountId: number): Spelled[] {
  const holder = valueAt(file, [...entry, field]) === undefined ? ['defaults', field] : [...entry, field];
  const written = valueOrDefault(file, entry, [field]);
  const path = isMapping(written) ? [...holder, String(accountId)] : holder;
  const brands = valueAt(file, path);
  if (!Array.isArray(brands)) return [];
  return brands.flatMap((brand: unknown, at): Spelled[] => {
    const name = isMapping(brand) ? brand.name : brand;
    if (typeof name !== 'string') return [];
    const owner = field === 'own_brands' ? 'our names' : name;
    const others = isMapping(brand) && Array.isArray(brand.spellings) ? brand.spellings : [];
    return [
      { path: isMapping(brand) ? [...path, at, 'name'] : [...path, at], spelling: name, owner },
      ...others.flatMap((spelling: unknown, place) =>
        typeof spelling === 'string' ? [{ path: [...path, at, 'spellings', place], spelling, owner }] : [],
      ),
    ];
  });
}

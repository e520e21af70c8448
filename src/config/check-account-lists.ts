// Fields with values per account, such as own_domains: a list belongs to one account, so that no account is shown another's
// values. Works on values that may be wrong themselves.
import { nameSome } from '../core/name-some.ts';
import { jobsOfEntry } from './entry-jobs.ts';
import { isMapping, type Path, type Remark, valueAt } from './remarks.ts';
import type { YamlSource } from './yaml-source.ts';

const FIELDS = ['own_domains', 'competitors', 'own_brands', 'rival_brands'] as const;
const MAX_NAMED = 3;

/** Mistakes in these fields of `defaults` and of the entries of `jobs`. */
export function checkAccountLists(entries: readonly Path[], source: YamlSource): Remark[] {
  const accountsOf = (entry: Path): number[] => jobsOfEntry(source.value, entry).map(({ accountId }) => accountId);
  return FIELDS.flatMap((field) => {
    const says = (entry: Path): boolean => valueAt(source.value, [...entry, field]) !== undefined;
    const silent = entries.filter((entry) => !says(entry));
    return [
      ...entries.flatMap((entry) => checkField([...entry, field], accountsOf(entry), source)),
      ...checkField(['defaults', field], silent.flatMap(accountsOf), source, entries.flatMap(accountsOf)),
    ];
  });
}

/** `accounts` are those that the field applies to, `known` those that a mapping may name. */
function checkField(path: Path, accounts: readonly number[], source: YamlSource, known: readonly number[] = accounts): Remark[] {
  const written = valueAt(source.value, path);
  const different = [...new Set(accounts)].filter(Number.isFinite);
  if (Array.isArray(written)) {
    if (written.length === 0 || different.length < 2) return [];
    const named = nameSome(different.map(String), MAX_NAMED);
    const lists = different.slice(0, MAX_NAMED).map((account) => `${account}: [...]`);
    const text = `is one list, but applies to the accounts ${named}; expected one list per account, as in ${path.at(-1)}: { ${lists.join(', ')} }`;
    return [source.remark(path, text)];
  }
  if (!isMapping(written)) return [];
  const names = [...new Set(known)].map(String);
  return Object.keys(written)
    .filter((account) => !names.includes(account))
    .map((account) =>
      source.remark(
        [...path, account],
        `is not an account of ${path[0] === 'defaults' ? 'this file' : 'this job'}; expected ${nameSome(names, MAX_NAMED)}`,
        'key',
      ),
    );
}

// How many filter values the jobs of a file have together. An entry with account_ids repeats its own for each account, so that a small file
// could exhaust the process.
import { sumOf } from '../core/numbers.ts';
import { countJobs } from './entry-jobs.ts';
import { mappingAt, type Remark, valueAt } from './remarks.ts';
import type { YamlSource } from './yaml-source.ts';

/** A file of 1 MiB has room for 200,000 values. */
export const MAX_FILTER_VALUES = 500_000;

/** A mistake at each entry with which the jobs of a file have more values than MAX_FILTER_VALUES; such an entry counts for none. */
export function checkFilterValues(source: YamlSource): Remark[] {
  const written = valueAt(source.value, ['jobs']);
  if (!Array.isArray(written)) return [];
  let values = 0;
  return written.flatMap((job: unknown, index) => {
    const entry = ['jobs', index];
    const own = sumOf(Object.values(mappingAt(job, ['filters'])), (value) => (Array.isArray(value) ? value.length : 1));
    const all = own * countJobs(source.value, entry);
    values += all;
    if (values <= MAX_FILTER_VALUES) return [];
    const sum = values;
    values -= all;
    const text = `make the jobs up to this entry have ${sum} filter values together, more than the ${MAX_FILTER_VALUES} that one file may have; expected fewer values, or fewer accounts`;
    return [source.remark([...entry, 'filters'], text)];
  });
}

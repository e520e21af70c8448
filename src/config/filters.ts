// Filters of a job, checked against its dataset before anything is sent. The vocabularies of the service are open:
// a value it was not seen with is allowed, and remarked upon only when it looks like a slip.
import type { z } from 'zod';
import type { Dataset, Filter } from '../datasets/dataset.ts';
import { flag, listOf, section, text, wholeNumber } from './fields.ts';
import { nearestName } from './nearest.ts';

/** Schema of the filters of each dataset, by the dataset's name. */
const schemas = new Map<string, z.ZodObject>();

/** The filters of a dataset: none is required, no others are known. */
export function filtersSchema(dataset: Dataset): z.ZodObject {
  let schema = schemas.get(dataset.name);
  if (!schema) {
    const shape = Object.fromEntries(dataset.filters.map((filter) => [filter.name, filterSchema(filter).optional()]));
    schema = section(shape, `Filters of ${dataset.name}.`);
    schemas.set(dataset.name, schema);
  }
  return schema;
}

function filterSchema({ type, comment, known, min }: Filter): z.ZodType {
  const vocabulary = known ? { suggestions: known } : {};
  switch (type) {
    case 'integer':
      return wholeNumber(comment, min === undefined ? {} : { min });
    case 'boolean':
      return flag(comment);
    case 'string':
      return text(comment, { expected: known ? `text such as ${known.join(', ')}` : 'text', ...vocabulary });
    case 'integers':
      return listOf(wholeNumber('One of them.'), comment, 'a list of whole numbers, not empty');
    case 'strings':
      return listOf(
        text('One of them.', vocabulary),
        comment,
        known ? `a list of texts such as ${known.join(', ')}` : 'a list of texts, not empty',
      );
  }
}

/** Fields of the submit body that Searchmill fills in, and where their values come from. */
const SET_BY_SEARCHMILL: Readonly<Record<string, string>> = {
  account_id: 'from the account_id of the job',
  start_date: 'from the week it loads',
  end_date: 'from the week it loads',
  time_period_start: 'from the week it loads',
  time_period_end: 'from the week it loads',
};

/** Why a key does not belong into filters, when it is one of those that Searchmill sends itself. */
export function explainReservedFilter(name: string): string | undefined {
  const origin = SET_BY_SEARCHMILL[name];
  return origin && `is no filter: Searchmill sets it ${origin}; expected it to be left out`;
}

/** The known value that `value` is probably meant to be: written in another case, or a slip away. */
export function misspeltValue(filter: Filter, value: string): string | undefined {
  if (!filter.known || filter.known.includes(value)) return undefined;
  return nearestName(value, filter.known);
}

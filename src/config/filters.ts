// Filters of a job, checked against its dataset before anything is sent. The vocabularies of the service are open:
// unknown values are allowed; value-hints.ts says which get a warning.
import type { z } from 'zod';
import type { Dataset, Filter } from '../datasets/dataset.ts';
import { type FieldFacts, flag, listOf, section, text, wholeNumber } from './fields.ts';
import { VALUE_FORMS } from './value-hints.ts';

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

function filterSchema(filter: Filter): z.ZodType {
  const { type, comment, min } = filter;
  const words = filter.known ?? filter.suggested;
  switch (type) {
    case 'integer':
      return wholeNumber(comment, min === undefined ? {} : { min });
    case 'boolean':
      return flag(comment);
    case 'string':
      return text(comment, { ...vocabularyOf(filter), expected: words ? `text such as ${words.join(', ')}` : 'text' });
    case 'integers':
      return listOf(wholeNumber('One of them.'), comment, 'a list of whole numbers, not empty');
    case 'strings':
      return listOf(
        text('One of them.', vocabularyOf(filter)),
        comment,
        words
          ? `a list of texts such as ${words.join(', ')}`
          : `a list of ${filter.form ? VALUE_FORMS[filter.form].expected : 'texts, not empty'}`,
      );
  }
}

/** What editors know of a filter's values. */
function vocabularyOf({ known, suggested, form }: Filter): Partial<FieldFacts> {
  if (known) return { suggestions: known };
  if (suggested) return { enum: suggested };
  return form ? { pattern: VALUE_FORMS[form].pattern.source } : {};
}

/** Fields of the submit body that Searchmill fills in, and where their values come from. */
const SET_BY_SEARCHMILL: Readonly<Record<string, string>> = {
  account_id: 'from the account_id of the job',
  start_date: 'from the week it loads',
  end_date: 'from the week it loads',
  time_period_start: 'from the week it loads',
  time_period_end: 'from the week it loads',
};

/** Why a key does not belong in filters, if Searchmill sends it itself. */
export function explainReservedFilter(name: string): string | undefined {
  const origin = SET_BY_SEARCHMILL[name];
  return origin && `is not a filter: Searchmill sets it ${origin}; expected it to be left out`;
}

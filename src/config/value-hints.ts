// Values of filters that are sent as they are but may find nothing. The vocabularies of the service are open, and it answers
// a value that it does not know with 0 rows, so these are warnings.
import type { Filter, ValueForm } from '../datasets/dataset.ts';
import { nearestName } from './nearest.ts';

/** Why a value may find nothing; `nearest` is what it was probably meant to be. */
type Doubt = Readonly<{ reason?: string; nearest?: string }>;

type Form = Readonly<{
  /** Met by every value of the form, in upper or lower case: countries, locations and languages are compared without. */
  pattern: RegExp;
  /** Completes "a list of ...". */
  expected: string;
  /** About a value that does not meet the pattern. */
  reason: string;
  /** About a value that meets it. */
  doubt?: (value: string) => Doubt | undefined;
}>;

export const VALUE_FORMS: Readonly<Record<ValueForm, Form>> = {
  country: {
    pattern: /^[A-Za-z]{2}$/,
    expected: 'two-letter country codes such as US',
    reason: 'which is no two-letter country code',
    doubt: doubtCountry,
  },
  locode: {
    pattern: /^[A-Za-z]{2}([ -].+)?$/,
    expected: 'location codes such as US, or US-CA',
    reason: 'which is no two-letter country code, alone or with a city or region after a space or hyphen',
    doubt: doubtCountry,
  },
  language: {
    pattern: /^[A-Za-z]{2,3}([-_][A-Za-z]{4})?([-_]([A-Za-z]{2}|[0-9]{3}))?$/,
    expected: 'language tags such as en, or en_US',
    reason: 'which is no language tag',
  },
};

/**
 * What to tell of one value of a filter, beginning with `subject`, such as `is "ChatGPT"`. Undefined when there is nothing to
 * tell.
 */
export function hintOf(filter: Filter, value: string, subject: string): string | undefined {
  const doubt = doubtWord(filter, value) ?? doubtForm(filter, value);
  if (!doubt) return undefined;
  const { reason, nearest } = doubt;
  const isFound = filter.ignoresCase && nearest?.toLowerCase() === value.toLowerCase();
  return [
    reason ? `${subject}, ${reason}` : subject,
    isFound ? 'sent as it is, it probably works, since the service compares without case' : 'sent as it is, it may be answered with 0 rows',
    ...(nearest ? [`did you mean ${JSON.stringify(nearest)}?`] : []),
  ].join('; ');
}

/** The hint for a value that is not among the known words. */
function doubtWord({ known, suggested }: Filter, value: string): Doubt | undefined {
  const words = known ?? suggested ?? [value];
  if (words.includes(value)) return undefined;
  const nearest = nearestName(value, words);
  if (nearest) return { nearest };
  return suggested ? { reason: `which is none of those known here (${suggested.join(', ')})` } : undefined;
}

/** The hint for a value of another form than the specification says. */
function doubtForm({ form }: Filter, value: string): Doubt | undefined {
  if (!form) return undefined;
  const { pattern, reason, doubt } = VALUE_FORMS[form];
  return pattern.test(value) ? doubt?.(value) : { reason };
}

/** The hint for a value that begins with two letters that are no country, or not its usual code: UK, or the language EN. */
function doubtCountry(value: string): Doubt | undefined {
  const code = value.slice(0, 2).toUpperCase();
  const usual = new Intl.Locale(`und-${code}`).region;
  const reason = 'which names no country of ISO 3166';
  if (usual !== undefined && usual !== code) return { reason, nearest: usual + value.slice(2) };
  return new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code) === undefined ? { reason } : undefined;
}

// Values of filters that are sent unchanged but may find nothing. The vocabularies of the service are open, and it answers
// a value that it does not know with 0 rows, so these are warnings.
import type { Filter, ValueForm } from '../datasets/dataset.ts';
import { meantCountry, meantDomain, meantLanguage } from './meant-values.ts';
import { nearestName } from './nearest.ts';

/** Why a value may find nothing; `nearest` is what it was probably meant to be, `several` the values that are written as one. */
type Doubt = Readonly<{ reason?: string; nearest?: string; several?: readonly string[] }>;

type Form = Readonly<{
  /** Every valid value matches it, in upper or lower case: countries, locations and languages are compared without case. */
  pattern: RegExp;
  /** Completes "a list of ...". */
  expected: string;
  /** For a value that does not match the pattern. */
  reason: string;
  /** For a value that matches it. */
  doubt?: (value: string) => Doubt | undefined;
  /** What a value that does not match the pattern was probably meant to be. */
  meant?: (value: string) => string | undefined;
}>;

const LANGUAGE_TAG = /^[A-Za-z]{2,3}([-_][A-Za-z]{4})?([-_]([A-Za-z]{2}|[0-9]{3}))?$/;

export const VALUE_FORMS: Readonly<Record<ValueForm, Form>> = {
  country: {
    pattern: /^[A-Za-z]{2}$/,
    expected: 'two-letter country codes such as US',
    reason: 'which is not a two-letter country code',
    doubt: doubtCountry,
    meant: meantCountry,
  },
  locode: {
    pattern: /^[A-Za-z]{2}([ -].+)?$/,
    expected: 'location codes such as US, or US-CA',
    reason: 'which is not a two-letter country code, alone or with a city or region after a space or hyphen',
    doubt: doubtCountry,
  },
  language: {
    pattern: LANGUAGE_TAG,
    expected: 'language tags such as en, or en_US',
    reason: 'which is not a language tag',
    doubt: doubtLongLanguage,
    meant: meantLanguage,
  },
  locale: {
    pattern: LANGUAGE_TAG,
    expected: 'language tags such as en_US',
    reason: 'which is not a language tag',
    doubt: doubtLocale,
    meant: meantLanguage,
  },
  domain: {
    pattern: /^[^\s/:@*]+$/,
    expected: 'domains such as example.com',
    reason: 'which is not a domain',
    meant: meantDomain,
  },
};

/**
 * The warning about one value of a filter, beginning with `subject`, such as `is "ChatGPT"`. Undefined if there is
 * none.
 */
export function hintOf(filter: Filter, value: string, subject: string): string | undefined {
  const doubt = doubtWord(filter, value) ?? doubtForm(filter, value);
  if (!doubt) return undefined;
  const { reason, nearest, several = nearest ? [nearest] : [] } = doubt;
  const isFound = filter.ignoresCase && nearest?.toLowerCase() === value.toLowerCase();
  return [
    reason ? `${subject}, ${reason}` : subject,
    isFound ? 'it is sent unchanged and probably works, since the service ignores case' : 'it is sent unchanged and may return 0 rows',
    ...(several.length > 0 ? [`did you mean ${several.map((each) => JSON.stringify(each)).join(', ')}?`] : []),
  ].join('; ');
}

/** The hint for a value that is not among the known words. */
function doubtWord({ known, suggested, synonyms }: Filter, value: string): Doubt | undefined {
  const words = known ?? suggested ?? [value];
  if (words.includes(value)) return undefined;
  const nearest = synonyms?.[value.toLowerCase()] ?? nearestName(value, words);
  if (nearest) return { nearest };
  return suggested ? { reason: `which is none of those known here (${suggested.join(', ')})` } : undefined;
}

/** The hint for a value that does not have the form in the specification. */
function doubtForm({ form }: Filter, value: string): Doubt | undefined {
  if (!form) return undefined;
  const { pattern, reason, doubt, meant } = VALUE_FORMS[form];
  if (pattern.test(value)) return doubt?.(value);
  const inner = /^[\u2018-\u201f\u00ab\u00bb](.*)[\u2018-\u201f\u00ab\u00bb]$/.exec(value)?.[1];
  if (inner !== undefined && pattern.test(inner)) return { reason: 'which has quotes that are part of it', nearest: inner };
  // A slash begins the path of an address.
  const separators = form === 'domain' ? /[\s;,|\u3001\uff0c\uff1b]+/ : /(?:[\s;,|/&+\u3001\uff0c\uff1b]|\b(?:and|or|und|et|y)\b)+/;
  const several = value.split(separators).filter((part) => part !== '');
  // A location may have blanks itself.
  if (form !== 'locode' && several.length > 1 && several.every((part) => pattern.test(part)))
    return { reason: 'which is several values in one text', several };
  const nearest = meant?.(value);
  return nearest === undefined ? { reason } : { reason, nearest };
}

/** The hint for a language by its code of three letters, if it has one of two. */
function doubtLongLanguage(value: string): Doubt | undefined {
  const [, language = '', rest = ''] = /^([a-z]{3})([-_].*)?$/i.exec(value) ?? [];
  const short = language === '' ? '' : new Intl.Locale(language).language;
  return short.length === 2 ? { reason: 'which has a language code of three letters', nearest: short + rest } : undefined;
}

/** The hint for a language and region that are joined as browsers do it, not as the specification does. */
function doubtLocale(value: string): Doubt | undefined {
  const long = doubtLongLanguage(value);
  if (long) return long;
  const [, language, region] = /^([a-z]{2,3})-([a-z]{2})$/i.exec(value) ?? [];
  if (region === undefined) return undefined;
  return { reason: 'which has a hyphen between language and region', nearest: `${language}_${region.toUpperCase()}` };
}

/** The hint for a value whose first two letters are not a country, or not its usual code: UK, or the language EN. */
function doubtCountry(value: string): Doubt | undefined {
  const code = value.slice(0, 2).toUpperCase();
  const usual = new Intl.Locale(`und-${code}`).region;
  const reason = 'which is not a country of ISO 3166';
  if (usual !== undefined && usual !== code) return { reason, nearest: usual + value.slice(2) };
  return new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code) === undefined ? { reason } : undefined;
}

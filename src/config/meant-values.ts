// What somebody meant who wrote a value in another notation than that of the file. Only where there is one meaning.
import { isIsoDate } from '../core/weeks.ts';

/** `[a, b]` and `a, b` as a text, or a single value, as a list. */
export function meantList(value: unknown): string | undefined {
  if (typeof value !== 'string') return typeof value === 'object' ? undefined : `[${String(value)}]`;
  const items = value
    .replace(/^\[(.*)\]$/s, '$1')
    .split(/[,;]/)
    .map((item) => item.trim());
  return items.every((item) => item !== '')
    ? `[${items.map((item) => (/^\d+$/.test(item) ? item : JSON.stringify(item))).join(', ')}]`
    : undefined;
}

/** With signs between the thousands, a unit of weeks, `k` for thousand, or with blanks, a comma or a comment of another language around it. */
export function meantNumber(value: unknown): string | undefined {
  const plain = String(value).normalize('NFKC').trim();
  const written = plain.replace(/^#|\s*(?:w|wks?|weeks?|[,;]|#.*|\/\/.*|--.*)$/i, '').replace(/k$/i, ',000');
  return /^\d+$|^\d{1,3}(?:[,._' ]\d{3})+$/.test(written) ? written.replaceAll(/\D/g, '') : undefined;
}

/** The name that is meant by a text with capitals, blanks or signs. A text that is not ASCII might mean several names, so it gives none. */
export function meantName(value: unknown): string | undefined {
  if (!/^[ -~]+$/.test(String(value))) return undefined;
  return String(value)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replaceAll(/^[-_]+|[-_]+$/g, '');
}

/** The host of an address, with or without its beginning, or of a wildcard. */
export function meantDomain(value: unknown): string | undefined {
  return /^(?:https?:\/\/|\*?\.|@)?([^\s/:?#@*]+\.[^\s/:?#@*]+)(?:[/:?#].*)?$/i.exec(String(value).trim())?.[1];
}

/** The words of YAML 1.1, which are texts in YAML 1.2. */
export function meantFlag(value: unknown): string | undefined {
  const word = String(value).toLowerCase();
  if (['yes', 'y', 'on', '1'].includes(word)) return 'true';
  return ['no', 'n', 'off', '0'].includes(word) ? 'false' : undefined;
}

/** A year first, with other signs or without zeros; days first only with dots, since 09/06 has two meanings. */
export function meantDate(value: unknown): string | undefined {
  const written = String(value).trim();
  const [, year, month, day = '1'] =
    /^(\d{4})[-./](\d{1,2})(?:[-./](\d{1,2}))?(?:[T ].*)?$/.exec(written) ??
    /^(\d{4})(\d\d)(\d\d)$/.exec(written) ??
    reversed(/^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(written));
  const date = `${year}-${month?.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isIsoDate(date) ? date : undefined;
}

function reversed(match: RegExpExecArray | null): string[] {
  return match ? [match[0], match[3] ?? '', match[2] ?? '', match[1] ?? ''] : [];
}

const UNITS: Readonly<Record<string, string>> = { s: 's', m: 'm', h: 'h', d: 'd' };

/** Days of the units that durations of the file do not have. */
const LONG_UNITS: Readonly<Record<string, number>> = { w: 7, y: 365 };

/** `6 hours`, `6 h`, `PT6H`, `P2D`, `1.5h`, `2w`, `1y`. */
export function meantDuration(value: unknown): string | undefined {
  const [, amount, unit = ''] =
    /^(?:PT?)?([1-9]\d*|\d+\.5)\s*(s|m|h|d|w|y|sec(?:onds?)?|min(?:utes?)?|hours?|days?|weeks?|years?)$/i.exec(String(value).trim()) ?? [];
  const letter = unit.slice(0, 1).toLowerCase();
  const days = LONG_UNITS[letter];
  if (amount === undefined) return undefined;
  if (amount.endsWith('.5')) return letter === 'h' ? `${Number(amount) * 60}m` : undefined;
  return days === undefined ? `${amount}${UNITS[letter]}` : `${Number(amount) * days}d`;
}

/** Per cent, with or without the sign, or with a comma before the decimals. */
export function meantShare(value: unknown): string | undefined {
  const decimals = /^0,(\d+)$/.exec(String(value).trim())?.[1];
  if (decimals !== undefined) return `0.${decimals}`;
  const [, percent, sign] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(String(value).trim()) ?? [];
  // 1.1 or 2 without the sign may be anything.
  if (sign === '' && Number(percent) < 5) return undefined;
  const part = Number((Number(percent) / 100).toPrecision(6));
  return part > 0 && part <= 1 ? String(part) : undefined;
}

/** The name of a country, as its code of two letters. */
export const meantCountry = (value: string): string | undefined => {
  countries ??= codesByName('region', (code) => new Intl.Locale(`und-${code}`).region === code);
  return countries.get(value.trim().toLowerCase())?.toUpperCase();
};

/** The name of a language, as its code of two letters. */
export const meantLanguage = (value: string): string | undefined => {
  languages ??= codesByName('language', (code) => new Intl.Locale(code).language === code);
  return languages.get(value.trim().toLowerCase());
};

/** Made when one is needed, once: a file may have many thousand values. */
let countries: ReadonlyMap<string, string> | undefined;
let languages: ReadonlyMap<string, string> | undefined;

/** Languages in which countries and languages are named; English first. */
const NAMED_IN = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'sv', 'ja'];

/** Codes of two letters by their names, both in lower case. Without those that have another code by now. */
function codesByName(type: 'region' | 'language', isCurrent: (code: string) => boolean): ReadonlyMap<string, string> {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const written = (code: string): string => (type === 'region' ? code.toUpperCase() : code);
  const spoken = NAMED_IN.map((language) => new Intl.DisplayNames(language, { type, fallback: 'none' }));
  const codes = letters.flatMap((first) => letters.map((second) => first + second)).filter((code) => isCurrent(written(code)));
  return new Map(
    spoken.toReversed().flatMap((names) =>
      codes.flatMap((code) => {
        const name = names.of(written(code));
        return name === undefined ? [] : [[name.toLowerCase(), code] as const];
      }),
    ),
  );
}

// Why a query failed or a request was refused, in the service's own words. For a failed query the specification only says to check its
// message "if available", and not where to find it.

/** The fields in which services put a reason, in reading order: code, then text, then nested parts. */
const TEXT_FIELDS = [
  'code',
  'errorCode',
  'error_code',
  'error',
  'title',
  'message',
  'errorMessage',
  'error_message',
  'failureReason',
  'failure_reason',
  'reason',
  'cause',
  'detail',
  'details',
  'description',
  'errors',
  'messages',
] as const;
/** How many messages of a list are read, and how many levels of nested messages. */
const MAX_MESSAGES = 10;
const MAX_DEPTH = 5;

/** The reason that the body of an answer gives, as raw text that is not yet safe to show; null when it gives none. */
export function readFailureText(body: unknown): string | null {
  return joinFields(body, 0) || null;
}

function textOf(value: unknown, depth: number): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return '';
  if (depth === MAX_DEPTH) return jsonOf(value);
  if (Array.isArray(value)) return join(value.slice(0, MAX_MESSAGES), '; ', depth);
  const text = joinFields(value, depth);
  // Numbers alone mean nothing without their field names.
  return /[^\d:. -]/.test(text) ? text : jsonOf(value);
}

function joinFields(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return '';
  const fields = value as Readonly<Record<string, unknown>>;
  const found = TEXT_FIELDS.filter((field) => Object.hasOwn(fields, field)).map((field) => fields[field]);
  return join(found, ': ', depth);
}

/** Keeps each text once, because services repeat themselves. */
function join(values: readonly unknown[], separator: string, depth: number): string {
  const texts = values.map((value) => textOf(value, depth + 1)).filter((text) => text !== '');
  return [...new Set(texts)].join(separator);
}

function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested deeper than the stack allows.
    return '';
  }
}

// Makes text from outside safe for an error message: no credentials, no control characters, no markup, limited length.
import { cutText, onOneLine } from '../core/invisible.ts';
import type { Secret } from '../core/secret.ts';

/** Maximum characters of an excerpt from a body that gives no reason of its own. */
export const EXCERPT_LENGTH = 200;
/** Maximum characters of a text that are examined; an error page may be megabytes. */
const LOOKED_AT_LENGTH = 16_384;
const MASK = '[secret]';

/** Scripts and styles are left out together with their content. */
const BLOCK = /<(?:script|style)\b/iy;
const BLOCK_END = /<\/(?:script|style)\s*>/gi;

/** Replaces every occurrence of a secret, also in its URL, JSON and HTML encodings. */
export function redact(text: string, secrets: readonly Secret[]): string {
  let redacted = text;
  for (const form of formsOf(secrets)) redacted = redacted.replaceAll(form, MASK);
  return redacted;
}

/** The beginning of an external text on one line, secrets masked, cut to `length` characters. */
export function excerpt(text: string, secrets: readonly Secret[], length: number = EXCERPT_LENGTH): string {
  return cutText(onOneLine(leaveOutMarkup(visibleStart(text, secrets))), length);
}

/** Replaces each tag by a space. A single pattern for all of it would take quadratic time for a text of `<`. */
function leaveOutMarkup(text: string): string {
  let left = '';
  let at = 0;
  let hasBlockEnd = true;
  for (let start = text.indexOf('<'); start !== -1; start = text.indexOf('<', at)) {
    let end = 0;
    BLOCK.lastIndex = start;
    if (hasBlockEnd && BLOCK.test(text)) {
      BLOCK_END.lastIndex = start;
      hasBlockEnd = BLOCK_END.test(text);
      end = BLOCK_END.lastIndex;
    }
    if (end === 0) end = text.indexOf('>', start) + 1;
    if (end === 0) break;
    left += `${text.slice(at, start)} `;
    at = end;
  }
  return left + text.slice(at);
}

/** Adds a full stop unless the text already ends with a punctuation mark. */
export function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The examined start of a text without secrets, including one that the cut went through. */
function visibleStart(text: string, secrets: readonly Secret[]): string {
  const longest = formsOf(secrets).reduce((most, form) => Math.max(most, form.length), 0);
  const redacted = redact(text.slice(0, LOOKED_AT_LENGTH), secrets);
  return text.length <= LOOKED_AT_LENGTH ? redacted : redacted.slice(0, Math.max(0, redacted.length - longest));
}

/** Longest first, so that masking one form does not break a longer form that contains it. */
function formsOf(secrets: readonly Secret[]): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    const plain = secret.reveal();
    const inJson = JSON.stringify(plain).slice(1, -1);
    forms.add(plain).add(encodeURIComponent(plain)).add(inJson).add(escapeHtml(plain));
  }
  forms.delete('');
  return [...forms].sort((a, b) => b.length - a.length);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

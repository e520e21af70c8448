// Text from outside, made fit for an error message: no credential, no control character, no markup, not long.
import { cutText, onOneLine } from '../core/invisible.ts';
import type { Secret } from '../core/secret.ts';

/** Longest excerpt of a body that says nothing by itself, in characters. */
export const EXCERPT_LENGTH = 200;
/** How much of a text is looked at, in characters; an error page may be megabytes. */
const LOOKED_AT_LENGTH = 16_384;
const MASK = '[secret]';

/** Scripts and styles are left out with what is in them. */
const BLOCK = /<(?:script|style)\b/iy;
const BLOCK_END = /<\/(?:script|style)\s*>/gi;

/** Replaces every occurrence of a secret, also as it looks in a URL, in JSON or in HTML. */
export function redact(text: string, secrets: readonly Secret[]): string {
  let redacted = text;
  for (const form of formsOf(secrets)) redacted = redacted.replaceAll(form, MASK);
  return redacted;
}

/** The beginning of a text from outside on one line, secrets masked, cut to `length` characters. */
export function excerpt(text: string, secrets: readonly Secret[], length: number = EXCERPT_LENGTH): string {
  return cutText(onOneLine(leaveOutMarkup(visibleStart(text, secrets))), length);
}

/** A text with a blank in place of each tag. One pattern for all of it would take the square of the time for a text of `<`. */
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

/** The text with a full stop, unless it ends in some mark already. */
export function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The looked-at start of a text without secrets, not even one that the cut went through. */
function visibleStart(text: string, secrets: readonly Secret[]): string {
  const longest = formsOf(secrets).reduce((most, form) => Math.max(most, form.length), 0);
  const redacted = redact(text.slice(0, LOOKED_AT_LENGTH), secrets);
  return text.length <= LOOKED_AT_LENGTH ? redacted : redacted.slice(0, Math.max(0, redacted.length - longest));
}

/** Longest first, so that no form is broken by masking another one inside it. */
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

// Text of bytes that may not be UTF-8. A byte that does not belong to UTF-8 becomes half a surrogate pair, U+DC80 to U+DCFF. UTF-8 never contains these halves,
// and columns refuse them. So a row with such a byte goes to quarantine, where the byte can still be read: 0xE9 as \udce9.
import { isUtf8 } from 'node:buffer';

/** Added to a byte that is not UTF-8. */
const HALF_PAIR = 0xdc00;

/** The text of bytes; each byte that is not UTF-8 is one character from U+DC80 on. */
export function textOf(bytes: Buffer, start = 0, end = bytes.length): string {
  const part = bytes.subarray(start, end);
  if (isUtf8(part)) return part.toString('utf8');
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < part.length; ) {
    const width = widthAt(part, at);
    if (width === 0) {
      pieces.push(part.toString('utf8', from, at), String.fromCharCode(HALF_PAIR + (part[at] ?? 0)));
      from = at + 1;
    }
    at += width || 1;
  }
  return pieces.join('') + part.toString('utf8', from);
}

/** Whether a text contains a character that stands for a byte. A service may also send one as an escape. */
export function hasOddByte(text: string): boolean {
  return /[\udc80-\udcff]/u.test(text);
}

/** JSON text that Postgres can store: half a surrogate pair, which is always inside a string, is written as its escape. */
export function withEscapes(json: string): string {
  return json.replaceAll(/[\ud800-\udfff]/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

/** Bytes of the UTF-8 character at `at`; 0 when there is none. Source: The Unicode Standard, table 3-7. */
function widthAt(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const width = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  const second = bytes[at + 1] ?? 0;
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (width === 0 || second < least || second > most) return 0;
  for (let next = at + 2; next < at + width; next += 1) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  return width;
}

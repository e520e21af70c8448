// Pages of any number of different rows, as cheap as a copy: the text of a few pages is made once, with marks, and each page is a copy with its
// row and keyword numbers filled in.
import { KEYWORD_MARK, ROW_MARK, ROWS_PER_KEYWORD, type Row, type RowKind, type Slice, VERSION_MARK } from './rows.ts';

/** Number of template pages, so that neighbouring pages differ in more than their numbers. */
const TEMPLATES = 4;
const ZERO = 48;

/** In a restated answer, every n-th row differs from the first version: 1 %. */
export const RESTATED_EVERY = 100;

/** Position of each row's marks (negative if it has none) and of the row's end. */
type Template = Readonly<{ text: Buffer; rows: readonly Readonly<{ rowAt: number; keywordAt: number; versionAt: number; end: number }>[] }>;

export type PageMaker = Readonly<{
  pages: number;
  /** The rows of page `page`, from 0, as JSON without the surrounding brackets. Versions above 0 are restatements. */
  makePage(page: number, version: number): Buffer;
}>;

export type PageOptions = Readonly<{ rows: number; pageSize: number }>;

export function createPageMaker(kind: RowKind, slice: Slice, { rows, pageSize }: PageOptions): PageMaker {
  const templates = Array.from({ length: TEMPLATES }, (_, index) =>
    createTemplate(Array.from({ length: pageSize }, (_, row) => kind.makeRow(slice, index * pageSize + row))),
  );
  return {
    pages: Math.ceil(rows / pageSize),
    makePage(page, version) {
      const template = templates[page % TEMPLATES];
      const count = Math.min(pageSize, rows - page * pageSize);
      if (!template || count <= 0) throw new RangeError(`there is no page ${page}`);
      const text = Buffer.from(template.text.subarray(0, template.rows[count - 1]?.end));
      for (let row = 0; row < count; row += 1) {
        const { rowAt = 0, keywordAt = 0, versionAt = 0 } = template.rows[row] ?? {};
        const number = page * pageSize + row;
        writeDigits(text, rowAt, ROW_MARK.length, number);
        if (keywordAt >= 0) writeDigits(text, keywordAt, KEYWORD_MARK.length, Math.floor(number / ROWS_PER_KEYWORD));
        text[versionAt] = ZERO + (number % RESTATED_EVERY === 0 ? version : 0);
      }
      return text;
    },
  };
}

function createTemplate(rows: readonly Row[]): Template {
  const texts = rows.map((row) => JSON.stringify(row));
  let start = 0;
  return {
    text: Buffer.from(texts.join(',')),
    rows: texts.map((text) => {
      // One character per byte, so that positions match the buffer.
      const bytes = Buffer.from(text).toString('latin1');
      const find = (mark: string): number => (bytes.includes(mark) ? start + bytes.indexOf(mark) : -1);
      const marks = { rowAt: find(ROW_MARK), keywordAt: find(KEYWORD_MARK), versionAt: find(VERSION_MARK), end: start + bytes.length };
      start = marks.end + 1;
      return marks;
    }),
  };
}

/** Writes `number` over a mark, with leading zeros. */
function writeDigits(text: Buffer, at: number, length: number, number: number): void {
  let rest = number;
  for (let digit = length - 1; digit >= 0; digit -= 1) {
    text[at + digit] = ZERO + (rest % 10);
    // Row numbers fit into 32 bits.
    rest = (rest / 10) | 0;
  }
}

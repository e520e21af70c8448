// Pages of any number of different rows, as cheap as a copy: the text of a few pages is made once, with marks, and each page
// is one of them with its row numbers put in.
import { NUMBER_MARK, type RowKind, type Topic, VERSION_MARK } from './wide-rows.ts';

/** Different pages that all others are made from, so that neighbours differ in more than their numbers. */
const TEMPLATES = 4;
const ZERO = 48;

/** Every so many rows of a restated answer differ from the first one: 1 %. */
export const RESTATED_EVERY = 100;

type Template = Readonly<{ text: Buffer; numberAt: readonly number[]; versionAt: readonly number[]; endAt: readonly number[] }>;

export type PageMaker = Readonly<{
  pages: number;
  /** The rows of page `page`, from 0, as JSON without the brackets around them. Versions above 0 are restatements. */
  makePage(page: number, version: number): Buffer;
}>;

export type PageOptions = Readonly<{ rows: number; pageSize: number }>;

export function createPageMaker(kind: RowKind, topic: Topic, { rows, pageSize }: PageOptions): PageMaker {
  const templates = Array.from({ length: TEMPLATES }, (_, index) => createTemplate(kind, topic, index * pageSize, pageSize));
  return {
    pages: Math.ceil(rows / pageSize),
    makePage(page, version) {
      const template = templates[page % TEMPLATES];
      const count = Math.min(pageSize, rows - page * pageSize);
      if (!template || count <= 0) throw new RangeError(`there is no page ${page}`);
      const text = Buffer.from(template.text.subarray(0, template.endAt[count - 1]));
      for (let row = 0; row < count; row += 1) {
        const number = page * pageSize + row;
        writeDigits(text, template.numberAt[row] ?? 0, number);
        text[template.versionAt[row] ?? 0] = ZERO + (number % RESTATED_EVERY === 0 ? version : 0);
      }
      return text;
    },
  };
}

function createTemplate(kind: RowKind, topic: Topic, firstRow: number, pageSize: number): Template {
  const texts = Array.from({ length: pageSize }, (_, row) => Buffer.from(JSON.stringify(kind.makeRow(topic, firstRow + row))));
  const numberAt: number[] = [];
  const versionAt: number[] = [];
  const endAt: number[] = [];
  let start = 0;
  for (const text of texts) {
    numberAt.push(start + text.indexOf(NUMBER_MARK));
    versionAt.push(start + text.indexOf(VERSION_MARK));
    endAt.push(start + text.length);
    start += text.length + 1;
  }
  return { text: Buffer.from(texts.join(',')), numberAt, versionAt, endAt };
}

/** Writes `number` over a number mark, with leading zeros. */
function writeDigits(text: Buffer, at: number, number: number): void {
  let rest = number;
  for (let digit = NUMBER_MARK.length - 1; digit >= 0; digit -= 1) {
    text[at + digit] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

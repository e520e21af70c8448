// A message as an e-mail: subject, text and HTML. Text from outside is escaped in HTML and put on one line in the subject. Styles are inline,
// since many mail programs ignore others.
import { cutText, onOneLine } from '../core/invisible.ts';
import type { Line, Piece } from './lines.ts';
import { linesOf, type Message } from './message-lines.ts';

const MAX_SUBJECT = 120;

export type MailText = Readonly<{ subject: string; text: string; html: string }>;

export function mailText(message: Message): MailText {
  const lines = linesOf(message);
  const subject = cutText(onOneLine((lines[0]?.pieces ?? []).map(wordsOf).filter(Boolean).join(' – ')), MAX_SUBJECT);
  return { subject, text: `${lines.map(textOf).join('\n')}\n`, html: htmlOf(lines, subject) };
}

const INDENTS = { head: '', section: '\n', text: '', item: '- ', detail: '  ' } as const;

function textOf({ level, pieces }: Line): string {
  const [first, ...rest] = pieces;
  if (isLink(first) && rest.length === 0) return `\n${first.text}: ${first.link}`;
  return INDENTS[level] + pieces.map((piece) => (isLink(piece) ? `(${piece.link})` : wordsOf(piece))).join(' ');
}

/** The text of a piece; empty for a link. */
function wordsOf(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  if ('bold' in piece) return piece.bold;
  return 'command' in piece ? piece.command : '';
}

const isLink = (piece: Piece | undefined): piece is Extract<Piece, { link: string }> => typeof piece === 'object' && 'link' in piece;

const STYLES = {
  body: 'margin:0;padding:20px 16px;background:#ffffff;color:#1d2330',
  page: "max-width:640px;margin:0 auto;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere",
  head: 'margin:0 0 4px;font-size:22px;line-height:1.3',
  section: 'margin:24px 0 6px;font-size:17px;line-height:1.3',
  text: 'margin:0 0 8px',
  list: 'margin:0;padding:0 0 0 20px',
  item: 'margin:0 0 6px',
  detail: 'margin:2px 0 0;color:#5a6172;font-size:15px',
  command: 'padding:1px 4px;background:#f0f2f6;border-radius:3px;font:14px ui-monospace,Menlo,Consolas,monospace',
  link: 'color:#1a56b8;font-weight:normal',
  button: 'display:inline-block;margin:4px 0 8px;padding:9px 18px;background:#1a56b8;border-radius:6px;color:#ffffff;text-decoration:none',
} as const;

function htmlOf(lines: readonly Line[], subject: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeMarks(subject)}</title></head>
<body style="${STYLES.body}"><div style="${STYLES.page}">
${blocksOf(lines).map(writeBlock).join('\n')}
</div></body>
</html>
`;
}

/** A line with its details. Blocks of one list are grouped. */
type Block = Readonly<{ line: Line; details: Line[] }>;

function blocksOf(lines: readonly Line[]): Block[][] {
  const blocks: Block[][] = [];
  for (const each of lines) {
    const last = blocks.at(-1);
    const before = last?.at(-1);
    if (each.level === 'detail' && before) before.details.push(each);
    else if (each.level === 'item' && before?.line.level === 'item') last?.push({ line: each, details: [] });
    else blocks.push([{ line: each, details: [] }]);
  }
  return blocks;
}

function writeBlock(block: readonly Block[]): string {
  const [first] = block;
  if (first?.line.level !== 'item') return block.map(({ line, details }) => writeLine(line) + writeDetails(details)).join('\n');
  const items = block.map(({ line, details }) => `<li style="${STYLES.item}">${writePieces(line.pieces)}${writeDetails(details)}</li>`);
  return `<ul style="${STYLES.list}">\n${items.join('\n')}\n</ul>`;
}

const writeDetails = (details: readonly Line[]): string =>
  details.map(({ pieces }) => `<div style="${STYLES.detail}">${writePieces(pieces)}</div>`).join('');

function writeLine({ level, pieces }: Line): string {
  const [first, ...rest] = pieces;
  if (level === 'section') return `<h2 style="${STYLES.section}">${writePieces(pieces)}</h2>`;
  if (level !== 'head')
    return `<p style="${STYLES.text}">${isLink(first) && rest.length === 0 ? writeLink(first, STYLES.button) : writePieces(pieces)}</p>`;
  const below = rest.length === 0 ? '' : `\n<p style="${STYLES.text}">${writePieces(rest)}</p>`;
  return `<h1 style="${STYLES.head}">${escapeMarks(first === undefined ? '' : wordsOf(first))}</h1>${below}`;
}

const writePieces = (pieces: readonly Piece[]): string => pieces.map(writePiece).join(' ');

function writePiece(piece: Piece): string {
  // Keeps a figure and its sign on one line.
  if (typeof piece === 'string') return escapeMarks(piece).replaceAll(/(?<=\d) (?=%|→)/g, '&nbsp;');
  if ('bold' in piece) return `<strong>${escapeMarks(piece.bold)}</strong>`;
  if ('command' in piece) return `<code style="${STYLES.command}">${escapeMarks(piece.command)}</code>`;
  return writeLink(piece, STYLES.link);
}

const writeLink = ({ link, text }: Extract<Piece, { link: string }>, style: string): string =>
  `<a href="${escapeMarks(link)}" style="${style}">${escapeMarks(text)}</a>`;

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeMarks = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => ESCAPED[mark] ?? mark);

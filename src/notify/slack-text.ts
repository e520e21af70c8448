// A message as Slack text. Text from outside is escaped, so it can neither mention a person nor create a link.
import type { Line, Piece } from './lines.ts';
import { linesOf, type Message } from './message-lines.ts';

/** In characters; Slack cuts longer texts. */
const MAX_SLACK_TEXT = 3_900;
const INDENTS = { head: '', section: '\n', text: '', item: '• ', detail: '   ' } as const;

export function slackText(message: Message): string {
  const lines = linesOf(message).map(writeLine);
  // Only whole lines are dropped: a cut inside a line could leave a mark open.
  let length = 0;
  const fitting = lines.filter((line) => {
    length += line.length + 1;
    return length <= MAX_SLACK_TEXT;
  });
  return fitting.length === lines.length ? fitting.join('\n') : [...fitting, '…'].join('\n');
}

const writeLine = ({ level, pieces }: Line): string => INDENTS[level] + pieces.map(writePiece).join(' ');

/** Source: https://docs.slack.dev/messaging/formatting-message-text. */
function writePiece(piece: Piece): string {
  if (typeof piece === 'string') return escapeMarks(piece);
  if ('bold' in piece) return `*${escapeMarks(piece.bold)}*`;
  if ('command' in piece) return `\`${escapeMarks(piece.command).replaceAll('`', "'")}\``;
  return `<${escapeMarks(piece.link).replaceAll('|', '%7C')}|${escapeMarks(piece.text)}>`;
}

/** Source: the section "Escaping text" of the same page. */
function escapeMarks(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

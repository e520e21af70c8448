// How the program is run where its words are read. Messages, also those in the ledger, name commands as `searchmill <verb>`; whatever shows
// them, a terminal, a page, a message or a log, writes them as they can be typed there. The reader may run the program otherwise than
// the process that wrote the message.

export const VERBS = [
  'demo',
  'init',
  'check',
  'probe',
  'migrate',
  'distribute',
  'undistribute',
  'plan',
  'start',
  'run',
  'backfill',
  'verify',
  'dashboards',
  'mcp',
  'status',
  'history',
  'signals',
  'note',
  'approve',
  'discard',
  'cancel',
  'pause',
  'resume',
  'quarantine',
  'notify',
  'reports',
  'sandbox',
] as const;
export type VerbName = (typeof VERBS)[number];

const NAME = 'searchmill';
const COMMANDS = new RegExp(`(?<![\\w./@-])${NAME}(?= +(?:(?:${VERBS.join('|')})\\b|\\[|--|<verb>))`, 'g');

/** What SEARCHMILL_COMMAND may be: other characters would mean something in JSON and HTML. */
export const COMMAND = /^[^\p{Cc}"\\<>&]{1,200}$/u;

let own = NAME;

/** Says how the program is run, once, when it starts: such as `node dist/main.js`. */
export function setOwnCommand(command: string): void {
  own = command;
}

/** The text with commands as they are typed. Doing it twice changes nothing. */
export function asTyped(text: string): string {
  if (own === NAME) return text;
  return text.replaceAll(COMMANDS, (name, at: number) => (text.slice(0, at + name.length).endsWith(own) ? name : own));
}

// How the reader of a message runs the program. Messages, also those in the ledger, name commands as `searchmill <verb>`. Terminals,
// pages, messages and logs show them as the reader can type them, since the reader may run the program differently from
// the process that wrote the message.

export const VERBS = [
  'demo',
  'init',
  'check',
  'probe',
  'migrate',
  'login',
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
  'forget',
  'pause',
  'resume',
  'acknowledge',
  'promote',
  'quarantine',
  'notify',
  'reports',
  'export',
  'sandbox',
] as const;
export type VerbName = (typeof VERBS)[number];

const NAME = 'searchmill';
const COMMANDS = new RegExp(`(?<![\\w./@-])${NAME}(?= +(?:(?:${VERBS.join('|')})\\b|\\[|--|<verb>))`, 'g');

/** What SEARCHMILL_COMMAND may be: other characters would mean something in JSON and HTML. */
export const COMMAND = /^[^\p{Cc}"\\<>&]{1,200}$/u;

let own = NAME;

/** Sets how the program is run, once at the start, such as `node dist/main.js`. */
export function setOwnCommand(command: string): void {
  own = command;
}

/** The text with commands as the reader types them. Idempotent. */
export function asTyped(text: string): string {
  if (own === NAME) return text;
  return text.replaceAll(COMMANDS, (name, at: number) => (text.slice(0, at + name.length).endsWith(own) ? name : own));
}

// Colours, for terminals only: text that is piped or kept in a file has none.
import type { Terminal } from './terminal.ts';

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;

export type Colour = keyof typeof CODES;
export type Paint = (colour: Colour, text: string) => string;

export const plain: Paint = (_, text) => text;

/** Colours where standard output is a terminal and NO_COLOR (https://no-color.org) is not set. */
export function paintFor(terminal: Pick<Terminal, 'isInteractive' | 'env'>): Paint {
  if (!terminal.isInteractive || terminal.env.NO_COLOR) return plain;
  return (colour, text) => `\x1b[${CODES[colour][0]}m${text}\x1b[${CODES[colour][1]}m`;
}

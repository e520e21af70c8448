// Colours, only for terminals: text that is piped or written to a file has none.
import { styleText } from 'node:util';
import type { Terminal } from './terminal.ts';

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (colour: Colour, text: string) => string;

export const plain: Paint = (_, text) => text;

/** Colours where standard output is a terminal and NO_COLOR (https://no-color.org) is not set. */
export function paintFor(terminal: Pick<Terminal, 'isInteractive' | 'env'>): Paint {
  if (!terminal.isInteractive || terminal.env.NO_COLOR) return plain;
  // Whether the stream shows colours was just decided.
  return (colour, text) => styleText(colour, text, { validateStream: false });
}

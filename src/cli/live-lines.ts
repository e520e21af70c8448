// Lines at the bottom of a terminal that are drawn over in place. Each frame is one write, no line is erased before it is
// written again, and an unchanged frame is not written at all: nothing flickers.
import { escapeInvisible } from '../core/invisible.ts';
import type { Terminal } from './terminal.ts';

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
/** Terminals that support it show everything in between at once; others ignore it. */
const BEGIN_FRAME = '\x1b[?2026h';
const END_FRAME = '\x1b[?2026l';
const CLEAR_REST_OF_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

export class LiveLines {
  readonly #terminal: Pick<Terminal, 'write'>;
  #drawn: readonly string[] = [];

  constructor(terminal: Pick<Terminal, 'write'>) {
    this.#terminal = terminal;
  }

  /** Draws the lines where the last ones were. They must fit the terminal's width and height. */
  draw(lines: readonly string[]): void {
    if (lines.length === this.#drawn.length && lines.every((line, at) => line === this.#drawn[at])) return;
    const back = this.#drawn.length === 0 ? HIDE_CURSOR : `\x1b[${this.#drawn.length}A\r`;
    const body = lines.map((line) => `${escapeInvisible(line)}${CLEAR_REST_OF_LINE}\n`).join('');
    this.#terminal.write(`${BEGIN_FRAME}${back}${body}${lines.length < this.#drawn.length ? CLEAR_BELOW : ''}${END_FRAME}`);
    this.#drawn = lines;
  }

  /** Leaves what is drawn on the screen. */
  finish(): void {
    if (this.#drawn.length > 0) this.#terminal.write(SHOW_CURSOR);
    this.#drawn = [];
  }
}

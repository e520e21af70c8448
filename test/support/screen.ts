// A tiny terminal: what a person sees after some output. Knows exactly the sequences that live displays use, and throws on
// any other.

export const ESCAPE = String.fromCharCode(27);
const SEQUENCE = new RegExp(`${ESCAPE}\\[(\\??)([\\d;]*)([A-Za-z])`, 'y');

export class Screen {
  readonly #lines: string[] = [''];
  readonly #columns: number;
  #row = 0;
  #column = 0;
  isCursorHidden = false;

  constructor(columns = Number.POSITIVE_INFINITY) {
    this.#columns = columns;
  }

  write(text: string): void {
    for (let at = 0; at < text.length; ) {
      SEQUENCE.lastIndex = at;
      const match = SEQUENCE.exec(text);
      if (match) {
        this.#obey(match[1] === '?', match[2] ?? '', match[3] ?? '');
        at += match[0].length;
        continue;
      }
      this.#put(text[at] ?? '');
      at++;
    }
  }

  /** What can be seen, without the empty lines at the end. */
  get text(): string {
    return this.#lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  }

  #obey(isPrivate: boolean, parameter: string, command: string): void {
    if (isPrivate && parameter === '25') this.isCursorHidden = command === 'l';
    else if (isPrivate && parameter === '2026') return;
    else if (command === 'A') this.#row = Math.max(0, this.#row - Number(parameter));
    else if (command === 'K' && parameter === '') this.#lines[this.#row] = (this.#lines[this.#row] ?? '').slice(0, this.#column);
    else if (command === 'J' && parameter === '') {
      this.#lines.length = this.#row + 1;
      this.#lines[this.#row] = (this.#lines[this.#row] ?? '').slice(0, this.#column);
    } else if (command !== 'm') throw new Error(`this screen does not know the sequence ESC[${parameter}${command}`);
  }

  #put(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') {
      this.#row++;
      this.#column = 0;
      this.#lines[this.#row] ??= '';
    } else {
      if (this.#column >= this.#columns) throw new Error(`a line is wider than ${this.#columns} columns`);
      const line = (this.#lines[this.#row] ?? '').padEnd(this.#column);
      this.#lines[this.#row] = line.slice(0, this.#column) + character + line.slice(this.#column + 1);
      this.#column++;
    }
  }
}

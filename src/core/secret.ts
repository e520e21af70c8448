// A credential that cannot be printed by accident: logging, JSON, string templates and util.inspect all show a mask.
import { inspect } from 'node:util';

const MASK = '[secret]';

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The credential itself. Call it only where it is put on the wire or digested. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}

// The lines of "searchmill check": one for each check, with what to do about a failure.
import { explainFailure } from '../explain-failure.ts';

export type CheckedThing = Readonly<{ check: string; isOk: boolean; state: 'ok' | 'warn' | 'fail'; detail: string }>;

/** The result of a check: a text if all is well, or a warning. Failures are thrown. */
export type Finding = string | Readonly<{ warning: string }>;

const MARKS = { ok: 'ok   ', warn: 'warn ', fail: 'FAIL ' } as const;

export class Checks {
  readonly done: CheckedThing[] = [];
  readonly #print: (line: string) => void;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Returns false if the check fails. Never throws. */
  async run(check: string, find: () => Promise<Finding>): Promise<boolean> {
    const [state, detail] = await find().then(
      (found) => (typeof found === 'string' ? (['ok', found] as const) : (['warn', found.warning] as const)),
      (error: unknown) => ['fail', explainFailure(error)] as const,
    );
    this.done.push({ check, isOk: state !== 'fail', state, detail });
    this.#print(`${MARKS[state]} ${check}: ${detail}`);
    return state !== 'fail';
  }
}

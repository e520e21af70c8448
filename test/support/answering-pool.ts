// A pool without a server: its statements are answered by the test, by their names.
import { compileStatement } from '../../src/postgres/named-parameters.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { readStatements } from '../../src/postgres/statement-files.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];
type Asked = Readonly<{ name: string; values: Readonly<Record<string, unknown>> }>;

export type AnsweringPool = Readonly<{
  pool: Pool;
  /** The statements so far, with their parameters. */
  asked: Asked[];
}>;

/** `answer` gets a statement's name and parameters, and returns its rows or throws. Transactions begin and end without a trace. */
export function answeringPool(answer: (name: string, values: Asked['values']) => Rows): AnsweringPool {
  const names = new Map(
    [...readStatements()].map(([name, source]) => {
      const { text, parameters } = compileStatement(source);
      return [text, { name, parameters }];
    }),
  );
  const asked: Asked[] = [];
  const query = async (given: string | { text: string; values?: readonly unknown[] }): Promise<unknown> => {
    const { text, values = [] } = typeof given === 'string' ? { text: given } : given;
    const known = names.get(text);
    if (!known) return text.startsWith('BEGIN') ? [{ rows: [{ pid: 1 }] }] : { rows: [], rowCount: 0 };
    const own = Object.fromEntries(known.parameters.map((parameter, at) => [parameter, values[at]]));
    asked.push({ name: known.name, values: own });
    const rows = answer(known.name, own);
    return { rows, rowCount: rows.length };
  };
  const nothing = (): void => undefined;
  const client = { query, on: nothing, off: nothing, release: nothing };
  return { pool: { query, connect: async () => client, options: { max: 4 } } as unknown as Pool, asked };
}

// A database whose answer is lost once, after it has done what it was asked.
import type { Pool } from '../../src/postgres/pool.ts';

/** The pool, but the answer to the first statement that contains `text` does not arrive. `isLost` tells whether that has happened. */
export function loseAnswer(pool: Pool, text: string): { pool: Pool; isLost: () => boolean } {
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
  let isLost = false;
  const deaf = new Proxy(pool, {
    get: (target, name) =>
      name === 'query'
        ? async (...args: unknown[]) => {
            const result = await query(...args);
            if (isLost || !JSON.stringify(args[0]).includes(text)) return result;
            isLost = true;
            throw Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' });
          }
        : Reflect.get(target, name, target),
  });
  return { pool: deaf, isLost: () => isLost };
}

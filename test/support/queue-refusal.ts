// Why a queue cannot be used, in the words of "check".
import { describeError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { openQueueBackend } from '../../src/queue/backend/backend.ts';

/** The last of what is said of a Redis; empty if it can be used. */
export async function findQueueRefusal(redisUrl: string): Promise<string> {
  const errors: unknown[] = [];
  try {
    const backend = await openQueueBackend({
      databaseUrl: new Secret('postgres://unused'),
      redisUrl: new Secret(redisUrl),
      ledgerId: 'none',
      onError: (error) => errors.push(error),
    });
    await backend.inspect().catch((error: unknown) => errors.push(error));
    await backend.close();
  } catch (error) {
    errors.push(error);
  }
  return errors.map(describeError).at(-1) ?? '';
}

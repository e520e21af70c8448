// Limits how many requests may read the database at once: enough for a team, and few enough to bound memory.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SendMessage } from './sessions.ts';
import { localPath } from './sessions.ts';

/** Most pages and CSVs in progress at once. Most of them wait for a connection. */
const MAX_READERS = 32;

/**
 * Returns a function that registers routes whose requests count. Counting goes by registered routes, since a page can be requested under
 * many spellings of its address (`/%62oards`). A request counts until its response has been read or its connection is closed.
 */
export function limitReaders(sendMessage: SendMessage): (server: FastifyInstance, serve: (scope: FastifyInstance) => void) => void {
  let readers = 0;
  return (server, serve) =>
    void server.register(async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        if (readers >= MAX_READERS) return tellCrowded(reply, request.url);
        readers += 1;
        reply.raw.once('close', () => {
          readers -= 1;
        });
      });
      serve(scope);
    });

  function tellCrowded(reply: FastifyReply, url: string): FastifyReply {
    return sendMessage(reply.header('retry-after', '5'), 503, {
      title: 'Many are looking',
      text: 'Too many people are reading boards right now. This page retries by itself.',
      retry: localPath(url),
    });
  }
}

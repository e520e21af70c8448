// How many may read the database for their pages at once: so many that a team is served, but so few that memory stays flat.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SendMessage } from './sessions.ts';
import { localPath } from './sessions.ts';

/** Pages and CSVs that are read or waited for at once; most of them wait for a connection. */
const MAX_READERS = 32;

/**
 * A scope whose routes count: each page of it reads the database. They count by where they are registered, since one page has many
 * addresses (`/%62oards`). What is not read to its end by its browser counts on.
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

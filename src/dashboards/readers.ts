// Limits how many requests may read the database at once: enough for a team, and few enough to bound memory.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SendMessage } from './sessions.ts';
import { localPath } from './sessions.ts';

/** Most pages and CSVs in progress at once. Most of them wait for a connection. */
const MAX_READERS = 32;
/** Most of those that have left their place and still take a CSV: each has a file. */
const MAX_UNCOUNTED = 16;

export type Readers = Readonly<{
  serveToReaders: (server: FastifyInstance, serve: (scope: FastifyInstance) => void) => void;
  /** A reader that needs neither memory nor the database any more leaves its place to others, unless many have done so. */
  leavePlace: (reply: Pick<FastifyReply, 'raw'>) => void;
}>;

/**
 * Returns a function that registers routes whose requests count. Counting goes by registered routes, since a page can be requested under
 * many spellings of its address (`/%62oards`). A request counts until its response has been read, its connection is closed or it
 * has left its place.
 */
export function limitReaders(sendMessage: SendMessage): Readers {
  let readers = 0;
  let uncounted = 0;
  const places = new WeakMap<object, () => void>();
  const leavePlace: Readers['leavePlace'] = ({ raw }) => {
    if (raw.destroyed || uncounted >= MAX_UNCOUNTED) return;
    uncounted += 1;
    raw.once('close', () => {
      uncounted -= 1;
    });
    places.get(raw)?.();
  };
  const serveToReaders: Readers['serveToReaders'] = (server, serve) =>
    void server.register(async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        if (readers >= MAX_READERS) return tellCrowded(reply, request.url);
        readers += 1;
        const leave = (): void => {
          if (places.delete(reply.raw)) readers -= 1;
        };
        places.set(reply.raw, leave);
        reply.raw.once('close', leave);
      });
      serve(scope);
    });
  return { serveToReaders, leavePlace };

  function tellCrowded(reply: FastifyReply, url: string): FastifyReply {
    return sendMessage(reply.header('retry-after', '5'), 503, {
      title: 'Many are looking',
      text: 'Too many people are reading boards right now. This page retries by itself.',
      retry: localPath(url),
    });
  }
}

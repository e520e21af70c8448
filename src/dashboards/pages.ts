// The dashboards over HTTP: routes, headers and access control. Registered on the server of health and metrics, whose routes are not affected.
// Pages are rendered on the server; the one script only enhances them, such as drawing charts from their tables.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { Pool } from '../postgres/pool.ts';
import { isStoreFailure } from '../postgres/store-errors.ts';
import type { Access } from './access.ts';
import { type BasePath, putBasePath, servedBelow } from './base-path.ts';
import { boardPage } from './board-page.tsx';
import { type BoardView, canonicalQuery, chooseValues, type Query, readBased, viewBoard, writeQuery } from './board-view.ts';
import { type Board, boardOf } from './boards.ts';
import { nameCsv, readCsv, streamCsv } from './csv.ts';
import { glossaryPage } from './glossary-page.tsx';
import { createKeptAnswers, type FreshAnswer, sendAnswer } from './kept-answers.ts';
import type { Frame, PageLink } from './layout.tsx';
import type { Panel } from './panel-file.ts';
import { messagePage, overviewPage } from './plain-pages.tsx';
import { limitReaders } from './readers.ts';
import { changedMeasures, listsOf, REPORT, reportPage } from './report-page.tsx';
import { inSnapshot } from './run-panels.ts';
import { serveFind } from './serve-find.ts';
import { FREE, guardPages, localPath, type SendMessage, serveLogin } from './sessions.ts';
import type { Values } from './variables.ts';

export type PagesOptions = Readonly<{
  /** Made by createPanelPool. */
  pool: Pool;
  boards: readonly Board[];
  access: Access;
  /** Logs errors that are our own. */
  log: Logger;
  /**
   * Has the summaries stored that a reading of these datasets would compute; null: of all accounts. Without it, or when it fails, they are
   * computed.
   */
  storeSummaries?: (wanted: Readonly<{ accountId: string | null; datasets: readonly string[] }>, signal: AbortSignal) => Promise<void>;
  /** The path before the addresses of pages. */
  basePath?: BasePath | undefined;
  /** The folder with charts.js, the style sheets and icon.svg. */
  assetsFolder?: string;
  /** Pages besides the boards, with the same headers and sessions. */
  more?: MorePages;
}>;

export type MorePages = Readonly<{
  links: readonly PageLink[];
  /** The path of the page where notes on an account are added and removed. */
  notesAddress: string;
  serve: (server: FastifyInstance, context: MorePagesContext) => void;
}>;

export type MorePagesContext = Readonly<{ frame: Frame; access: Access; sendMessage: SendMessage }>;

const ASSETS_FOLDER = fileURLToPath(new URL('./assets/', import.meta.url));
const ASSETS: Readonly<Record<string, string>> = {
  'charts.js': 'text/javascript; charset=utf-8',
  'pages.css': 'text/css; charset=utf-8',
  'find.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};
/** The start page, if a board has this name; the report shows it, the second for each figure that changed by more than chance. */
const HOME_BOARD = 'home';
const WHY_BOARD = 'why';
const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
/** Up to this many characters, a CSV is read whole and shared between requests. */
const MAX_SHARED_CSV = 1_000_000;

export const servePages: FastifyPluginAsync<PagesOptions> = async (
  server,
  { pool, boards, access, log, storeSummaries, basePath = '', assetsFolder = ASSETS_FOLDER, more },
) => {
  const assets = readAssets(assetsFolder);
  const frame: Frame = {
    boards,
    links: more?.links ?? [],
    assetVersion: assets.version,
    notesAddress: more?.notesAddress,
    hasSession: access.kind === 'password',
  };
  const sendMessage: SendMessage = (reply, code, message) => reply.code(code).headers(HEADERS).type(HTML).send(messagePage(frame, message));

  await server.register(compress, { globalDecompression: false, encodings: ['gzip'], customTypes: /^text\/(?:html|css|javascript)/ });
  server.addHook('onRequest', async (_, reply) => void reply.headers(HEADERS));
  servedBelow(server, basePath);
  guardPages(server, { access, sendMessage });
  server.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return sendMessage(reply, error.statusCode, { title: 'This request cannot be answered', text: describeError(error) });
    }
    if (!isStoreFailure(error)) {
      log.error({ err: error, url: localPath(request.url) }, 'a page could not be rendered');
      return sendMessage(reply, 500, {
        title: 'This page could not be rendered',
        text: 'This is an error in Searchmill; see its log.',
      });
    }
    const text = 'The database does not answer right now. This page retries by itself.';
    return sendMessage(reply, 503, {
      title: 'The figures cannot be read',
      text,
      detail: describeError(error),
      retry: localPath(request.url),
    });
  });

  const answers = createKeptAnswers(pool);
  const { serveToReaders, leavePlace } = limitReaders(sendMessage);
  if (more) serveToReaders(server, (scope) => more.serve(scope, { frame, access, sendMessage }));
  const home = boards.find(({ name }) => name === HOME_BOARD);
  const sendList = async (_: unknown, reply: FastifyReply) => reply.type(HTML).send(overviewPage(frame, boards));
  // Without a home board, the list of boards is the start page.
  server.get('/', home ? async (_, reply) => reply.redirect(`/boards/${HOME_BOARD}`, 302) : sendList);
  server.get('/boards', sendList);
  server.get('/boards/', async (_, reply) => reply.redirect('/boards', 302));
  server.get('/glossary', async (_, reply) => reply.type(HTML).send(glossaryPage(frame, boards)));
  const prepare = async (panels: readonly Panel[], { account }: Query, signal: AbortSignal): Promise<void> => {
    const accountId = [account].flat()[0] || null;
    const datasets = [...new Set(panels.flatMap((panel) => panel.datasets))];
    if (accountId === null || /^\d{1,18}$/.test(accountId)) await storeSummaries?.({ accountId, datasets }, signal).catch(() => undefined);
    signal.throwIfAborted();
  };
  serveToReaders(server, (scope) => serveFind(scope, { pool, boards, frame, untilGone }));
  serveToReaders(server, (scope) => {
    const showBoard = async (request: FastifyRequest<{ Querystring: Query }>, reply: FastifyReply, board: Board, alone?: Panel) => {
      const { query, address } = addressOf(request);
      const read = async (signal: AbortSignal): Promise<FreshAnswer> => {
        await prepare(board.panels, query, signal);
        const view = await viewBoard(pool, board, query, signal);
        const isWhole = view.faults.length === 0 && view.panels.every(({ result }) => 'rows' in result);
        return {
          code: view.faults.length > 0 ? 400 : 200,
          headers: { 'content-type': HTML },
          body: putBasePath(boardPage(frame, view, { query, alone, now: new Date() }), basePath),
          basis: isWhole ? view.basis : undefined,
        };
      };
      return sendAnswer(request, reply, await answers.give(address, read, untilGone(reply)));
    };
    const why = boards.find(({ name }) => name === WHY_BOARD);
    const lists = listsOf(boards);
    scope.get<{ Querystring: Query }>(REPORT, async (request, reply) => {
      if (!home) return notFound(reply);
      const { query, address } = addressOf(request);
      const read = async (signal: AbortSignal): Promise<FreshAnswer> => {
        await prepare(home.panels, query, signal);
        const view = await viewBoard(pool, home, query, signal);
        const parts: { measure?: string; view: BoardView }[] = [];
        for (const measure of why && view.faults.length === 0 ? changedMeasures(view.panels) : [])
          if (why) parts.push({ measure, view: await viewBoard(pool, why, { ...query, measure }, signal) });
        for (const board of view.faults.length === 0 ? lists : []) parts.push({ view: await viewBoard(pool, board, query, signal) });
        const all = [view, ...parts.map((each) => each.view)];
        const isWhole = all.every(
          ({ faults, panels, basis }) =>
            faults.length === 0 && basis?.state === view.basis?.state && panels.every(({ result }) => 'rows' in result),
        );
        return {
          code: view.faults.length > 0 ? 400 : 200,
          headers: { 'content-type': HTML },
          body: putBasePath(reportPage(frame, { home: view, parts }, { query, now: new Date() }), basePath),
          basis: isWhole ? view.basis : undefined,
        };
      };
      return sendAnswer(request, reply, await answers.give(address, read, untilGone(reply)));
    });
    scope.get<{ Params: { board: string }; Querystring: Query }>('/boards/:board', async (request, reply) => {
      const board = boards.find(({ name }) => name === request.params.board);
      return board ? showBoard(request, reply, board) : notFound(reply);
    });
    scope.get<{ Params: { board: string; panel: string }; Querystring: Query }>('/boards/:board/:panel', async (request, reply) => {
      const board = boards.find(({ name }) => name === request.params.board);
      const panel = board?.panels.find(({ name }) => name === request.params.panel);
      return board && panel ? showBoard(request, reply, boardOf(board, panel), panel) : notFound(reply);
    });
    scope.get<{ Params: { board: string; panel: string }; Querystring: Query }>('/boards/:board/:panel.csv', async (request, reply) => {
      const board = boards.find(({ name }) => name === request.params.board);
      const panel = board?.panels.find(({ name }) => name === request.params.panel);
      if (!board || !panel) return notFound(reply);
      const { query, address } = addressOf(request);
      const gone = untilGone(reply);
      const read = async (signal: AbortSignal): Promise<FreshAnswer | undefined> => {
        await prepare([panel], query, signal);
        return readWholeCsv(pool, board, panel, { query, signal });
      };
      const answer = await answers.give(address, read, gone);
      if (answer) return sendAnswer(request, reply, answer);
      const { values } = await inSnapshot(pool, (client) => chooseValues(client, board, query), gone);
      return reply.headers(csvHeaders(panel, values)).send(await streamCsv(pool, panel, values, { gone, onRead: () => leavePlace(reply) }));
    });
  });
  server.get<{ Params: { file: string } }>('/assets/:file', FREE, async (request, reply) => {
    const asset = assets.files.get(request.params.file);
    if (!asset) return notFound(reply);
    const isZipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' }).type(asset.type);
    return isZipped ? reply.header('content-encoding', 'gzip').send(asset.zipped) : reply.send(asset.content);
  });
  const notFound = (reply: FastifyReply): FastifyReply =>
    sendMessage(reply, 404, { title: 'Not found', text: 'There is no such board, panel or file.' });

  serveLogin(server, { access, frame, sendMessage });
};

/** The request's query and address in canonical form, which is the key of the cache. */
function addressOf({ query, url }: Readonly<{ query: Query; url: string }>): Readonly<{ query: Query; address: string }> {
  const canonical = canonicalQuery(query);
  return { query: canonical, address: `${url.split('?', 1)[0]}?${writeQuery(canonical)}` };
}

/** A CSV to share between requests; undefined if it is too long, in which case it is streamed. */
async function readWholeCsv(
  pool: Pool,
  board: Board,
  panel: Panel,
  { query, signal }: Readonly<{ query: Query; signal: AbortSignal }>,
): Promise<FreshAnswer | undefined> {
  const { read, basis } = await readBased(pool, board, query, {
    signal,
    panels: [panel],
    read: async (client, { values, faults }) => ({
      values,
      faults,
      text: faults.length > 0 ? '' : await readCsv(client, panel, values, MAX_SHARED_CSV),
    }),
  });
  const { values, faults, text } = read;
  if (faults.length > 0) return { code: 400, headers: { 'content-type': TEXT }, body: `${faults.join('\n')}\n`, basis: undefined };
  return text === undefined ? undefined : { headers: csvHeaders(panel, values), body: text, basis };
}

function csvHeaders(panel: Panel, values: Values): Record<string, string> {
  return {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${nameCsv(panel, values)}"`,
  };
}

/** A signal that aborts when the connection closes. */
function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new Error('the reader has gone')));
  return gone.signal;
}

type Asset = Readonly<{
  type: string;
  content: Buffer;
  /** Compressed once and shared, so that slow readers do not multiply it in memory. */
  zipped: Buffer;
}>;

function readAssets(folder: string): { files: ReadonlyMap<string, Asset>; version: string } {
  const files = new Map<string, Asset>();
  const digest = createHash('sha256');
  for (const [file, type] of Object.entries(ASSETS)) {
    // charts.js exists only after a build. Without it the pages show tables only.
    if (!existsSync(join(folder, file))) continue;
    const content = readFileSync(join(folder, file));
    digest.update(content);
    files.set(file, { type, content, zipped: gzipSync(content) });
  }
  return { files, version: digest.digest('hex').slice(0, 12) };
}

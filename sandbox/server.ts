// The sandbox: a server of the whole service specification over a fictional company, for demos, tests and authors of clients. docs/sandbox.md
// describes its use, docs/service-choices.md its choices where the specification is silent.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:zlib';
import fastifyCompress from '@fastify/compress';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { createBoundedServer } from '../src/core/bounded-server.ts';
import { MEBIBYTE } from '../src/core/byte-sizes.ts';
import { MINUTE } from '../src/core/clock.ts';
import { describeError } from '../src/core/errors.ts';
import { addDays } from '../src/core/weeks.ts';
import { type Dataset, operationPath } from '../src/datasets/dataset.ts';
import { DATASETS } from '../src/datasets/index.ts';
import type { WireRow } from '../src/service/wire.ts';
import { createFaultControl, type FaultControl } from './faults/control.ts';
import { routeControl } from './faults/control-routes.ts';
import { type Delivery, type DeliveryTools, deliverSpoiled, statusSent } from './faults/delivery.ts';
import { Faults } from './faults/faults.ts';
import type { FaultReport } from './faults/journal.ts';
import { createOpenApiDocument } from './openapi.ts';
import { resolveOptions, type SandboxOptions, type SandboxSettings } from './options.ts';
import { authenticate, demandHeader, limitCalls, readBody } from './protocol/admission.ts';
import { type Answer, refusal } from './protocol/answers.ts';
import { Credentials } from './protocol/credentials.ts';
import { answerBy, type Exchange, type Step } from './protocol/exchange.ts';
import { Executions } from './protocol/executions.ts';
import { type CallReport, Observations } from './protocol/observations.ts';
import { PageTokens } from './protocol/page-tokens.ts';
import { answerPage, answerPoll } from './protocol/reading.ts';
import { answerSubmit, createQuestionReader } from './protocol/submitting.ts';
import { wireRows } from './queries/pages.ts';
import { createPeriodCheck } from './queries/period-rules.ts';
import { planQuery, rowLimit } from './queries/plan-query.ts';
import { newestWeek } from './world/reported-weeks.ts';
import { createWorld } from './world/world.ts';

export type SandboxReport = CallReport & Readonly<{ faults: FaultReport }>;

export interface Sandbox extends FaultControl {
  /** The base URL, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Stops listening and drops open connections. */
  close(): Promise<void>;
  /** What it has observed so far. */
  report(): SandboxReport;
  /**
   * The exact rows that submitting `submitBody` to the operation now would yield, in order, with values as on the wire: including restatements
   * and rules of the truth that are limited by time only, and without columns that such a drift removes. Any period is accepted. Faults of
   * single answers are not included. Lazy. Throws when the body would be refused for any other reason.
   */
  rowsOf(operation: string, submitBody: unknown): Iterable<WireRow>;
  /**
   * The rows that should be published of a remembered execution: with the effects of its submit, without missing or undecodable rows.
   * Throws when the execution is not remembered.
   */
  rowsOfExecution(executionId: string): Iterable<WireRow>;
}

/** Maximum size of a request body, in bytes. */
const BODY_LIMIT = MEBIBYTE;
/** Longer than clients keep an unused connection, as with gateways: otherwise a call could hit a connection that is being closed. */
const KEEP_ALIVE_MS = MINUTE;

/** Starts a sandbox and waits until it listens. Throws ConfigurationError for invalid options. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = resolveOptions(options);
  const { clock, weekStartsOn, historyStart, gatewayHeader, records } = settings;
  const calendar = { weekStartsOn, historyStart };
  const world = createWorld({ ...settings, storyWeek: settings.storyWeek ?? newestWeek(clock.now(), calendar) });
  const readQuestion = createQuestionReader(world, calendar);
  const credentials = new Credentials(settings.credentials);
  const executions = new Executions((query) => planQuery(world, calendar, query), settings.maxExecutions);
  const observations = new Observations(
    DATASETS.map(({ name }) => name),
    credentials.names,
  );
  const tokens = new PageTokens();
  const faults = new Faults({ executions, tokens, observations, records });
  const control = createFaultControl({ faults, executions, credentials: credentials.names, now: () => clock.now() });
  if (settings.faults) control.setFaults(settings.faults);
  const closing = new AbortController();

  const readTools = { executions, tokens, observations, clock, pageMs: settings.pageMs, records };
  const way: Way = {
    admission: [
      ...(gatewayHeader ? [demandHeader(gatewayHeader, observations)] : []),
      authenticate(credentials, observations),
      readBody(),
      limitCalls(settings.limits, observations),
    ],
    answering: [
      answerSubmit({
        readQuestion,
        checkPeriod: createPeriodCheck(settings.periods, weekStartsOn),
        revise: (query, exchange) => faults.revise(query, exchange.receivedAt, exchange),
        executions,
        observations,
        queryMs: settings.queryMs,
        records,
      }),
      answerPoll(readTools),
      answerPage(readTools),
    ],
    faults,
    delivery: { clock, closing: closing.signal },
  };
  const report = (): SandboxReport => ({ ...observations.report(executions.size), faults: faults.report() });

  const server = await createServer(settings, observations);
  for (const dataset of DATASETS) routeOperation(server, dataset, way, observations);
  if (settings.isControllable) routeControl(server, control, faults);
  server.get('/healthz', () => ({ status: 'ok' }));
  server.get('/report', report);
  server.get('/openapi.json', (request) => {
    const start = newestWeek(clock.now(), calendar);
    const question = { accountId: settings.accounts[0]?.id ?? 0, start, end: addDays(start, 6) };
    return createOpenApiDocument(`${request.protocol}://${request.host}`, settings, question);
  });
  const url = await server.listen({ host: settings.host, port: settings.port });

  return {
    url,
    report,
    ...control,
    async close() {
      closing.abort();
      executions.close();
      await server.close();
    },
    rowsOf(operation, submitBody) {
      const parsed = readQuestion(operation, submitBody, clock.now());
      if ('problems' in parsed) throw new Error(`the sandbox would refuse this body: ${parsed.problems.join('; ')}`);
      const query = faults.revise(parsed.query, clock.now());
      return faults.publishedRows(wireRows(planQuery(world, calendar, query), rowLimit(query)), query, clock.now());
    },
    rowsOfExecution(executionId) {
      const execution = executions.find(executionId);
      if (!execution) throw new Error(`the sandbox does not remember an execution ${executionId}`);
      return faults.publishedRowsOf(wireRows(executions.planOf(execution), rowLimit(execution.query)), execution);
    },
  };
}

async function createServer({ compression, logger }: SandboxSettings, observations: Observations): Promise<FastifyInstance> {
  const server = Fastify({
    ...(logger ? { loggerInstance: logger } : {}),
    // Fastify's request lines would include the query string, and with it keys and signatures.
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    serverFactory: (listener) => createBoundedServer(listener, { keepAliveMs: KEEP_ALIVE_MS }),
    bodyLimit: BODY_LIMIT,
  });
  if (compression) {
    // Each answer is sent once, so each method uses its fastest level.
    const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    await server.register(fastifyCompress, { global: true, zlibOptions: { level: 1 }, brotliOptions });
  }
  // The steps parse bodies themselves, because they report what is wrong with them.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  // Fastify routes only some methods to a path, and a client may send any.
  server.setNotFoundHandler((request, reply) => {
    const dataset = DATASETS.find((each) => operationPath(each) === pathOf(request));
    return send(
      reply,
      observations,
      dataset ? refusal(405, `${dataset.name} takes POST only`, { allow: 'POST' }) : refusal(404, `there is nothing at ${pathOf(request)}`),
    );
  });
  server.setErrorHandler((error, request, reply) => {
    const status = (error as { statusCode?: unknown }).statusCode;
    if (typeof status === 'number' && status >= 400 && status < 500) return send(reply, observations, refusal(400, describeError(error)));
    request.log.error({ err: error }, 'the sandbox failed');
    return send(reply, observations, refusal(500, 'the sandbox failed; its log says why'));
  });
  return server;
}

/** The steps of a request to an operation. */
type Way = Readonly<{ admission: readonly Step[]; answering: readonly Step[]; faults: Faults; delivery: DeliveryTools }>;

function routeOperation(
  server: FastifyInstance,
  dataset: Dataset,
  { admission, answering, faults, delivery: deliveryTools }: Way,
  observations: Observations,
): void {
  const url = operationPath(dataset);
  server.post(url, async (request, reply) => {
    const exchange: Exchange = {
      dataset,
      requestId: randomUUID(),
      receivedAt: deliveryTools.clock.now(),
      headers: request.headers,
      parameters: new URL(request.url, 'http://sandbox').searchParams,
      rawBody: typeof request.body === 'string' ? request.body : '',
      onFinished: (callback) => reply.raw.once('close', callback),
      credential: undefined,
      body: undefined,
      call: undefined,
      executionId: undefined,
      faults: [],
    };
    const delivery: Delivery = faults.isOn
      ? await faults.attend(exchange, admission, answering)
      : { answer: await answerBy([...admission, ...answering], exchange) };
    const { requestId, call, executionId } = exchange;
    const line = {
      operation: dataset.name,
      call,
      status: statusSent(delivery),
      credential: exchange.credential?.name,
      executionId,
      requestId,
    };
    request.log.info(exchange.faults.length > 0 ? { ...line, faults: exchange.faults } : line, 'answered');
    if (delivery.answer === null || delivery.spoiledBy) {
      const status = statusSent(delivery);
      if (status !== null) observations.noteAnswer(status);
      reply.hijack();
      await deliverSpoiled(reply.raw, delivery, deliveryTools);
      return reply;
    }
    return send(reply, observations, delivery.answer);
  });
}

function send(reply: FastifyReply, observations: Observations, { status, headers, body }: Answer): FastifyReply {
  observations.noteAnswer(status);
  return reply.code(status).type('application/json; charset=utf-8').headers(headers).send(body);
}

/** Without the query string, which may hold a key and a signature. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? '/';
}

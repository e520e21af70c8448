// searchmill probe: compares a real account's answers with what Searchmill expects. Small queries, one per dataset and a few of further jobs; the
// output contains no customer values, so it can be posted in an issue.
import type { JobsConfig } from '../config/settings.ts';
import { MINUTE, systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { groupBy } from '../core/group-by.ts';
import { RECOMMENDED_LIMITS } from '../core/limits.ts';
import { count, formatNumber } from '../core/numbers.ts';
import { VERSION } from '../core/version.ts';
import { formatWindow, type IsoDate, lastCompleteWeek, startOfWeek, windowOfWeeks } from '../core/weeks.ts';
import { DATASETS } from '../datasets/index.ts';
import type { Question } from '../datasets/submit-body.ts';
import { createCallLog, registerConnections } from '../ledger/call-log.ts';
import { type Heard, type ProbeSettings, probeDataset } from '../probe/ask.ts';
import { reportOnJoins } from '../probe/joins.ts';
import { describeOwnBrands, reportOnOwnBrands } from '../probe/own-brands.ts';
import { type ChosenQuestion, chooseQuestions, MAX_QUESTIONS } from '../probe/questions.ts';
import { type DatasetReport, reportOn } from '../probe/report.ts';
import { createServiceClient } from '../service/client.ts';
import { createLimiters } from '../service/limiters.ts';
import { parseDate } from './arguments.ts';
import { EXIT, printJson, readConfig, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ connection?: string; account?: string; week?: IsoDate; yes?: boolean; json?: boolean }>;

export function probeVerb(terminal: Terminal, setExitCode: (code: number) => void): Verb {
  return new Verb('probe')
    .description('ask the service small queries of each dataset, and report what is unexpected')
    .argument('[dataset...]', 'only these; default: all')
    .option('--connection <name>', 'through this connection; default: that of the first job')
    .option('--account <id>', 'about this account; default: that of the first job of the connection')
    .option('--week <date>', 'the week that contains this date; default: the newest complete one', parseDate)
    .option('--yes', 'spend the submits without asking')
    .option('--json', 'as JSON, for an issue')
    .more(`Each query costs a submit and a few reads, which the budget of the ledger
grants beside running loads; at most ${RECOMMENDED_LIMITS.submit} submits a minute are sent.
First each dataset is asked with the filters of its first job, if there is one.
Then, up to ${MAX_QUESTIONS} submits, its further jobs are asked in turn, to find filters that
change nothing: jobs with a filter not tried yet, then those with other values.
Which, and how many are left out, is said before a submit is spent. Nothing is
stored. The output has columns, types, counts, formats, headers and words of
vocabularies, but no value that names a customer, a prompt, a search or an
address.

Examples:
  searchmill probe
  searchmill probe ai_search_brands ai_search_response --yes --json`)
    .action((names: readonly string[], options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool, environment) => {
        const config = readConfig(terminal, environment);
        const { questions, left } = readQuestions(config, names, options);
        const connection = requireConnection(config, options);
        const week = startOfWeek(options.week ?? lastCompleteWeek(systemClock.now(), 'UTC', 'sunday'), 'sunday');
        const window = windowOfWeeks(week, 1);
        const what = `${count(questions.length, 'submit')} to ${connection.baseUrl}, about ${formatWindow(window)}`;
        if (!options.json) terminal.warn(listQuestions(questions, left));
        if (!(await isWanted(terminal, options, what))) return setExitCode(EXIT.usage);
        const nameBudget = await registerConnections(pool, config.connections.values(), { isTrial: true });
        const limiters = createLimiters({ budgetOf: (one) => createCallLog(pool, nameBudget(one)), clock: systemClock });
        const settings: ProbeSettings = {
          openClient: (observer) =>
            createServiceClient({
              connection,
              proxies: environment,
              limiter: limiters.limiterFor(connection),
              clock: systemClock,
              observer,
            }),
          clock: systemClock,
          window,
          signal: terminal.stopping,
        };
        const heard = await probeAll(questions, settings, (done) => !options.json && terminal.warn(`asked ${nameQuestion(done.question)}`));
        for (const { question, problem } of heard) if (problem) terminal.warn(`${nameQuestion(question)}: ${problem.message}`);
        const answers = [...groupBy(heard, ({ question }) => question.dataset.name).values()];
        const first = answers.flatMap(([one]) => one ?? []);
        const datasets = answers.flatMap(([one, ...others]) => (one ? [reportOn(one, others)] : []));
        const [joins, ownBrands] = [reportOnJoins(first), reportOnOwnBrands(first, config.aliases)];
        if (heard.some(({ problem }) => problem !== null)) setExitCode(EXIT.someFailed);
        if (options.json) return printJson(terminal, { version: VERSION, week, datasets, joins, ownBrands });
        for (const report of datasets) terminal.print(describe(report));
        const unmet = joins.flatMap(({ finding }) => finding ?? []);
        const named = ownBrands ? list(ownBrands.finding ? [ownBrands.finding] : [], describeOwnBrands(ownBrands)) : [];
        terminal.print(['where datasets are joined', ...list(unmet, 'all match, judging by the first pages'), ...named].join('\n'));
      }),
    );
}

/** One dataset after the other, at the rate that the service recommends, whatever the connection's limits. Throws CancelledError. */
export async function probeAll(questions: readonly Question[], settings: ProbeSettings, onDone: (heard: Heard) => void): Promise<Heard[]> {
  const { clock, signal, monotonicMs = () => performance.now() } = settings;
  const sentAt: number[] = [];
  const all: Heard[] = [];
  for (const question of questions) {
    const before = sentAt.at(-RECOMMENDED_LIMITS.submit);
    const waitMs = before === undefined ? 0 : before + MINUTE - monotonicMs();
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    sentAt.push(monotonicMs());
    const heard = await probeDataset(question, settings);
    onDone(heard);
    all.push(heard);
  }
  return all;
}

async function isWanted({ confirm, warn }: Terminal, { yes, json }: Options, what: string): Promise<boolean> {
  if (yes) return true;
  if (confirm && !json) return confirm(`This spends ${what}. Continue? [y/N] `);
  warn(`This spends ${what}; confirm with --yes.`);
  return false;
}

function requireConnection(config: JobsConfig, { connection: named }: Options) {
  const name = named ?? config.jobs[0]?.connection ?? '';
  const connection = config.connections.get(name);
  if (!connection) throw new ConfigurationError(`there is no connection "${name}" in ${config.path}`);
  return connection;
}

/** Throws ConfigurationError for a name that is no dataset, and where no account is known. */
function readQuestions(config: JobsConfig, names: readonly string[], options: Options) {
  const connection = requireConnection(config, options).name;
  const jobs = config.jobs.filter((job) => job.connection === connection);
  const account = options.account === undefined ? jobs[0]?.accountId : Number(options.account);
  if (account === undefined || !Number.isSafeInteger(account)) throw new ConfigurationError('name an account with --account <id>');
  const unknown = names.find((name) => !DATASETS.some((dataset) => dataset.name === name));
  if (unknown !== undefined)
    throw new ConfigurationError(`"${unknown}" is not a dataset; they are ${DATASETS.map(({ name }) => name).join(', ')}`);
  const datasets = DATASETS.filter(({ name }) => names.length === 0 || names.includes(name));
  return chooseQuestions(jobs, datasets, account);
}

const nameQuestion = ({ dataset, job }: Question & { job?: string | undefined }): string =>
  job === undefined ? dataset.name : `${dataset.name} as ${job}`;

/** What is going to be asked, in this order, and how much is not. */
function listQuestions(questions: readonly ChosenQuestion[], left: number): string {
  const lines = questions.map((question, at) => `${String(at + 1).padStart(4)}  ${nameQuestion(question)}`);
  return [
    'asks, in this order:',
    ...lines,
    ...(left > 0 ? [`not asked, beyond ${MAX_QUESTIONS} submits: ${count(left, 'job')}`] : []),
  ].join('\n');
}

function describe({ dataset, problem, pageRows, totalRows, readyMs, calls, findings }: DatasetReport): string {
  const states = [...new Set(calls.map(({ call, status, state }) => `${call} ${status ?? 'unanswered'} ${state ?? '-'}`))].join(', ');
  const headers = new Map(calls.flatMap((call) => Object.entries(call.headers)));
  const slowest = Math.max(0, ...calls.map(({ milliseconds }) => milliseconds));
  const rows = `${pageRows.map(formatNumber).join(' and ') || 'no'} rows read of ${totalRows === null ? 'an unknown number' : formatNumber(Number(totalRows))}`;
  return [
    dataset,
    ...(problem === null ? [`    ${rows}; ready after ${formatNumber(readyMs ?? 0)} ms, slowest call ${formatNumber(slowest)} ms`] : []),
    `    ${states}`,
    `    ${[...headers].map(([name, value]) => `${name}: ${value}`).join('; ') || 'no relevant header'}`,
    ...list(findings, 'as known'),
  ].join('\n');
}

const list = (findings: readonly string[], none: string): string[] =>
  findings.length > 0 ? findings.map((each) => `  ! ${each}`) : [`  ok ${none}`];

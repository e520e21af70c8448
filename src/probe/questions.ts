// Which questions a survey (searchmill probe) asks: one a dataset, and those of further jobs, whose filters are tried, too.
import type { Job } from '../config/settings.ts';
import { groupBy } from '../core/group-by.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Question } from '../datasets/submit-body.ts';

/** Most submits of a survey. At the five a minute that it sends, the last goes out after less than four minutes. */
export const MAX_QUESTIONS = 20;

export type ChosenQuestion = Question & Readonly<{ job: string | undefined }>;

type Asking = Pick<Job, 'name' | 'dataset' | 'accountId' | 'filters' | 'filtersDigest' | 'isEnabled'>;

/**
 * At most MAX_QUESTIONS questions, but one of each dataset in any case: that of its first job, or, if no job loads it, one without filters. Further enabled jobs
 * that have filters follow, the datasets in turn: first jobs with a filter that no question of the dataset has yet, then those with other values.
 * `left` is how many of these questions there was no room for.
 */
export function chooseQuestions(
  jobs: readonly Asking[],
  datasets: readonly Dataset[],
  accountId: number,
): Readonly<{ questions: ChosenQuestion[]; left: number }> {
  const own = datasets.map((dataset) => ({ dataset, jobs: jobs.filter((job) => job.dataset === dataset && job.accountId === accountId) }));
  const first = own.map(({ dataset, jobs: [job] }) => ({ dataset, accountId, filters: job?.filters ?? {}, job: job?.name }));
  const ranked = own.map(({ jobs: [asked, ...others] }) => rank(asked, others));
  const further = [...inTurn(ranked.map(({ unasked }) => unasked)), ...inTurn(ranked.map(({ rest }) => rest))].map(
    ({ dataset, filters, name }) => ({ dataset, accountId, filters, job: name }),
  );
  const questions = [...first, ...further].slice(0, Math.max(MAX_QUESTIONS, first.length));
  return { questions, left: first.length + further.length - questions.length };
}

/** The jobs of a dataset after its first: those with a filter that none before them has, and the rest, each question once. */
function rank(asked: Asking | undefined, others: readonly Asking[]): Readonly<{ unasked: Asking[]; rest: Asking[] }> {
  const seen = new Set(Object.keys(asked?.filters ?? {}));
  const [unasked, rest]: [Asking[], Asking[]] = [[], []];
  const filtered = others.filter(({ isEnabled, filters }) => isEnabled && Object.keys(filters).length > 0);
  for (const [digest, [job]] of groupBy(filtered, ({ filtersDigest }) => filtersDigest)) {
    if (!job || digest === asked?.filtersDigest) continue;
    const names = Object.keys(job.filters);
    (names.every((name) => seen.has(name)) ? rest : unasked).push(job);
    for (const name of names) seen.add(name);
  }
  return { unasked, rest };
}

/** The first of each list, then the second of each, and so on. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

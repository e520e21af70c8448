// Renamed jobs. What a job has loaded belongs to its question, not to its name: a job whose question the ledger knows under another name,
// which no longer asks it, takes over the slices, the pause and the settings of that name. So nothing is loaded again, and jobs may even
// swap names.
import type { Job } from '../config/settings.ts';
import { groupBy } from '../core/group-by.ts';
import { sumOf } from '../core/numbers.ts';
import { mapInTurns, Turns } from '../core/turns.ts';
import { areDisjoint, type Selection, SelectionIndex, selectionOf } from '../datasets/disjoint-filters.ts';
import { datasetNamed } from '../datasets/index.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { type DescribedRow, execute, readRows } from '../postgres/statements.ts';

/** A configured job, with what identifies it. */
export type NamedQuestion = Pick<Job, 'name' | 'accountId' | 'filters' | 'filtersDigest' | 'isEnabled'> &
  Readonly<{ dataset: Pick<Job['dataset'], 'name'> }>;

/** A job of the ledger that has slices. `isElsewhere`: another running process is configured with its name. */
export type KnownQuestion = DescribedRow<'jobs/read-known', { filters: Readonly<Record<string, unknown>> }>;

/** Old names by new name: of jobs that are renamed, and of jobs that wait until no other process has the old name. */
export type Renames = Readonly<{ moves: ReadonlyMap<string, string>; waiting: ReadonlyMap<string, string> }>;

const placeOf = ({ dataset, accountId }: Readonly<{ dataset: string; accountId: number }>): string => `${dataset} ${accountId}`;
const keyOf = (question: Readonly<{ dataset: string; accountId: number; filtersDigest: string }>): string =>
  `${placeOf(question)} ${question.filtersDigest}`;
/** A configured job in the form of the ledger. */
type Asked = Omit<KnownQuestion, 'removedAt' | 'isElsewhere'>;
const asKnown = ({ dataset, ...job }: NamedQuestion) => ({ ...job, dataset: dataset.name });

/**
 * Finds the renamed jobs. A job that already has slices takes over others only from a name that is given up at the same time, not from one
 * that was removed before: rows which that one left in the table are not part of its own. Pure, and in turns.
 */
export async function findRenames(known: readonly KnownQuestion[], configured: readonly NamedQuestion[]): Promise<Renames> {
  const before = new Map(known.map((job) => [job.name, job]));
  const now = new Map(configured.map((job) => [job.name, asKnown(job)]));
  const isGivenUp = (job: KnownQuestion): boolean => {
    const successor = now.get(job.name);
    return successor === undefined || keyOf(successor) !== keyOf(job);
  };
  // If several asked the same question, the one that did so last wins.
  const givenUp = groupBy(
    known.filter(isGivenUp).toSorted((a, b) => (b.removedAt?.getTime() ?? Infinity) - (a.removedAt?.getTime() ?? Infinity) || 0),
    keyOf,
  );
  const sources = new Map<string, string>();
  const turns = new Turns();
  for (const job of [...now.values()].toSorted((a, b) => Number(b.isEnabled) - Number(a.isEnabled))) {
    if (turns.isOver) await turns.next();
    const own = before.get(job.name);
    if (own && !isGivenUp(own)) continue;
    const candidates = givenUp.get(keyOf(job)) ?? [];
    const at = candidates.findIndex(({ name, removedAt }) => name !== job.name && (own === undefined || removedAt === null));
    const [source] = at === -1 ? [] : candidates.splice(at, 1);
    if (source) sources.set(job.name, source.name);
  }
  for (const [name, source] of await findExchanged(known.filter(isGivenUp), now, sources)) sources.set(name, source);
  return sortOut(sources, before, now);
}

/** The most comparisons that are made for the jobs of one dataset and account, and the most filter values of a job that is compared at all. */
const MAX_COMPARISONS = 1_000_000;
const MAX_VALUES = 10_000;

/**
 * Jobs whose names were swapped and whose filters changed at the same time: their new question shares no rows with their old one, but does
 * with exactly one name that is given up at the same time, whose rows no other job asks for. Returns old names by new name.
 */
async function findExchanged(
  givenUp: readonly KnownQuestion[],
  now: ReadonlyMap<string, Asked>,
  sources: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const taken = new Set(sources.values());
  const free = givenUp.filter(({ name, removedAt }) => removedAt === null && !taken.has(name));
  const asked = groupBy([...now.values()], placeOf);
  const exchanged = new Map<string, string>();
  for (const [place, former] of groupBy(free, placeOf)) {
    const jobs = asked.get(place) ?? [];
    const names = new Set(former.map(({ name }) => name));
    const turned = jobs.filter(({ name }) => names.has(name) && !sources.has(name));
    if (turned.length === 0 || [...former, ...jobs].some(hasManyValues)) continue;
    for (const [name, source] of await findExchangedOf({ former, jobs, turned })) exchanged.set(name, source);
  }
  return exchanged;
}

const hasManyValues = ({ filters }: Pick<Asked, 'filters'>): boolean =>
  sumOf(Object.values(filters), (value) => (Array.isArray(value) ? value.length : 1)) > MAX_VALUES;

/** Questions of one dataset and account: given up under their names, asked now, and those of them whose names were given up. */
type Place = Readonly<{ former: readonly KnownQuestion[]; jobs: readonly Asked[]; turned: readonly Asked[] }>;

async function findExchangedOf({ former, jobs, turned }: Place): Promise<readonly (readonly [string, string])[]> {
  const [before, now] = [await indexRows(former), await indexRows(jobs)];
  const exchanged: (readonly [string, string])[] = [];
  const turns = new Turns();
  let comparisons = 0;
  const namesSharing = (selection: Selection, { index, names }: IndexedRows): string[] => {
    const { found, compared } = index.findSome(selection, 2);
    comparisons += compared;
    return [...found].flatMap((number) => names[number] ?? []);
  };
  for (const { name } of turned) {
    if (turns.isOver) await turns.next();
    const [own, wanted] = [before.selections.get(name), now.selections.get(name)];
    if (!own || !wanted || !areDisjoint(own, wanted)) continue;
    const [source, ...others] = namesSharing(wanted, before);
    const given = source === undefined ? undefined : before.selections.get(source);
    if (source !== undefined && given && others.length === 0 && namesSharing(given, now).every((other) => other === name))
      exchanged.push([name, source]);
    // All or none: which jobs are recognised does not depend on their order.
    if (comparisons > MAX_COMPARISONS) return [];
  }
  return exchanged;
}

type IndexedRows = Readonly<{ index: SelectionIndex; names: readonly string[]; selections: ReadonlyMap<string, Selection> }>;

/** Questions of one dataset and account, by the rows they select. */
async function indexRows(questions: readonly Pick<Asked, 'name' | 'dataset' | 'filters'>[]): Promise<IndexedRows> {
  const dataset = datasetNamed(questions[0]?.dataset ?? '');
  const index = new SelectionIndex(dataset);
  const selections = await mapInTurns(questions, ({ name, filters }) => {
    const selection = selectionOf(dataset, filters);
    index.add(selection);
    return [name, selection] as const;
  });
  return { index, names: questions.map(({ name }) => name), selections: new Map(selections) };
}

/** Follows the renames from job to job and closes cycles: the old slices of a job that takes over others go to the name at the end. */
function sortOut(
  sources: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, KnownQuestion>,
  now: ReadonlyMap<string, Asked>,
): Renames {
  const [moves, waiting] = [new Map<string, string>(), new Map<string, string>()];
  const taken = new Set(sources.values());
  const seen = new Set<string>();
  // Chains begin with a job whose own slices nobody takes; what remains are cycles.
  const heads = [...sources.keys()].toSorted((a, b) => Number(taken.has(a)) - Number(taken.has(b)));
  for (const head of heads) {
    const chain = new Map<string, string>();
    let last = head;
    for (let source = sources.get(last); source !== undefined && !seen.has(last); source = sources.get(last)) {
      seen.add(last);
      chain.set(last, source);
      last = source;
    }
    const own = before.get(head);
    if (own && !taken.has(head)) {
      const successor = now.get(last);
      // Slices of another dataset or account do not fit there, so the whole chain stays as it is.
      if (successor && placeOf(successor) !== placeOf(own)) continue;
      chain.set(last, head);
    }
    const isFree = [...chain.values()].every(
      (name) => now.has(name) || before.get(name)?.removedAt !== null || !before.get(name)?.isElsewhere,
    );
    for (const [to, from] of chain) (isFree ? moves : waiting).set(to, from);
  }
  return { moves, waiting };
}

/** Which jobs would be renamed. Writes nothing. */
export async function readRenames(db: Pool | Client, configured: readonly NamedQuestion[], instanceId = ''): Promise<Renames> {
  return await findRenames(await readRows(db, 'jobs/read-known', { instanceId }), configured);
}

/**
 * Gives renamed jobs what they had under their old names, within a transaction in which nobody else plans (lockJobs). Waits for their
 * publishes in progress. Repeating changes nothing. Throws StoreError.
 * @param configured all jobs of this process
 */
export async function renameJobs(client: Client, configured: readonly NamedQuestion[], instanceId: string): Promise<Renames> {
  const renames = await readRenames(client, configured, instanceId);
  if (renames.moves.size === 0) return renames;
  const [names, targets] = [[...renames.moves.values()], [...renames.moves.keys()]];
  await execute(client, 'jobs/lock-named', { names: [...new Set([...names, ...targets])] });
  await execute(client, 'executions/take-renamed', { names });
  await execute(client, 'jobs/set-aside', { names });
  await execute(client, 'jobs/remove-named', { names: targets });
  const moves = [...renames.moves].map(([to, from]) => ({ from, to }));
  await execute(client, 'jobs/rename', { moves: JSON.stringify(moves) });
  return renames;
}

/** Whether the ledger has the job with its current question: then its slices are its own. */
export async function isRecorded(client: Client, job: NamedQuestion): Promise<boolean> {
  const { name, dataset, accountId, filtersDigest } = asKnown(job);
  const [found] = await readRows(client, 'jobs/is-recorded', { job: name, dataset, accountId, filtersDigest });
  return found?.found === true;
}

/** The name under which the ledger has the slices that a job has or takes over; undefined when another job takes them. */
export function findSource({ moves, waiting }: Renames, job: string): string | undefined {
  const isGivenAway = [...moves.values(), ...waiting.values()].includes(job);
  return moves.get(job) ?? waiting.get(job) ?? (isGivenAway ? undefined : job);
}

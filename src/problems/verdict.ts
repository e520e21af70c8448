// The verdict: whether a person is needed, in one sentence, with the numbers of weeks and loads.
import { count } from '../core/numbers.ts';
import type { Problem, Status } from './status.ts';
import { countWeeks } from './week-groups.ts';

export type Verdict = Readonly<{
  kind: 'needs-you' | 'passing' | 'paused' | 'nothing-yet' | 'nobody-runs' | 'well';
  text: string;
  /** Number of expected weeks; `published` counts those of them that are published. */
  expected: number;
  published: number;
  /** Number of live loads that are not held. */
  underWay: number;
}>;

export function findVerdict({ coverage, live, jobs, connections, instances }: Status, problems: readonly Problem[]): Verdict {
  const expectedWeeks = coverage.filter((group) => group.isExpected);
  const expected = countWeeks(expectedWeeks);
  const published = countWeeks(expectedWeeks.filter((group) => group.state === 'published'));
  const underWay = live.filter((execution) => execution.state !== 'held').length;
  const isPaused = [...jobs, ...connections].some((one) => one.pausedSince !== null);
  const isRunning = instances.some((instance) => instance.isAlive);
  return { ...judge(problems, { isPaused, isRunning, expected, published }), expected, published, underWay };
}

function judge(
  problems: readonly Problem[],
  { isPaused, isRunning, expected, published }: Readonly<{ isPaused: boolean; isRunning: boolean; expected: number; published: number }>,
): Pick<Verdict, 'kind' | 'text'> {
  const needing = problems.filter((problem) => problem.needsYou).length;
  if (needing > 0) return { kind: 'needs-you', text: `${count(needing, 'problem')} ${needing === 1 ? 'needs' : 'need'} you: see below.` };
  if (problems.length > 0) return { kind: 'passing', text: 'Some problems, but nothing for you to do.' };
  if (isPaused) return { kind: 'paused', text: 'Paused by hand, at least in part: see below.' };
  if (expected === 0) return { kind: 'nothing-yet', text: 'No week is expected yet.' };
  if (!isRunning) {
    const text =
      published === expected
        ? 'Every expected week is published, but no process is running.'
        : 'No process is running, and not every expected week is published.';
    return { kind: 'nobody-runs', text };
  }
  return { kind: 'well', text: published === expected ? 'All is well.' : 'All is going well.' };
}

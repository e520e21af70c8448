// A question as the sandbox keeps it: what a submit body asked for, checked, and nothing of the answer.
import type { IsoDate, Window } from '../../src/core/weeks.ts';
import type { KnownDataset } from '../../src/datasets/index.ts';

export type FilterValue = number | string | boolean | readonly (number | string)[];

/** First days of the weeks a revision is about; every week when there are none. */
type Weeks = Readonly<{ weeks?: readonly IsoDate[] | undefined }>;

/**
 * Shares are of rows, 0 to 1: those whose `columns` change (measures when left out), those that vanish, those that a new
 * row appears after. Another number chooses other rows and gives them other values.
 */
export type Restatement = Weeks &
  Readonly<{
    kind: 'restate';
    number: number;
    share: number;
    vanish: number;
    appear: number;
    columns?: readonly string[] | undefined;
  }>;
/** Only a share of the rows is left; 0 leaves none. */
export type Shrinkage = Weeks & Readonly<{ kind: 'shrink'; keep: number }>;
/** One row for all that was asked: that of the window's first week, its period the whole window. */
export type WholePeriod = Readonly<{ kind: 'whole_period' }>;
/** A value of a column is written in another way. Filters go by the one that it had. */
export type Misspelling = Weeks & Readonly<{ kind: 'misspell'; column: string; from: string; to: string }>;
export type Revision = Restatement | Shrinkage | WholePeriod | Misspelling;

export type Query = Readonly<{
  dataset: KnownDataset;
  accountId: number;
  window: Window;
  /** Submitted fields other than account and window, empty lists left out. */
  filters: Readonly<Record<string, FilterValue>>;
  /**
   * First day of the newest week that was over when the question was asked. Part of the question, so that the pages of
   * an execution agree with each other when a week ends while it is being read.
   */
  newestWeek: IsoDate;
  /** How the rows had been revised when the question was asked, in order; part of the question for the same reason. */
  revisions: readonly Revision[];
}>;

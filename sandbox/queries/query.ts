// A question as the sandbox stores it: the validated content of a submit body, and nothing of the answer.
import type { IsoDate, Window } from '../../src/core/weeks.ts';
import type { KnownDataset } from '../../src/datasets/index.ts';

export type FilterValue = number | string | boolean | readonly (number | string)[];

/** First days of the weeks that a revision concerns; every week when there are none. */
type Weeks = Readonly<{ weeks?: readonly IsoDate[] | undefined }>;

/**
 * Shares are of rows, 0 to 1: rows whose `columns` change (by default the measures), rows that vanish, and rows after which a new one appears.
 * Another number chooses other rows and other values.
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
/** Only this share of the rows remains; 0 leaves none. */
export type Shrinkage = Weeks & Readonly<{ kind: 'shrink'; keep: number }>;
/** One row for the whole period: the row of the window's first week, with the window as its period. */
export type WholePeriod = Readonly<{ kind: 'whole_period' }>;
/** A value of a column is written differently. Filters still use the original value. */
export type Misspelling = Weeks & Readonly<{ kind: 'misspell'; column: string; from: string; to: string }>;
export type Revision = Restatement | Shrinkage | WholePeriod | Misspelling;

export type Query = Readonly<{
  dataset: KnownDataset;
  accountId: number;
  window: Window;
  /** Submitted fields other than account and window, without empty lists. */
  filters: Readonly<Record<string, FilterValue>>;
  /**
   * First day of the newest week that was over when the question was asked. Part of the question, so that the pages of an execution are
   * consistent if a week ends while it is read.
   */
  newestWeek: IsoDate;
  /** Revisions of the rows when the question was asked, in order; part of the question for the same reason. */
  revisions: readonly Revision[];
}>;

// A question as the sandbox keeps it: what a submit body asked for, checked, and nothing of the answer.
import type { IsoDate, Window } from '../../core/weeks.ts';
import type { Dataset } from '../../datasets/dataset.ts';
import type { Revision } from './revision.ts';

export type FilterValue = number | string | boolean | readonly (number | string)[];

export type Query = Readonly<{
  dataset: Dataset;
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

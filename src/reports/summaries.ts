// The summaries of search_reports, by subject. All summaries of a subject are marked and refreshed together. migrations/repeatable
// defines them.
import type { ReportSubject } from '../datasets/dataset.ts';
import type { FragmentsOf } from '../postgres/statements.ts';

/** In the order of storing: sums and values are computed from facts. */
export const SUMMARIES = {
  rankings: ['search_facts', 'search_sites', 'search_values', 'ranking_pages'],
  answers: ['ai_names', 'prompt_facts', 'prompt_sums', 'prompt_values', 'ai_spellings'],
  citations: ['ai_cited_pages'],
  sentiments: ['ai_sentiments'],
  fan_out: ['ai_fan_out'],
} as const satisfies Record<ReportSubject, readonly string[]>;

export type Summary = (typeof SUMMARIES)[ReportSubject][number];

/** A subject's week of an account. `week` is the Sunday that begins it. `accountId` is decimal text, since it may be beyond 2^53. */
export type ReportWeek = Readonly<{ subject: ReportSubject; accountId: string; week: string }>;

/** Where a summary is stored, and the function that computes it. */
export function placesOf(summary: Summary): FragmentsOf<'reports/store'> {
  return { stored: `search_stored.${summary}`, compute: `search_reports.compute_${summary}` };
}

// The summaries of search_reports by subject, which is what is marked and refreshed as a whole. migrations/repeatable defines them.
import type { ReportSubject } from '../datasets/dataset.ts';
import type { FragmentsOf } from '../warehouse/statements.ts';

/** In the order in which they are stored: totals and groups are made from searches, totals of citations from sites. */
export const SUMMARIES = {
  rankings: ['ranking_searches', 'ranking_sites', 'ranking_totals', 'ranking_groups', 'ranking_pages'],
  answers: ['ai_answers', 'ai_spellings'],
  citations: ['ai_citation_sites', 'ai_citation_totals', 'ai_cited_pages'],
  sentiments: ['ai_sentiments'],
  fan_out: ['ai_fan_out'],
} as const satisfies Record<ReportSubject, readonly string[]>;

export type Summary = (typeof SUMMARIES)[ReportSubject][number];

/** A week of an account, which begins on a Sunday. `accountId` is decimal text: it may be beyond 2^53. */
export type ReportWeek = Readonly<{ subject: ReportSubject; accountId: string; week: string }>;

/** Where a summary is stored, and the function that computes it. */
export function placesOf(summary: Summary): FragmentsOf<'reports/store'> {
  return { stored: `search_stored.${summary}`, compute: `search_reports.compute_${summary}` };
}

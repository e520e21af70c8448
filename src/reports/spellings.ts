// Values that the datasets of an account spell differently, so that figures that join them find no matches.
import type { Alias } from '../config/settings.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { Pool } from '../postgres/pool.ts';
import { readRows } from '../postgres/statements.ts';

export type UnmetSpelling = Readonly<{
  accountId: string;
  kind: Alias['kind'];
  /** The dataset whose `spelling` differs from `answersSpelling`, the one in ai_search_response. */
  dataset: 'ai_search_brands' | 'ai_search_citations';
  spelling: string;
  answersSpelling: string;
  weeks: number;
  firstWeek: IsoDate;
  lastWeek: IsoDate;
  /** The end of the first week that has both. */
  apartSince: Date;
  /** The alias for jobs.config.yaml that joins both spellings. */
  line: string;
}>;

/** Reads them from the newest 13 stored weeks. Throws StoreError. */
export function readUnmetSpellings(pool: Pool): Promise<UnmetSpelling[]> {
  return readRows(pool, 'reports/read-unmet-spellings');
}

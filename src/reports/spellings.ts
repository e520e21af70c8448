// What the datasets of an account spell in different ways, so that figures that join them find nothing.
import type { Alias } from '../config/settings.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { Pool } from '../warehouse/pool.ts';
import { readRows } from '../warehouse/statements.ts';

export type UnmetSpelling = Readonly<{
  accountId: string;
  kind: Alias['kind'];
  /** The dataset that does not meet the answers, and how it spells. */
  dataset: 'ai_search_brands' | 'ai_search_citations';
  spelling: string;
  answersSpelling: string;
  weeks: number;
  firstWeek: IsoDate;
  lastWeek: IsoDate;
  /** For jobs.config.yaml. */
  line: string;
}>;

/** Of the newest weeks that are stored. Throws StoreError. */
export function readUnmetSpellings(pool: Pool): Promise<UnmetSpelling[]> {
  return readRows(pool, 'reports/read-unmet-spellings');
}

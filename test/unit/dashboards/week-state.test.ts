// The newest week beside the filters, and whether all of it is there.
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { DatasetWeek } from '../../../src/dashboards/sources.ts';
import { WeekState } from '../../../src/dashboards/week-state.tsx';

const WEEK = '2026-11-15';
const published = (dataset: string): DatasetWeek => ({ dataset, week: WEEK, state: 'published', reason: null, isPartial: false });
const tell = (states: readonly DatasetWeek[], datasets: readonly string[] = states.map(({ dataset }) => dataset)): string =>
  renderToString(h(WeekState, { states, datasets })).replaceAll(/<[^>]*>/g, '');

describe('the state of the week', () => {
  it('is complete where every dataset that is loaded has it', () => {
    expect(tell([published('keyword_rankings'), published('ai_search_brands')])).toBe(`Week of ${WEEK} complete`);
    expect(tell([])).toBe('Nothing has been published yet');
  });

  it('names what is not there, what that means, and whom to ask, without a command', () => {
    const held: DatasetWeek = { ...published('keyword_rankings'), state: 'held', reason: 'held (acme-rankings)' };
    const told = tell([held, published('ai_search_brands')]);
    expect(told).toContain('not complete: 1 dataset of 2');
    expect(told).toContain('Keyword rankings: held (acme-rankings)');
    expect(told).toMatch(/held: loaded, but .* ask those who run Searchmill\./);
    expect(told).not.toMatch(/searchmill \w/);
  });

  it('counts what only some jobs have published, and what no job expects in that week', () => {
    const partial: DatasetWeek = { ...published('keyword_rankings'), reason: 'partly there: missing (b)', isPartial: true };
    const told = tell([partial], ['keyword_rankings', 'ai_search_brands']);
    expect(told).toContain('not complete: 2 datasets of 2');
    expect(told).toContain('AI search brands: not expected');
  });

  it('tells of figures with rows of a job that is loaded no more, which lack nothing', () => {
    const mixed: DatasetWeek = { ...published('keyword_rankings'), reason: 'figures include rows of old, which is disabled' };
    const told = tell([mixed, published('ai_search_brands')]);
    expect(told).toContain('rows of jobs that are loaded no more: 1 dataset');
    expect(told).toContain('Keyword rankings: figures include rows of old, which is disabled');
    expect(told).not.toContain('complete');
  });
});

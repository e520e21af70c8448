// What boards show, for tests that compute it a second time: jobs that are loaded before the tests of a file, and what the sandbox served for them.
import { afterAll, beforeAll } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { createPanelPool } from '../../src/dashboards/run-panels.ts';
import type { DatasetName } from '../../src/datasets/index.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { readServed, type ServedRow } from './served-objects.ts';
import { createSimulatedClock } from './simulated-clock.ts';
import { createTestStack, sandboxJobs, type TestStack } from './test-stack.ts';

/** What is loaded, from beforeAll on. */
export interface LoadedBoards {
  readonly stack: TestStack;
  /** As the pages read panels. */
  readonly panels: Pool;
  rowsOf(dataset: string): readonly ServedRow[];
  /** Domains of citations attributed to You, which are ours, as no job is configured with any. */
  readonly ownDomains: ReadonlySet<string>;
}

/** Loads these datasets to the week of 2026-11-08, with their summaries, before the tests of a file. */
export function useBoards(defaults: string, datasets: readonly DatasetName[]): LoadedBoards {
  let stack: TestStack;
  let panels: Pool;
  let served: ReadonlyMap<string, readonly ServedRow[]>;
  beforeAll(async () => {
    stack = await createTestStack({
      queue: { kind: 'postgres', redisUrl: undefined },
      // No panel that is computed a second time shows signals, which take longer than all the loads.
      jobs: `${sandboxJobs(`account_id: 12345, ${defaults}`, Object.fromEntries(datasets.map(jobOf)))}signals: { enabled: false }\n`,
      clock: createSimulatedClock('2026-11-16T12:00:00Z'),
      sandbox: { size: 'tiny' },
    });
    await stack.start();
    // The own domains come from citations: rankings that were published before are summarised anew.
    await stack.settleBoards();
    served = await readServed(stack);
    panels = createPanelPool(new Secret(stack.databaseUrl));
  });
  afterAll(async () => {
    await panels?.end();
    await stack?.close();
  });
  const rowsOf = (dataset: string): readonly ServedRow[] => served.get(dataset) ?? [];
  return {
    get stack() {
      return stack;
    },
    get panels() {
      return panels;
    },
    rowsOf,
    get ownDomains() {
      const ours = rowsOf('ai_search_citations').filter((row) => row.citation_attribution?.toLowerCase() === 'you');
      return new Set(ours.map((row) => (row.citation_domain ?? '').toLowerCase().replace(/^www\./, '')));
    },
  };
}

const jobOf = (dataset: DatasetName): [name: string, job: string] => [
  dataset.replaceAll('_', '-'),
  dataset === 'keyword_rankings' ? `${dataset}, filters: { includeMsv: true }` : dataset,
];

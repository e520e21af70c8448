import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

/** Tests that need a server get its address from test/support/servers.ts, which starts one only when such tests run. */
const withServers = {
  globalSetup: ['test/support/servers.ts'],
  runner: 'test/support/server-runner.ts',
  // Only reached when something hangs, and longer than all that tests wait for: a busy machine is not wrong.
  testTimeout: 12 * MINUTE,
  hookTimeout: 12 * MINUTE,
};

/** These mock modules of Node, which takes processes of their own. */
const MOCKING = [
  'test/unit/codec/full-disk.test.ts',
  'test/unit/embedded/refusals.test.ts',
  'test/unit/queue/doorbell.test.ts',
  'test/contract/client-full-disk.test.ts',
];

/** "npm run test:waiting": outages and most of end to end wait for leases, connections that are given up and processes that start. */
const WAITING = [
  'test/integration/{nights,outages}/*.test.ts',
  'test/integration/end-to-end/!(catching-up|first-steps|two-instances).test.ts',
];
/** What else takes long: "npm run test:long". Every promise has tests that "npm test" runs, too. */
const LONG = [
  'test/contract/sandbox-filters.test.ts',
  'test/integration/embedded/*.test.ts',
  'test/integration/**/*-random.test.ts',
  'test/integration/cli/{account-lists,commands-as-typed,control,database-addresses,erasing,loading,odd-rows,overlapping-jobs}.test.ts',
  'test/integration/cli/{plans,probe,reloading,renamed-jobs,reports,spellings,standstills,verifying,warnings}.test.ts',
  'test/integration/dashboards/{ai-panels,annotations,any-question,bi-views,browser-widths,grafana,health-panels,home-panels,joins}.test.ts',
  'test/integration/dashboards/{kept-answers-of-boards,megabyte-texts,nameless,one-thing-boards,one-thing-panels,own-sites,pages,questions,stories,variables}.test.ts',
  'test/integration/notify/{notifying,processes}.test.ts',
  'test/integration/signals/silence.test.ts',
  'test/integration/ops/{crowds,operator-pages,ops,tracing}.test.ts',
  'test/integration/support/test-database.test.ts',
  'test/integration/warehouse/{absurd-times,account-logins,changed-tables,changed-weeks,endless-loads,hostile-pages,jobs-in-turn}.test.ts',
  'test/integration/warehouse/{keep-weeks,lacking-columns,large-slices,migrating-in-use,migrations,outside-rows,overlapping-slices,partitions,upgrade-from-1.0.0}.test.ts',
  'test/integration/warehouse/{planners,random-events,rates,recipes,reports,reports-anew,republishing,retention,roles,rotated-logins}.test.ts',
  'test/integration/warehouse/{skipped-rows,strict-databases,vanishing-rows,verifying,yielding}.test.ts',
];
/** Properties that "npm test" tries a few times (test/support/property-runs.ts) are tried often by "npm run test:long". */
const withProperties = (folder: string): string[] =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith('.test.ts') && readFileSync(join(import.meta.dirname, file), 'utf8').includes('propertyRuns('));
const OFTEN = { env: { PROPERTY_RUNS: 'all' } };
const UNIT_TIMES = { testTimeout: MINUTE, hookTimeout: MINUTE };

export default defineConfig({
  test: {
    watch: false,
    // Modules are transformed once for all projects, runs and processes.
    experimental: { fsModuleCache: true },
    // For the two cores of a CI machine: much of the time of tests is waiting, for leases that end or connections that are given up.
    // Most files share processes: they leave nothing behind, and loading the same modules for each took half of the time of unit and contract,
    // and 1.8 s of a core a file of integration and long. Those that wait have a process each: what they cut and leave hanging are connections
    // of their process, too.
    pool: 'forks',
    maxWorkers: 5,
    dangerouslyIgnoreUnhandledErrors: false,
    // Only reached when something is wrong, and a busy machine is not.
    expect: { poll: { timeout: 5 * MINUTE } },
    coverage: { include: ['src/**/*.{ts,tsx}', 'sandbox/**/*.ts', 'embedded/**/*.ts'], reporter: ['text-summary', 'html'] },
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'], exclude: MOCKING, isolate: false, ...UNIT_TIMES } },
      { extends: true, test: { name: 'unit-mocking', include: MOCKING, ...UNIT_TIMES } },
      {
        extends: true,
        test: {
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          exclude: [...MOCKING, ...LONG],
          isolate: false,
          testTimeout: 3 * MINUTE,
          hookTimeout: 3 * MINUTE,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: [...LONG, ...WAITING],
          isolate: false,
          ...withServers,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: [...LONG, ...withProperties('test/integration')],
          exclude: WAITING,
          isolate: false,
          ...withServers,
          ...OFTEN,
        },
      },
      { extends: true, test: { name: 'waiting', include: WAITING, ...withServers, ...OFTEN } },
      { extends: true, test: { name: 'properties', include: withProperties('test/unit'), isolate: false, ...UNIT_TIMES, ...OFTEN } },
      // Engines that npm's packages do not have, where they are installed: "npm run test:engines".
      ...(process.env.TEST_ENGINES
        ? [
            {
              extends: true as const,
              test: { name: 'engines', include: ['test/engines/**/*.test.ts'], ...withServers, testTimeout: 15 * MINUTE },
            },
          ]
        : []),
      // Tools of others that read an export or ask as an assistant, from Python's packages: "npm run test:tools".
      ...(process.env.TEST_TOOLS
        ? [{ extends: true as const, test: { name: 'tools', include: ['test/tools/**/*.test.ts'], ...withServers } }]
        : []),
      // Recipes for those who follow changed weeks, run as their users run them: "npm run test:orchestrators".
      ...(process.env.TEST_ORCHESTRATORS
        ? [{ extends: true as const, test: { name: 'orchestrators', include: ['test/orchestrators/**/*.test.ts'], ...withServers } }]
        : []),
      // With the client parts of Grafana: "npm run test:grafana".
      ...(process.env.TEST_GRAFANA
        ? [{ extends: true as const, test: { name: 'grafana', include: ['test/grafana/**/*.test.ts'], ...withServers } }]
        : []),
      // With dbt itself: "npm run test:dbt".
      ...(process.env.TEST_DBT
        ? [
            {
              extends: true as const,
              test: { name: 'dbt', include: ['test/dbt/**/*.test.ts'], ...withServers, testTimeout: 15 * MINUTE, hookTimeout: 15 * MINUTE },
            },
          ]
        : []),
      { extends: true, test: { name: 'chaos', include: ['test/chaos/**/*.test.ts'], ...withServers } },
    ],
  },
});

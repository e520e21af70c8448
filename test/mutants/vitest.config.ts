// The tests that mutants of stryker.config.json must not survive: those without servers, of the folders that are mutated.
import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

export default defineConfig({
  test: {
    watch: false,
    include: ['test/unit/{dashboards,pipeline,signals}/**/*.test.ts'],
    isolate: false,
    testTimeout: MINUTE,
    hookTimeout: MINUTE,
  },
});

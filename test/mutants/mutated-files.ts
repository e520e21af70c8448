// Which files are mutated: who may see the pages, the pipeline, measures and signals. A file of these folders stands in one of the two lists.
export const MUTATED = [
  'src/dashboards/access.ts',
  'src/dashboards/measures.ts',
  'src/dashboards/password-attempts.ts',
  'src/dashboards/readers.ts',
  'src/dashboards/sessions.ts',
  'src/pipeline/audit.ts',
  'src/pipeline/endless.ts',
  'src/pipeline/expected-weeks.ts',
  'src/pipeline/lease-keeper.ts',
  'src/pipeline/one-at-a-time.ts',
  'src/pipeline/outcome.ts',
  'src/pipeline/plan.ts',
  'src/pipeline/poll.ts',
  'src/pipeline/priority-turns.ts',
  'src/pipeline/read-ahead.ts',
  'src/pipeline/shrinkage.ts',
  'src/pipeline/suspects.ts',
  'src/signals/rule-file.ts',
  'src/signals/rules.ts',
] as const;

/** What only tests with servers run: a mutant of it would take minutes, not half a second. */
export const WITH_SERVERS = [
  'src/pipeline/failures.ts',
  'src/pipeline/load.ts',
  'src/pipeline/losses.ts',
  'src/pipeline/pipeline.ts',
  'src/pipeline/publish.ts',
  'src/pipeline/shared.ts',
  'src/pipeline/step.ts',
  'src/pipeline/submit.ts',
  'src/signals/look.ts',
] as const;

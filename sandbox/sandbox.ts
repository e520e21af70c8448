// Entry point of the sandbox: the only file that src may import, and only src/cli does. Tests may import other files.
import { RECORD_FORMS } from './protocol/answers.ts';
import { PERIOD_RULES } from './queries/period-rules.ts';
import { SIZE_PRESETS, type SizePreset } from './world/sizes.ts';
import { STORIES, type StoryName } from './world/stories.ts';

export { parseFaultPlanText } from './faults/plan-file.ts';
export { type SandboxOptions, sandboxDefaults } from './options.ts';
export { type Sandbox, startSandbox } from './server.ts';
export { startSandboxThread } from './thread.ts';
export { knownEvents } from './world/fortunes.ts';
export type { StoryName } from './world/stories.ts';

/** Allowed values of options with fixed choices. */
export const sandboxChoices = {
  size: Object.keys(SIZE_PRESETS) as SizePreset[],
  story: STORIES as readonly StoryName[],
  periods: PERIOD_RULES,
  records: RECORD_FORMS,
};

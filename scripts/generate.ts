// "npm run generate": writes the files that follow from the definitions in src/. A test fails when they are stale.
import { writeFileSync } from 'node:fs';
import { GENERATED_FILES } from './documents/generated-files.ts';

for (const { path, content } of GENERATED_FILES) {
  writeFileSync(new URL(`../${path}`, import.meta.url), content());
  console.log(`wrote ${path}`);
}

// "npm run generate": writes the files derived from the definitions in src/ and from a migrated database. Tests fail when they are stale.
import { writeFileSync } from 'node:fs';
import { writeDatabaseFiles } from './documents/database-files.ts';
import { GENERATED_FILES } from './documents/generated-files.ts';

const tell = (path: string): void => console.log(`wrote ${path}`);

for (const { path, content } of GENERATED_FILES) {
  writeFileSync(new URL(`../${path}`, import.meta.url), content());
  tell(path);
}
await writeDatabaseFiles(tell);

// Runs the tests that need Postgres, or skips them all where there is none; test/support/servers.ts says at the end why.
import { TestRunner } from 'vitest';

type Task = { mode: string; tasks?: Task[] };

export default class ServerRunner extends TestRunner {
  onCollected(files: Task[]): void {
    if (this.injectValue('servers').database.url === undefined) for (const file of files) skip(file);
  }
}

function skip(task: Task): void {
  task.mode = 'skip';
  for (const child of task.tasks ?? []) skip(child);
}

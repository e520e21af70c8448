// The rights that docs/scaling.md names for the user of the queue.
import { readFileSync } from 'node:fs';

/** What stands behind the user's name in ACL SETUSER. */
export function documentedRule(password: string): string[] {
  const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
  const [, rule = ''] = /^ACL SETUSER searchmill (.*)$/m.exec(page) ?? [];
  return rule.replace('>password', `>${password}`).split(' ');
}

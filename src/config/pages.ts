// How the pages are served.
import { z } from 'zod';
import { findingProblem, section } from './fields.ts';
import type { Notify } from './notify.ts';
import type { Pages } from './settings.ts';

/** First parts of the addresses that are served. Below one of them it would be unknown whether a proxy has removed the path. */
export const OWN_PATHS: readonly string[] = ['assets', 'boards', 'healthz', 'login', 'logout', 'mcp', 'metrics', 'operations', 'readyz'];

/** What is wrong with a path, or undefined. */
function basePathProblem(path: string): string | undefined {
  if (!/^(?:\/[A-Za-z0-9._~-]+)+\/?$/.test(path)) return 'is not a path of letters, digits and . _ ~ - that begins with /';
  const parts = path.split('/').filter(Boolean);
  if (parts.some((part) => /^\.+$/.test(part))) return 'has a part of dots alone';
  const [first = ''] = parts;
  return OWN_PATHS.includes(first) ? `begins with /${first}, which is an address of Searchmill itself` : undefined;
}

export const basePathField = z.string().max(200).check(findingProblem(basePathProblem)).meta({
  description: 'Path below which a proxy serves the pages, whether it removes the path or not. Takes effect when the process starts.',
  expected: 'a path such as /searchmill',
});

export const pagesSchema = section({ base_path: basePathField.optional() }, 'How the pages are served.');

export function resolvePages(written: z.output<typeof pagesSchema>): Pages {
  return { basePath: (written.base_path ?? '').replace(/\/$/, '') };
}

/** Links in messages that would lead elsewhere: notify.pages has the path that browsers see. */
export function findOtherPath({ basePath }: Pages, { pages }: Notify): string | undefined {
  const path = pages === undefined ? '' : new URL(pages).pathname.replace(/\/$/, '');
  if (path === '' || path === basePath) return undefined;
  return `has the path ${path}, below which links of the pages do not work; write pages: { base_path: ${path} }`;
}

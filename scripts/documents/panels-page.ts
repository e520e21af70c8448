// dashboards/README.md: how to write a panel, followed by a generated list of all panels.
import { readFileSync } from 'node:fs';
import { readBoards } from '../../src/dashboards/boards.ts';
import { table } from './markdown.ts';

const PAGE = new URL('../../dashboards/README.md', import.meta.url);
const BEGIN = '<!-- All panels: written by "npm run generate". -->';

/** The page with the part after the marker replaced. */
export function panelsPage(): string {
  const [own = ''] = readFileSync(PAGE, 'utf8').split(BEGIN);
  const boards = readBoards().map(({ title, question, panels }) =>
    [
      `### ${title}`,
      question,
      table(
        ['Panel', 'Question'],
        panels.map((panel) => [panel.title, panel.question]),
      ),
    ].join('\n\n'),
  );
  return `${own}${BEGIN}\n\n${boards.join('\n\n')}\n`;
}

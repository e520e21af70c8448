// The tool that finds keywords, prompts, topics, sites and pages of an account by a part of their text, as the box on the pages does.
import type { McpServer } from '@modelcontextprotocol/server';
import { linkTo } from '../dashboards/find.tsx';
import { FIND, WANTED } from '../dashboards/find-box.tsx';
import { findThings } from '../dashboards/sources.ts';
import type { Asking } from './asking.ts';
import { dataAnswer } from './data-answer.ts';
import { account, restFrom, text } from './inputs.ts';
import { strictInput } from './strict-input.ts';
import { answerAbout } from './week-tools.ts';

/** Most names of each kind. */
const MOST = 100;

export function addFindTool(server: McpServer, asking: Asking): void {
  server.registerTool(
    'find',
    {
      title: 'Find by name',
      description:
        'Finds keywords, prompts, topics, sites and pages of the newest weeks that have a text, whatever its case: equal ones first, then those that begin with it. Each has the link to its board. found tells how many of each kind there are.',
      inputSchema: strictInput({ account, text: text(500).describe('The text, or a part of it'), rest_from: restFrom }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ account: accountId, text: wanted, rest_from: from }) =>
      answerAbout(asking, accountId, async (client) => {
        const things = await findThings(client, { accountId, wanted, most: MOST });
        const found = Object.fromEntries(things.map(({ variable, found: amount }) => [variable, Number(amount)]));
        const all = things.map(({ variable, value }) => ({
          kind: variable,
          name: value,
          link: linkTo(asking.boards, { variable, value }, [['account', accountId]]) ?? null,
        }));
        const link = `${FIND}?${new URLSearchParams({ account: accountId, [WANTED]: wanted })}`;
        const means = 'Things of the newest weeks whose names have this text; the link of each leads to its figures.';
        return dataAnswer({ means, link, found }, { name: 'list', all, from });
      }),
  );
}

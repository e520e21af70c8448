// The tool that says what is tracked of an account: searches, prompts, topics, assistants.
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Asking } from './asking.ts';
import { listTracked, TRACKED_KINDS } from './assistants.ts';
import { dataAnswer } from './data-answer.ts';
import { account, restFrom, text } from './inputs.ts';
import { strictInput } from './strict-input.ts';
import { answerAbout } from './week-tools.ts';

/** Most names read. */
const READ_NAMES = 20_000;

export function addTrackedTool(server: McpServer, asking: Asking): void {
  server.registerTool(
    'list_tracked',
    {
      title: 'What is tracked',
      description:
        'Lists the names that an account tracks in the newest published week: searches, prompts, topics, assistants, engines, countries or devices, with how many tracked searches or answers have each. Other tools take these names.',
      inputSchema: strictInput({
        account,
        kind: z.enum(TRACKED_KINDS),
        contains: text(500).optional().describe('Only names that contain this text'),
        rest_from: restFrom,
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ account: accountId, kind, contains = '', rest_from: from }) =>
      answerAbout(asking, accountId, async (client) => {
        const names = await listTracked(client, { accountId, kind, week: null, most: READ_NAMES });
        const all = names.filter(({ name }) => name.toLowerCase().includes(contains.toLowerCase()));
        return dataAnswer({ kind, names: all.length }, { name: 'list', all, from, isCut: names.length === READ_NAMES });
      }),
  );
}

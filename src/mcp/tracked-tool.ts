// The tool that says what is tracked of an account: searches, prompts, topics, assistants.
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { addressOf } from '../dashboards/links.ts';
import type { Asking } from './asking.ts';
import { listTracked, TRACKED_KINDS } from './assistants.ts';
import { dataAnswer } from './data-answer.ts';
import { account, restFrom, text } from './inputs.ts';
import { strictInput } from './strict-input.ts';
import { answerAbout } from './week-tools.ts';

/** Most names read. */
const READ_NAMES = 20_000;

const BOARD_OF: Readonly<Record<(typeof TRACKED_KINDS)[number], string>> = {
  searches: 'rankings',
  engines: 'rankings',
  countries: 'rankings',
  devices: 'rankings',
  prompts: 'ai-visibility',
  topics: 'ai-visibility',
  assistants: 'ai-visibility',
};

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
    ({ account: accountId, kind, contains = null, rest_from: from }) =>
      answerAbout(asking, accountId, async (client) => {
        const all = await listTracked(client, { accountId, kind, week: null, contains, most: READ_NAMES });
        const means = 'What is asked for in the newest published week, and in how many tracked searches or answers each name is.';
        const link = addressOf(BOARD_OF[kind], { account: accountId, week: null, things: [] });
        return dataAnswer({ means, link, kind, names: all.length }, { name: 'list', all, from, isCut: all.length === READ_NAMES });
      }),
  );
}

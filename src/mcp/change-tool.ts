// The tool that says why a figure changed between two weeks, as the board Why does.
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { spanTo } from '../dashboards/links.ts';
import { readMeasures } from '../dashboards/measures.ts';
import { runPanel } from '../dashboards/run-panels.ts';
import type { Client } from '../postgres/pool.ts';
import type { Asking } from './asking.ts';
import { objectsOf, panelFields, queryOf, READ_ROWS, readVariables } from './board-tools.ts';
import { type DataAnswer, dataAnswer, refusal } from './data-answer.ts';
import { account, restFrom, text } from './inputs.ts';
import { strictInput } from './strict-input.ts';
import { answerAbout } from './week-tools.ts';

const NAMES = readMeasures().map(({ name }) => name);
/** The path of the board, and its panels: both figures with what leads from one to the other, and each keyword or prompt. */
const WHY = 'why';
const [STEPS, PARTS] = ['bridge', 'units'] as const;

const input = strictInput({
  account,
  measure: text(100).describe(`Which figure: ${NAMES.join(', ')}`),
  week: z.iso.date().optional().describe('The Sunday that begins the week; default: the newest'),
  compare: text(10).default('week').describe('The other week: week (the week before), month (four weeks before), year, or its Sunday'),
  variables: panelFields.variables,
  rest_from: restFrom,
});

export function addChangeTool(server: McpServer, asking: Asking): void {
  server.registerTool(
    'explain_change',
    {
      title: 'Why a figure changed',
      description:
        'Says what the change of a figure between two weeks is made of: steps lead from one figure to the other (keywords or prompts that both weeks have, then what was added or dropped), and parts are the keywords or prompts with what each adds. reading says whether the change is more than chance. variables are those of the board why.',
      inputSchema: input,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (asked) => answerAbout(asking, asked.account, (client) => explainChange(client, asking, asked)),
  );
}

async function explainChange(
  client: Client,
  { boards }: Asking,
  { account: accountId, measure: name, week, compare, variables, rest_from: from }: z.output<typeof input>,
): Promise<DataAnswer> {
  const measure = readMeasures().find((each) => [each.name, each.title.toLowerCase()].includes(name.toLowerCase()));
  if (!measure) return refusal(`There is no such measure. Measures: ${NAMES.join(', ')}.`);
  const board = boards.find((each) => each.name === WHY);
  const [steps, parts] = [STEPS, PARTS].map((panel) => board?.panels.find((each) => each.name === panel));
  if (!board || !steps || !parts) return refusal('The board that explains changes is not served here.');
  const weeks = week === undefined ? {} : { weeks: spanTo(week) };
  const given = { ...variables, account: accountId, measure: measure.name, compare, ...weeks };
  const chosen = await readVariables(client, board, given);
  if ('isError' in chosen) return chosen;
  const { values } = chosen;
  const [first, second] = [await runPanel(client, steps, values, READ_ROWS), await runPanel(client, parts, values, READ_ROWS)];
  if ('failure' in first) return refusal('The change could not be read.', { failure: first.failure });
  if ('failure' in second) return refusal('The change could not be read.', { failure: second.failure });
  const led = objectsOf(first);
  const { reading = null, reason = null, notice = null } = led[0] ?? {};
  return dataAnswer(
    {
      measure: measure.name,
      means: `${measure.title}: ${measure.explained}`,
      unit: measure.unit,
      better: measure.better,
      reading,
      reason,
      notice,
      steps: led.filter(({ step }) => step !== null).map(({ step, kind, amount, units }) => ({ step, kind, amount, units })),
      link: `/boards/${WHY}?${queryOf(Object.fromEntries(steps.variables.map((each) => [each.name, values[each.name] ?? null])))}`,
    },
    {
      name: 'parts',
      all: objectsOf(second)
        .filter(({ contribution }) => contribution !== null)
        .map(({ keyword, prompt, in: from, contribution, units }) => ({ name: keyword ?? prompt, in: from, contribution, units })),
      from,
    },
  );
}

// Questions at random: datasets asked with different filters, depths and spellings, weeks that are missing, held, revised or being summarised, and
// NULLs in every column. Of every panel, choice and week: the figure is the one of the rows that were served for that question, or it is a gap whose
// reason names the cause; a line is not drawn through another question; a zero needs rows that say zero; and Grafana says the same.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { grafanaDashboard } from '../../../scripts/dashboards/grafana.ts';
import type { Job } from '../../../src/config/settings.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { sweepReports } from '../../../src/reports/refresh.ts';
import { hold } from '../../../src/warehouse/executions.ts';
import { recordJob } from '../../../src/warehouse/jobs.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf, type PanelRow } from '../../support/panels.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { figuresOf, isGapAllowed, isOtherQuestion, NAMED_CAUSES, PANELS, type PanelOracle } from '../../support/question-figures.ts';
import { type Asked, isServed, QUESTION_DATASETS, QUESTION_WEEKS, type World, wireOf, world } from '../../support/questions.ts';
import { loadWindow, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const asks = {
  rankings: asksOf(() => ledger.pool, 'rankings', { isWhole: true }),
  'ai-visibility': asksOf(() => ledger.pool, 'ai-visibility', { isWhole: true }),
};

async function loadWeek(of: World, job: Job, week: string, { state, filters, all }: Asked): Promise<void> {
  const asked = { ...job, filters: filters as Job['filters'], filtersDigest: JSON.stringify(filters) };
  const rows = all.filter((row) => isServed(row, filters)).map((row) => wireRow(job, wireOf(of, job.dataset.name, row), week));
  const window = windowOfWeeks(week, 1);
  if (state === 'none') return;
  if (state === 'held') await hold(ledger.pool, await stageWindow(ledger.pool, asked, [rows], window), [], 0);
  else await loadWindow(ledger.pool, asked, state === 'revised' ? rows.slice(0, rows.length >> 1) : rows, window);
  if (state === 'revised') await loadWindow(ledger.pool, asked, rows, window);
}

/** Loads all of a world for an account of its own. */
async function loadWorld(of: World): Promise<string> {
  const { accountId } = jobOf();
  if (of.isOwnKnown)
    await ledger.pool.query(`INSERT INTO searchmill.own_domains (account_id, domain, source) VALUES ($1, 'acme.example', 'configured')`, [
      accountId,
    ]);
  for (const dataset of QUESTION_DATASETS) {
    const job = jobOf({ dataset: datasetNamed(dataset), accountId, since: QUESTION_WEEKS[0] });
    await recordJob(ledger.pool, job, QUESTION_WEEKS[2]);
    for (const [at, week] of QUESTION_WEEKS.entries()) await loadWeek(of, job, week, of.weeks[at]?.[dataset] as Asked);
  }
  await sweepReports(ledger.pool, new AbortController().signal);
  for (const [at, week] of QUESTION_WEEKS.entries())
    for (const dataset of QUESTION_DATASETS)
      if (of.weeks[at]?.[dataset]?.state === 'late')
        await ledger.pool.query(
          `INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live) SELECT (search_reports.subjects_of($1))[1], $2, $3, false`,
          [dataset, accountId, week],
        );
  return String(accountId);
}

const choices = fc.record({
  web_property: fc.constantFrom(null, null, ['1']),
  country: fc.constantFrom(null, null, ['US']),
  device: fc.constantFrom(null, null, ['DESKTOP']),
  assistant: fc.constantFrom(null, null, ['chatgpt']),
  branded: fc.constantFrom(null, 'unbranded', 'branded'),
  weighted: fc.constantFrom('true', 'false'),
  rank: fc.constantFrom('standard', 'true'),
  top_n: fc.constantFrom('3', '10'),
});

/** Everything that is wrong with the rows of a panel, in words. */
function faultsOf(of: World, panel: PanelOracle, values: Values, rows: readonly PanelRow[]): string[] {
  const faults: string[] = [];
  const last = new Map<string, Readonly<{ row: PanelRow; at: number }>>();
  for (const row of rows) {
    const at = (QUESTION_WEEKS as readonly (string | null | undefined)[]).indexOf(row.week);
    const series = row[panel.series];
    const shown = row[panel.figure] ?? null;
    if (at < 0 || series === undefined) continue;
    const place = `${panel.name} ${row.week} ${series} ${JSON.stringify(values)}: ${shown}, ${row.reason}`;
    const states = panel.datasets.map((dataset) => of.weeks[at]?.[dataset]?.state);
    const causes = states.flatMap((state) => NAMED_CAUSES[state ?? 'none'] ?? []);
    const expected = figuresOf(of, panel, values, { at, series: series ?? '' });
    if (causes.length > 0) {
      if (shown !== null) faults.push(`${place} although ${states}`);
      else if (!causes.some((cause) => cause.test(row.reason ?? ''))) faults.push(`${place}: names none of ${causes.join(' ')}`);
      continue;
    }
    if (shown === null) {
      if (!row.reason) faults.push(`${place}: a gap without a reason`);
      else if (expected.figure !== null && !isGapAllowed(of, panel, at, row.reason))
        faults.push(`${place}: a gap, and rows say ${expected.figure}`);
      continue;
    }
    if (shown !== expected.figure) faults.push(`${place}: rows say ${expected.figure}`);
    if (Number(shown) === 0 && expected.left > 0 && !row.notice) faults.push(`${place}: zero, and ${expected.left} were not asked for`);
    if (row.low !== undefined && row.low !== null && (Number(row.low) > Number(shown) + 0.1 || Number(row.high) < Number(shown) - 0.1))
      faults.push(`${place}: outside ${row.low} to ${row.high}`);
    const before = last.get(series ?? '');
    last.set(series ?? '', { row, at });
    if (!before) continue;
    const isOther = isOtherQuestion(of, panel, values, { before: before.at, at, series: series ?? '' });
    const isMarked = before.row.question !== row.question;
    if (isOther !== undefined && isOther !== isMarked)
      faults.push(`${place}: ${isOther ? 'drawn through' : 'torn from'} ${before.row.question}, now ${row.question}`);
  }
  return faults;
}

const PANELS_OF_GRAFANA = new Map(
  readBoards().map((board) => [
    board.name,
    new Map((grafanaDashboard(board).panels ?? []).map((panel) => [panel.title, panel as unknown])),
  ]),
);

/** The figures of a panel in Grafana, and on its page. */
async function faultsOfGrafana({ board, name, figure }: PanelOracle, values: Values, rows: readonly PanelRow[]): Promise<string[]> {
  const title = readBoards()
    .find((each) => each.name === board)
    ?.panels.find((panel) => panel.name === name)?.title;
  const inGrafana = PANELS_OF_GRAFANA.get(board)?.get(title) as { targets: { rawSql: string }[] } | undefined;
  const targets = inGrafana?.targets ?? [];
  const sql = (targets[0]?.rawSql ?? '').replaceAll(/\$\{(\w+):percentencode\}/g, (_, variable: keyof Values) =>
    String(values[variable] ?? 'NULL'),
  );
  const asked = await ledger.pool.query<Record<string, unknown>>(sql);
  const there = asked.rows
    .map((row) => row[figure])
    .filter((cell) => cell !== null && cell !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
  const here = rows
    .map((row) => row[figure])
    .filter((cell) => cell !== null && cell !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
  return JSON.stringify(there) === JSON.stringify(here)
    ? []
    : [`${name} in Grafana: ${JSON.stringify(there)}, on the page ${JSON.stringify(here)}`];
}

it(
  'a figure is right, or says why not, whatever was asked for',
  async () => {
    const { RANDOM_SEED } = process.env;
    await fc.assert(
      fc.asyncProperty(world, choices, async (of, chosen) => {
        const account = await loadWorld(of);
        const values: Values = { ...chosen, account, weeks: '13', engine: null, own: null };
        const faults: string[] = [];
        for (const panel of PANELS) {
          const rows = await asks[panel.board](panel.name, values);
          faults.push(...faultsOf(of, panel, values, rows), ...(await faultsOfGrafana(panel, values, rows)));
        }
        expect(faults).toEqual([]);
      }),
      {
        numRuns: propertyRuns(6),
        seed: Number(RANDOM_SEED ?? 77),
        interruptAfterTimeLimit: Number(process.env.RANDOM_MS ?? 600_000),
      },
    );
  },
  30 * 60_000,
);

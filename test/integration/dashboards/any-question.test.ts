// Questions at random: datasets asked with different filters, depths and spellings, weeks that are missing, held, revised or being summarised, and
// NULLs in every column. Of every panel, choice and week: it does not fail, a week that is not there is a gap whose reason names the cause, and Grafana says the
// same. The figures themselves are those of measures, which measures-random.test.ts computes a second time.
import fc from 'fast-check';
import type { CustomTypesConfig } from 'pg';
import { expect, it } from 'vitest';
import { grafanaDashboard } from '../../../scripts/dashboards/grafana.ts';
import type { Job } from '../../../src/config/settings.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import type { Panel } from '../../../src/dashboards/panel-file.ts';
import { inSnapshot, type PanelResult, runPanel } from '../../../src/dashboards/run-panels.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { choices } from '../../support/question-choices.ts';
import { faultsOfPanel } from '../../support/question-invariants.ts';
import { ALL_PANELS } from '../../support/question-lines.ts';
import { type Asked, isServed, QUESTION_DATASETS, QUESTION_WEEKS, type World, wireOf, world } from '../../support/questions.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
/** Jobs of all worlds stand in one ledger: of an hour of them, the calendar has more weeks than a page shows. */
const ALL_ROWS = 1_000_000;

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
  if (of.isOwnKnown) await insertOwnDomains(ledger.pool, accountId, 'acme.example');
  for (const dataset of QUESTION_DATASETS) {
    const job = jobOf({ dataset: datasetNamed(dataset), accountId, since: QUESTION_WEEKS[0] });
    await recordJob(ledger.pool, job, QUESTION_WEEKS[2]);
    for (const [at, week] of QUESTION_WEEKS.entries()) await loadWeek(of, job, week, of.weeks[at]?.[dataset] as Asked);
  }
  // Citations tell which sites are ours, which rankings are summarised anew for.
  await storeReports(ledger.pool);
  await storeReports(ledger.pool);
  for (const [at, week] of QUESTION_WEEKS.entries())
    for (const dataset of QUESTION_DATASETS)
      if (of.weeks[at]?.[dataset]?.state === 'late')
        await ledger.pool.query(
          `INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live) SELECT (search_reports.subjects_of($1))[1], $2, $3, false`,
          [dataset, accountId, week],
        );
  return String(accountId);
}

const TARGETS = new Map(
  readBoards().flatMap((board) =>
    (grafanaDashboard(board).panels ?? []).map((panel) => {
      const { title, targets } = panel as unknown as { title: string; targets: { rawSql: string }[] };
      return [`${board.title} ${title}`, targets[0]?.rawSql ?? ''] as const;
    }),
  ),
);
const TITLES = new Map(readBoards().map(({ name, title }) => [name, title]));

/** As Grafana fills a variable in: a list in braces, whose values have their own commas encoded, and all of it percent-encoded. */
function filledIn(value: string | readonly string[] | null | undefined): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return encodeURIComponent(value);
  const [only, ...others] = value.map((item) => encodeURIComponent(item));
  return encodeURIComponent(others.length > 0 ? `{${[only, ...others].join(',')}}` : (only ?? ''));
}

const TEXTS = { getTypeParser: () => (text: string) => text };

/** The figures of a panel in Grafana are those of its page. */
async function faultsOfGrafana(panel: Panel, values: Values, result: PanelResult): Promise<string[]> {
  // Weeks are a number there.
  if (!/^\d+$/.test(values.weeks ?? '')) return [];
  const sql = TARGETS.get(`${TITLES.get(panel.board)} ${panel.title}`);
  if (!sql) return [];
  const text = sql.replaceAll(/\$\{(\w+):percentencode\}/g, (_, name: keyof Values) => filledIn(values[name]));
  const { rows, fields } = await ledger.pool.query<Record<string, string | null>>({ text, types: TEXTS as unknown as CustomTypesConfig });
  const columns = panel.y.length > 0 ? panel.y : fields.map(({ name }) => name);
  const at = columns.map((name) => result.columns.findIndex((column) => column.name === name));
  const week = result.columns.findIndex(({ name }) => name === panel.x);
  const newest = result.rows
    .map((row) => row[week] ?? '')
    .sort()
    .at(-1);
  const shown = panel.chart === 'tiles' ? result.rows.filter((row) => row[week] === newest) : result.rows;
  const here = shown.map((row) => JSON.stringify(at.map((column) => row[column] ?? null))).sort();
  const there = rows.map((row) => JSON.stringify(columns.map((name) => row[name] ?? null))).sort();
  return JSON.stringify(here) === JSON.stringify(there)
    ? []
    : [`${panel.board}/${panel.name} ${JSON.stringify(values)} in Grafana: ${there}, on the page ${here}`];
}

async function faultsOfAll(of: World, values: Values): Promise<string[]> {
  const faults: string[] = [];
  for (const panel of ALL_PANELS) {
    const result = await inSnapshot(ledger.pool, (client) => runPanel(client, panel, values, ALL_ROWS));
    if ('failure' in result) {
      faults.push(`${panel.board}/${panel.name} ${JSON.stringify(values)} fails: ${result.failure}`);
      continue;
    }
    faults.push(...faultsOfPanel(of, panel, values, result), ...(await faultsOfGrafana(panel, values, result)));
  }
  return faults;
}

const MINUTE = 60_000;
/** Looks further: RANDOM_SEED another seed, RANDOM_RUNS that often, RANDOM_MS for so long. */
const { RANDOM_SEED, RANDOM_MS } = process.env;
const LONGEST_MS = Number(RANDOM_MS ?? 10 * MINUTE);

it(
  'a figure is right, or a reason stands in its place, whatever was asked for',
  async () => {
    const seed = Number(RANDOM_SEED ?? 77);
    let worlds = 0;
    await fc.assert(
      fc.asyncProperty(world, fc.array(choices, { minLength: 1, maxLength: 3 }), async (of, several) => {
        const account = await loadWorld(of);
        for (const chosen of several) expect(await faultsOfAll(of, { ...chosen, account })).toEqual([]);
        worlds += 1;
      }),
      { numRuns: propertyRuns(4), seed, interruptAfterTimeLimit: LONGEST_MS, endOnFailure: true },
    );
    console.info(`${worlds} worlds of RANDOM_SEED=${seed}`);
  },
  LONGEST_MS + 20 * MINUTE,
);

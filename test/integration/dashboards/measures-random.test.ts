// Random worlds: jobs that ask for a part, several jobs on one week, filters that come and go, prompts and searches that are exchanged, weeks that are revised,
// held or missing, rows that come twice, NULL in every column. Every level, change and contribution is the one that a second computation finds in the rows that
// were served; nothing that they support is withheld; and parts add up to the last digit.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { adoptSetting } from '../../../src/reports/account-settings.ts';
import { brandsOf } from '../../../src/reports/brands.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import {
  type Asking,
  loadsOf,
  type MeasuredWorld,
  measuredWorld,
  servedTo,
  spelledRow,
  WORLD_DATASETS,
  WORLD_WEEKS,
} from '../../support/measured-worlds.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import {
  type Load,
  type Loads,
  ownOf,
  promptsOf,
  type Row,
  type SearchChoices,
  searchesOf,
  type Unit,
} from '../../support/second-facts.ts';
import { changeOf, contributionsOf, type Grouping, levelOf, type Noise, noiseOf, unitsOf } from '../../support/second-figures.ts';
import {
  criticismSentences,
  type NewsChoices,
  newsUnits,
  pageSentences,
  promptSentences,
  recoverySentences,
  searchSentences,
} from '../../support/second-news.ts';
import { rivalSentences } from '../../support/second-rivals.ts';
import type { Pair, Sentence } from '../../support/second-told.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { faultOfSentence } from '../../support/told-sentences.ts';
import { loadWindow, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const DIGITS = 9;

/** The jobs of a world: as many of a dataset as any of its weeks has. */
async function loadWorld(of: MeasuredWorld): Promise<string> {
  const { accountId } = jobOf();
  for (const domain of of.own) await insertOwnDomains(ledger.pool, accountId, domain);
  const brands = [...of.voices].map(([voice, spellings]) => ({ voice, name: voice || (spellings[0] ?? ''), spellings }));
  const ofJob = { ownBrands: brands.filter(({ voice }) => voice === ''), rivalBrands: brands.filter(({ voice }) => voice !== '') };
  await adoptSetting(ledger.pool, String(accountId), brandsOf([ofJob]));
  for (const dataset of WORLD_DATASETS) {
    const jobs = [0, 1].map(() => jobOf({ dataset: datasetNamed(dataset), accountId, since: WORLD_WEEKS[0] }));
    for (const [place, job] of jobs.entries()) {
      const isUsed = of.weeks.some(({ asked }) => (asked[dataset]?.filters.length ?? 0) > place);
      if (!isUsed) continue;
      // Of two jobs with one question the second would be the first by a new name, and take over its weeks.
      await recordJob(ledger.pool, { ...job, filters: { web_property_ids: [String(place + 1)] } }, WORLD_WEEKS[2]);
      for (const [at, week] of of.weeks.entries())
        await loadWeek(of, {
          job,
          place,
          week: WORLD_WEEKS[at] as IsoDate,
          ...(week.asked[dataset] as Asking),
          rows: week.all[dataset] ?? [],
        });
    }
  }
  // What is ours may be known only when the last week is stored, which marks the others.
  for (let round = 0; round < 4; round += 1) await storeReports(ledger.pool);
  return String(accountId);
}

type WeekLoad = Asking & Readonly<{ job: Job; place: number; week: IsoDate; rows: MeasuredWorld['weeks'][number]['all'][string] }>;

async function loadWeek(of: MeasuredWorld, { job, place, week, state, filters, rows }: WeekLoad): Promise<void> {
  const asked = filters[place];
  if (state === 'none' || !asked) return;
  const asking = { ...job, filters: asked as Job['filters'], filtersDigest: JSON.stringify(asked) };
  const wire = servedTo(asked, rows).map((row) => wireRow(job, spelledRow(of, job.dataset.name, row), week));
  const window = windowOfWeeks(week, 1);
  if (state === 'held') {
    await hold(ledger.pool, await stageWindow(ledger.pool, asking, [wire], window), [], 0);
    return;
  }
  if (state === 'revised') await loadWindow(ledger.pool, asking, wire.slice(0, wire.length >> 1), window);
  await loadWindow(ledger.pool, asking, wire, window);
}

type Question = Readonly<{ measure: string; by: string | null; choices: SearchChoices; kind: string | null }>;
const SEARCHES = ['visibility', 'first_three', 'found', 'average_place', 'tracked'];
const PROMPTS = ['mention_rate', 'citing_rate', 'citation_share', 'sentiment', 'criticism', 'share_of_voice'];
const mostlyAll = (...values: readonly string[]): fc.Arbitrary<string | null> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...values) });
const question: fc.Arbitrary<Question> = fc.oneof(
  fc.record({
    measure: fc.constantFrom(...SEARCHES),
    by: fc.constantFrom(null, 'engine', 'country', 'device', 'keyword_group', 'keyword'),
    choices: fc.record({
      rank: fc.constantFrom('standard' as const, 'true' as const),
      places: fc.constantFrom(1, 3, 5, 10, 20),
      isByVolume: fc.boolean(),
    }),
    kind: fc.constant(null),
  }),
  fc.record({
    measure: fc.constantFrom(...PROMPTS),
    by: fc.constantFrom(null, 'assistant', 'country', 'topic', 'prompt'),
    choices: fc.constant({ rank: 'standard' as const, places: 10, isByVolume: true }),
    kind: fc.constantFrom(null, 'unbranded', 'branded'),
  }),
);

/** Units of each week, computed from the rows. */
function unitsOfWorld(loads: Loads, of: MeasuredWorld, { measure, choices, kind }: Question): Unit[][] {
  const own = ownOf(loads, of.own);
  if (PROMPTS.includes(measure)) {
    const kinds = new Map<string, string>();
    return loads.map((week) => promptsOf(week, own, kinds, of.voices).filter((unit) => kind === null || unit.of.prompt_type === kind));
  }
  const hasVolumes = loads
    .flat()
    .some(({ dataset, rows }) => dataset === 'keyword_rankings' && rows.some((row) => row.average_search_volume != null));
  return loads.map((week) => searchesOf(week, own, { ...choices, isByVolume: choices.isByVolume && hasVolumes }));
}

const groupingOf =
  (by: string | null): Grouping =>
  (unit) =>
    by === null ? [''] : by === 'keyword_group' ? (unit.groups.length > 0 ? unit.groups : ['(none)']) : [unit.of[by] ?? '(none)'];

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  mention_rate: ['ai_search_response', 'ai_search_brands'],
  citing_rate: ['ai_search_response', 'ai_search_citations'],
  citation_share: ['ai_search_citations'],
  sentiment: ['ai_search_sentiments'],
  criticism: ['ai_search_sentiments'],
  share_of_voice: ['ai_search_response'],
};

/** Whether all datasets that a measure needs are published in a week. */
const isPublished = (of: MeasuredWorld, measure: string, at: number): boolean =>
  (NEEDED[measure] ?? ['keyword_rankings']).every((dataset) =>
    ['published', 'revised'].includes(of.weeks[at]?.asked[dataset]?.state ?? 'none'),
  );

const CHOICES = `ROW($1::bigint, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, $2::text, NULL, NULL, NULL, NULL, $3::text, $4::integer, $5::boolean)::search_reports.choices`;
const valuesOf = (account: string, { kind, choices }: Question): unknown[] => [
  account,
  kind,
  choices.rank,
  choices.places,
  choices.isByVolume,
];
const close = (shown: string | null, expected: number, unit: number): boolean =>
  shown !== null && Math.abs(Number(shown) / unit - expected) < 10 ** -DIGITS;

async function faultsOfLevels(account: string, of: MeasuredWorld, units: readonly Unit[][], asked: Question): Promise<string[]> {
  const unit = asked.measure === 'average_place' ? 1 : 100;
  const grouping = groupingOf(asked.by);
  const { rows } = await ledger.pool.query<Record<string, string | null>>(
    `SELECT week::text, line, level::text, part::text, whole::text, like_for_like::text, matched::text, reason FROM search_reports.levels($6, $7, ${CHOICES}, NULL)`,
    [...valuesOf(account, asked), asked.measure, asked.by],
  );
  const faults: string[] = [];
  const lines = new Set(units.flatMap((week) => week.flatMap(grouping)));
  for (const [at, week] of WORLD_WEEKS.entries()) {
    for (const line of lines) {
      const shown = rows.find((row) => row.week === week && row.line === line);
      const expected = isPublished(of, asked.measure, at) ? levelOf(unitsOf(units[at] ?? [], grouping, line), asked.measure).level : null;
      const place = `${asked.measure} ${week} ${line}`;
      if (expected === null ? (shown?.level ?? null) !== null : !close(shown?.level ?? null, expected, unit))
        faults.push(`${place}: ${shown?.level} (${shown?.reason}), rows say ${expected === null ? null : expected * unit}`);
      if (expected === null && shown && !shown.reason) faults.push(`${place}: a gap without a reason`);
      if (at === 0 || expected === null || !isPublished(of, asked.measure, at - 1)) continue;
      const change = changeOf(unitsOf(units[at] ?? [], grouping, line), unitsOf(units[at - 1] ?? [], grouping, line), asked.measure);
      if (change ? !close(shown?.like_for_like ?? null, change.likeForLike, unit) : (shown?.like_for_like ?? null) !== null)
        faults.push(`${place}: like for like ${shown?.like_for_like}, rows say ${change && change.likeForLike * unit}`);
      if (change && !close(shown?.matched ?? null, change.matched, 1))
        faults.push(`${place}: matched ${shown?.matched}, rows say ${change.matched}`);
    }
  }
  return faults;
}

function faultsOfNoise(shown: Readonly<Record<string, string | null>>, unit: number, { observations, changed, noise }: Noise): string[] {
  const expected = noise === null ? null : noise * unit;
  const isNear =
    expected === null
      ? shown.noise === null
      : shown.noise !== null && Math.abs(Number(shown.noise) - expected) <= 0.002 * expected + 10 ** -DIGITS;
  const isSame = Number(shown.observations) === observations && Number(shown.changed) === changed;
  const isRead = (shown.reading === null) === (noise === null);
  if (isNear && isSame && isRead) return [];
  return [`${shown.observations}, ${shown.changed}, ${shown.noise} ${shown.reading}, rows say ${observations}, ${changed}, ${expected}`];
}

async function faultsOfChanges(
  account: string,
  units: readonly Unit[][],
  asked: Question,
  [before, now]: readonly [number, number],
): Promise<string[]> {
  const unit = asked.measure === 'average_place' ? 1 : 100;
  const values = [...valuesOf(account, asked), asked.measure, asked.by, WORLD_WEEKS[now], WORLD_WEEKS[before]];
  const { rows: shown } = await ledger.pool.query<Record<string, string | null>>(
    `SELECT line, like_for_like::text, added::text, dropped::text, matched::text, noise::text, reading, observations::text, changed::text,
            change = like_for_like + added + dropped AS adds_up, like_for_like IS NULL AS is_none
       FROM search_reports.changes($6, $7, ${CHOICES}, $8::date, $9::date)`,
    values,
  );
  const faults: string[] = [];
  const grouping = groupingOf(asked.by);
  for (const row of shown) {
    const line = row.line ?? '';
    const change = changeOf(unitsOf(units[now] ?? [], grouping, line), unitsOf(units[before] ?? [], grouping, line), asked.measure);
    const place = `${asked.measure} ${WORLD_WEEKS[before]} to ${WORLD_WEEKS[now]} ${line}`;
    if (!change) {
      if (row.like_for_like !== null && (row.added !== null || row.dropped !== null))
        faults.push(`${place}: ${row.like_for_like}, rows say nothing`);
      continue;
    }
    for (const [name, expected] of [
      ['like_for_like', change.likeForLike],
      ['added', change.added],
      ['dropped', change.dropped],
    ] as const)
      if (!close(row[name] ?? null, expected, unit)) faults.push(`${place}: ${name} ${row[name]}, rows say ${expected * unit}`);
    if (!close(row.matched ?? null, change.matched, 1)) faults.push(`${place}: matched ${row.matched}, rows say ${change.matched}`);
    if (String(row.adds_up) !== 'true') faults.push(`${place}: the parts do not add up`);
    faults.push(
      ...faultsOfNoise(
        row,
        unit,
        noiseOf(unitsOf(units[now] ?? [], grouping, line), unitsOf(units[before] ?? [], grouping, line), asked.measure),
      ).map((fault) => `${place}: ${fault}`),
    );
  }
  if (asked.by === 'keyword_group') return faults;
  const { rows: parts } = await ledger.pool.query<Record<string, string | null>>(
    `SELECT line, sum(happened)::text AS happened, sum(by_weight)::text AS by_weight FROM search_reports.contributions_by_unit($6, $7, ${CHOICES}, $8::date, $9::date)
      WHERE happened IS NOT NULL GROUP BY line`,
    values,
  );
  const contributions = contributionsOf(units[now] ?? [], units[before] ?? [], asked.measure);
  for (const row of parts) {
    const mine = contributions.filter((each) => grouping(each.unit)[0] === row.line);
    const expected = mine.reduce((total, each) => total + each.happened + each.byWeight, 0);
    const found = Number(row.happened) + Number(row.by_weight);
    if (Math.abs(found - expected) > 10 ** -DIGITS) faults.push(`${asked.measure} ${row.line}: contributes ${found}, rows say ${expected}`);
  }
  const { rows: totals } = await ledger.pool.query<{ adds_up: boolean | null }>(
    `SELECT (SELECT sum(happened + by_weight) FROM search_reports.contributions_by_unit($6, $7, ${CHOICES}, $8::date, $9::date)) = t.like_for_like / $10 AS adds_up
       FROM search_reports.changes($6, NULL, ${CHOICES}, $8::date, $9::date) AS t WHERE t.like_for_like IS NOT NULL`,
    [...values, unit],
  );
  if (totals[0] && totals[0].adds_up !== true) faults.push(`${asked.measure} by ${asked.by}: contributions do not add up`);
  return faults;
}

const newsChoices: fc.Arbitrary<NewsChoices> = fc.record({
  rank: fc.constantFrom('standard' as const, 'standard' as const, 'true' as const),
  places: fc.constantFrom(10, 10, 3, 20),
  isByVolume: fc.boolean(),
  web_property_id: mostlyAll('1'),
  engine: mostlyAll('GOOGLE'),
  country: mostlyAll('US', 'DE'),
  device: mostlyAll('DESKTOP'),
  group: mostlyAll('one', 'two'),
  assistant: mostlyAll('chatgpt', 'gemini'),
  topic: mostlyAll('gear'),
  kind: mostlyAll('unbranded', 'branded'),
});

/** All sentences that rows support, of a week against another one. */
function expectedNews(of: MeasuredWorld, loads: Loads, choices: NewsChoices, [before, now]: readonly [number, number]): Sentence[] {
  const units = newsUnits(loads, of, choices);
  const pairOf = (weeks: readonly Unit[][]): Pair => ({ now: weeks[now] ?? [], before: weeks[before] ?? [] });
  const rows = (dataset: string, ...weeks: readonly (readonly Load[])[]): Row[] =>
    weeks.flat().flatMap((load) => (load.dataset === dataset ? load.rows : []));
  const said = new Set(rows('ai_search_sentiments', ...loads.slice(0, now)).flatMap((row) => row.sentiment_snippet ?? []));
  const both = (measure: string): boolean => isPublished(of, measure, before) && isPublished(of, measure, now);
  const back = (weeks: readonly Unit[][], measure: string): Sentence[] =>
    recoverySentences(weeks, measure, [before, now], { weeks: WORLD_WEEKS, isThere: (at) => isPublished(of, measure, at) });
  const own = ownOf(loads, of.own);
  return [
    ...(both('visibility')
      ? [
          ...searchSentences(pairOf(units.searches)),
          ...rivalSentences(pairOf(units.searches), own.sites),
          ...back(units.searches, 'visibility'),
          ...back(units.counted, 'found'),
        ]
      : []),
    ...(both('mention_rate') ? [...promptSentences(pairOf(units.prompts)), ...back(units.prompts, 'mention_rate')] : []),
    ...(both('criticism') ? criticismSentences(pairOf(units.prompts), said) : []),
    ...(both('citation_share') ? pageSentences(pairOf(units.prompts)) : []),
  ];
}

type Told = Readonly<{ what: string; details: string; points: string | null; reading: string | null }>;

/** The sentences of Home: that those are told which rows support, and no others, and what each says. */
async function faultsOfNews(
  account: string,
  of: MeasuredWorld,
  loads: Loads,
  choices: NewsChoices,
  [before, now]: readonly [number, number],
): Promise<string[]> {
  const only = (value: string | null): string[] | null => (value === null ? null : [value]);
  const { rows } = await ledger.pool.query<Told>(
    // Where the newer week is not there, the one before it is told of, against the week before that.
    `SELECT what, details, points::text, reading
       FROM search_reports.news(ROW($1::bigint, $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], NULL, $7::text[], $8::text[],
                                    $9::text, NULL, NULL, NULL, NULL, $10::text, $11::integer, $12::boolean)::search_reports.choices,
                                $13, $14)
      WHERE week = $15::date`,
    [
      account,
      only(choices.web_property_id),
      only(choices.country),
      only(choices.engine),
      only(choices.device),
      only(choices.group),
      only(choices.assistant),
      only(choices.topic),
      choices.kind,
      choices.rank,
      choices.places,
      choices.isByVolume,
      `${WORLD_WEEKS[0]}..${WORLD_WEEKS[now]}`,
      WORLD_WEEKS[before],
      WORLD_WEEKS[now],
    ],
  );
  const expected = new Map(expectedNews(of, loads, choices, [before, now]).map((sentence) => [sentence.what, sentence]));
  const faults: string[] = [];
  for (const { what, details, points, reading } of rows) {
    const sentence = expected.get(what);
    if (!sentence) {
      faults.push(`${what} is told, and rows do not say so: ${details} ${points}`);
      continue;
    }
    const fault = faultOfSentence(details, sentence.parts);
    if (fault) faults.push(`${what}: “${details}” should have ${fault}`);
    if (sentence.points === null ? points !== null : points === null || Math.abs(Number(points) - sentence.points) > 1e-6)
      faults.push(`${what}: adds ${points} points, rows say ${sentence.points}`);
    if (!sentence.isClose && reading !== sentence.reading) faults.push(`${what}: ${reading}, rows say ${sentence.reading}`);
  }
  for (const { what, isClose } of expected.values())
    if (!isClose && !rows.some((row) => row.what === what)) faults.push(`${what} is not told`);
  return faults.map((fault) => `${WORLD_WEEKS[before]} to ${WORLD_WEEKS[now]} ${JSON.stringify(choices)} ${fault}`);
}

it('every level, change and contribution of random worlds is that of the rows, and parts add up exactly', async () => {
  await fc.assert(
    fc.asyncProperty(measuredWorld, fc.array(question, { minLength: 6, maxLength: 6 }), newsChoices, async (of, questions, choices) => {
      const account = await loadWorld(of);
      const loads = loadsOf(of);
      const faults: string[] = [];
      for (const asked of questions) {
        const units = unitsOfWorld(loads, of, asked);
        faults.push(...(await faultsOfLevels(account, of, units, asked)));
        for (const pair of [
          [0, 1],
          [1, 2],
          [0, 2],
        ] as const)
          if (pair.every((at) => isPublished(of, asked.measure, at))) faults.push(...(await faultsOfChanges(account, units, asked, pair)));
      }
      for (const pair of [
        [0, 1],
        [1, 2],
      ] as const)
        faults.push(...(await faultsOfNews(account, of, loads, choices, pair)));
      expect(faults).toEqual([]);
    }),
    { numRuns: propertyRuns(60), endOnFailure: true },
  );
}, 1_200_000);

// The interval of a rate, by simulation: answers of the same prompt are alike, and the interval holds the true rate in about 95 of 100 samples all the same.
import { expect, it } from 'vitest';
import { seededRandom } from '../../chaos/chance.ts';
import { useLedger } from '../../support/ledger.ts';

const ledger = useLedger();

type Prompt = Readonly<{ answers: number; hits: number }>;

/**
 * A prompt has one to six answers. Some prompts always give the same answer, as `alike` says; of the others each answer is drawn. Weighted ones
 * weigh as searches do: a few have much more volume than most.
 */
function sampleOf(random: () => number, { prompts, rate, alike, isWeighted }: Case): Prompt[] {
  return Array.from({ length: prompts }, () => {
    const answers = 1 + Math.floor(random() * 6);
    const isAlike = random() < alike;
    const first = random() < rate;
    const hits = isAlike ? (first ? answers : 0) : Array.from({ length: answers }, () => random() < rate).filter(Boolean).length;
    const weight = isWeighted ? Math.exp(Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())) : 1;
    return { answers: weight * answers, hits: weight * hits };
  });
}

type Case = Readonly<{ prompts: number; rate: number; alike: number; isWeighted?: boolean }>;

const SAMPLES = 1_500;

async function coverageOf(one: Case, isClustered: boolean): Promise<number> {
  const random = seededRandom(7);
  const sum = (some: readonly Prompt[], of: (prompt: Prompt) => number): number => some.reduce((total, prompt) => total + of(prompt), 0);
  const samples = Array.from({ length: SAMPLES }, () => sampleOf(random, one)).map((sample) => {
    const hits = sum(sample, (prompt) => prompt.hits);
    const answers = sum(sample, (prompt) => prompt.answers);
    if (!isClustered) return [hits, answers, answers, hits, hits];
    return [hits, answers, sum(sample, (p) => p.answers ** 2), sum(sample, (p) => p.answers * p.hits), sum(sample, (p) => p.hits ** 2)];
  });
  const columns = [0, 1, 2, 3, 4].map((at) => samples.map((sample) => sample[at] ?? 0));
  const { rows } = await ledger.pool.query<{ held: number }>(
    `SELECT avg((100 * $6::float8 BETWEEN bounds[1] - 0.05 AND bounds[2] + 0.05)::integer)::float8 AS held
       FROM unnest($1::float8[], $2::float8[], $3::float8[], $4::float8[], $5::float8[]) AS s (hits, answers, squared, product, hits_squared),
            LATERAL (SELECT search_reports.rate_interval(hits, answers, squared, product, hits_squared) AS bounds) AS i`,
    [...columns, one.rate],
  );
  return rows[0]?.held ?? 0;
}

const RATES = [0.05, 0.1, 0.3, 0.5];
const ALIKE = [0, 0.3, 0.6, 1];

it.each([10, 20, 40, 100])(
  'of %i prompts that answer alike or not, it holds the true rate in at least 94 of 100 samples',
  async (prompts) => {
    for (const one of RATES.flatMap((rate) => ALIKE.map((alike) => ({ prompts, rate, alike })))) {
      expect(await coverageOf(one, true), JSON.stringify(one)).toBeGreaterThan(0.94);
    }
  },
);

it.each([40, 100, 400])(
  'of %i keywords of very different volumes, each in one to six markets, the weighted share holds in at least 93 of 100 samples',
  async (prompts) => {
    for (const one of RATES.flatMap((rate) => ALIKE.map((alike) => ({ prompts, rate, alike, isWeighted: true })))) {
      expect(await coverageOf(one, true), JSON.stringify(one)).toBeGreaterThan(0.93);
    }
  },
);

it('is no wider than needed: with a hundred prompts it misses the true rate in some of 100 samples', async () => {
  for (const one of [0.1, 0.3, 0.5].flatMap((rate) => ALIKE.map((alike) => ({ prompts: 100, rate, alike })))) {
    expect(await coverageOf(one, true), JSON.stringify(one)).toBeLessThan(0.98);
  }
});

it('an interval that ignores prompts would hold the true rate in far fewer', async () => {
  expect(await coverageOf({ prompts: 40, rate: 0.3, alike: 0.6 }, false)).toBeLessThan(0.85);
});

it('is wide where few prompts agree, and missing where there is one prompt only', async () => {
  const { rows } =
    await ledger.pool.query(`SELECT search_reports.rate_interval(0, 12, 36, 0, 0)::text AS never, search_reports.rate_interval(3, 6, 36, 18, 9) AS one,
    search_reports.rate_interval(0, 0, 0, 0, 0) AS nothing`);
  expect(rows).toEqual([{ never: '{0.00,75.19}', one: null, nothing: null }]);
});

// Memory of a worker: independent of the number of rows, and limited in bytes when rows are large.
import { startPageService } from '../service/page-service.ts';
import type { Bench, Mode } from '../support/bench.ts';
import { createDatabase } from '../support/database.ts';
import { atMost, compare, type Figure, type Result } from '../support/figure.ts';
import { FIRST_WEEK, weeksFrom, writeJobs } from '../support/jobs.ts';
import { measureLoads } from '../support/loads.ts';
import { canMeasure, MEGABYTE } from '../support/resources.ts';

const MAX_MEGABYTES = 256;
const SIZES = { quick: [10_000, 30_000], full: [10_000, 10_000_000] };
/** From this many rows on, a load counts as done when it is staged. Publishing is work of the database and takes as long again. */
const STAGED_FROM = 10_000_000;
/** Pages of 1 MB and of 200 MB, and of 10 MB in as many loads as a process works on at once. */
const ANSWERS: Readonly<Record<Mode, readonly Answers[]>> = {
  quick: [{ rows: 200, characters: 200_000, pageSize: 5, weeks: 1 }],
  full: [
    { rows: 1_000, characters: 200_000, pageSize: 5, weeks: 1 },
    { rows: 2_000, characters: 200_000, pageSize: 1000, weeks: 1 },
    { rows: 2_000, characters: 10_000, pageSize: 1000, weeks: 16 },
  ],
};

/** `rows` is per week. */
type Answers = Readonly<{ rows: number; characters: number; pageSize: number; weeks: number }>;

export const memory: Figure = {
  title: 'Most resident memory of a worker while it loads',
  concurrentIn: ['quick'],
  async measure(bench) {
    if (!canMeasure()) throw new Error('resident sizes are read from /proc, which only Linux has');
    const results: Result[] = [];
    for (const rows of SIZES[bench.mode]) {
      bench.log(`${rows.toLocaleString('en-US')} rows`);
      const peak = await measurePeak(bench, { dataset: 'keyword_rankings', rows, pageSize: 1000, weeks: 1 });
      results.push(judge(`${rows.toLocaleString('en-US')} rows of keyword_rankings`, peak));
    }
    const [fewest, most] = [results[0], results.at(-1)];
    if (fewest && most) {
      const judge = (ratio: number) => atMost(ratio, 1.25, ' x');
      results.push(compare('most rows, against fewest', 'MB', { ours: [most.ours], peer: fewest.figure, theirs: [fewest.ours], judge }));
    }
    for (const answers of ANSWERS[bench.mode]) {
      const { rows, characters, pageSize, weeks } = answers;
      const name = `${weeks === 1 ? '' : `${weeks} slices at once, each `}${rows.toLocaleString('en-US')} rows of ai_search_response, ${characters / 1000} KB texts, ${pageSize} a page`;
      bench.log(name);
      results.push(judge(name, await measurePeak(bench, { dataset: 'ai_search_response', ...answers })));
    }
    return {
      results,
      ...(most
        ? { headline: { value: `${Math.round(most.ours)} MB`, caption: `most memory of a worker, at ${most.figure.replace(/ of.*/, '')}` } }
        : {}),
      notes: [
        'VmHWM of the worker process, from its start to the publication',
        'the page server makes pages on the fly; every row is different',
        ...(SIZES[bench.mode].some((rows) => rows >= STAGED_FROM)
          ? [
              `${STAGED_FROM.toLocaleString('en-US')} rows are measured until the last is staged: publishing them is one statement of the database`,
            ]
          : []),
      ],
    };
  },
};

type Load = Omit<Answers, 'characters'> & Readonly<{ dataset: 'keyword_rankings' | 'ai_search_response'; characters?: number }>;

async function measurePeak(bench: Bench, { dataset, rows, characters = 0, pageSize, weeks }: Load): Promise<number> {
  const service = await startPageService(bench, {
    rows: dataset === 'keyword_rankings' ? 'rankings' : 'answers',
    rowsPerQuery: rows,
    pageSize,
    answerCharacters: characters,
  });
  const database = await createDatabase(bench);
  const jobs = writeJobs(bench, { baseUrl: service.baseUrl, dataset, pageSize });
  const end = rows >= STAGED_FROM ? 'staged' : 'published';
  const { peakBytes } = await measureLoads(bench, { database, service, jobs, weeks: weeksFrom(FIRST_WEEK, weeks), end });
  await database.drop();
  await service.stop();
  return peakBytes / MEGABYTE;
}

function judge(figure: string, megabytes: number): Result {
  return { figure, ours: megabytes, unit: 'MB', ...atMost(megabytes, MAX_MEGABYTES, ' MB') };
}

// Rows of the AI search datasets, derived from an answer. Source: service specification, "AI search brands row" to
// "AI search response row".
import type { DatasetName } from '../../src/datasets/index.ts';
import type { WireRow } from '../../src/service/wire.ts';
import { type AiAnswer, mentionedEntities } from '../world/ai-answer.ts';
import { citationsOf } from '../world/citations.ts';
import { subSearchesOf } from '../world/fan-out.ts';
import { responseText } from '../world/response-text.ts';
import { sentimentsOf } from '../world/sentiments.ts';
import { collectionDate } from '../world/serp.ts';
import type { SegmentedRow } from './plan.ts';
import type { RankingName, RevisedColumns } from './ranking-plan.ts';

export type AiRows = Readonly<{
  rowsOf: (answer: AiAnswer) => SegmentedRow[];
  /** Number of rows that `rowsOf` makes, if that is cheaper than making them. */
  countOf?: (answer: AiAnswer) => number;
  /** Whether a few rows appear twice, as the real service's may. */
  hasDuplicates: boolean;
  revised: RevisedColumns;
}>;

const flag = (value: boolean): string => String(value);

/** Columns 1 to 6 of all datasets. */
function propertyColumns({ property: { account, name, id } }: AiAnswer): WireRow {
  return [account.organizationName, account.organizationId, account.name, String(account.id), name, String(id)];
}

/** Columns 1 to 17 of brands, citations, fan out and sentiments. */
function answerColumns(answer: AiAnswer): WireRow {
  const { prompt, promptText, engine, locale, reported } = answer;
  return [
    ...propertyColumns(answer),
    reported.start,
    reported.end,
    reported.frequency,
    locale.locode,
    locale.tag,
    engine.name,
    prompt.topic,
    promptText,
    prompt.type,
    prompt.intent,
    prompt.persona,
  ];
}

/** The last three columns of brands, citations and sentiments. */
function closingColumns({ isCollected, hasWebSearch, prompt }: AiAnswer): WireRow {
  return [flag(isCollected), flag(hasWebSearch), prompt.groupNames];
}

/** Makes the rows of an answer: common columns before and after the columns of each row. */
const rowsAround =
  (ownColumns: (answer: AiAnswer) => WireRow[], closing = closingColumns): AiRows['rowsOf'] =>
  (answer) => {
    const own = ownColumns(answer);
    if (own.length === 0) return [];
    const [first, last] = [answerColumns(answer), closing(answer)];
    return own.map((columns) => [first, columns, last]);
  };

const brands: AiRows = {
  hasDuplicates: false,
  revised: { measures: ['web_search_triggered'], dimension: 'prompt' },
  rowsOf: rowsAround((answer) => mentionedEntities(answer).map(({ name, type, attribution }) => [name, type, attribution])),
};

const citations: AiRows = {
  hasDuplicates: true,
  revised: { measures: ['citation_title', 'web_search_triggered'], dimension: 'citation_url' },
  rowsOf: rowsAround((answer) =>
    citationsOf(answer).map(({ title, url, domain, segment, attribution }) => [title, url, domain, segment, attribution]),
  ),
};

const fanOut: AiRows = {
  hasDuplicates: false,
  revised: { measures: ['fan_out_query_position', 'amount_of_searches'], dimension: 'fan_out_query' },
  rowsOf: rowsAround(
    (answer) =>
      subSearchesOf(answer).map(({ query, position, searches, isOnWeb }) => [query, String(position), String(searches), flag(isOnWeb)]),
    ({ isCollected, prompt }) => [flag(isCollected), prompt.groupNames],
  ),
};

const sentiments: AiRows = {
  hasDuplicates: true,
  revised: { measures: ['sentiment_score', 'web_search_triggered'], dimension: 'sentiment_snippet' },
  rowsOf: rowsAround((answer) =>
    sentimentsOf(answer).map(({ brand, value, score, category, snippet, source }) => [
      brand,
      value,
      score,
      category,
      snippet,
      source?.url ?? null,
      source?.domain ?? null,
    ]),
  ),
};

/** An answer whose text was lost has no row. */
const response: AiRows = {
  hasDuplicates: false,
  revised: { measures: ['ai_response'], dimension: 'prompt' },
  countOf: ({ isCollected }) => (isCollected ? 1 : 0),
  rowsOf: (answer) => {
    if (!answer.isCollected) return [];
    const { prompt, promptText, engine, locale, reported } = answer;
    return [
      [
        [
          ...propertyColumns(answer),
          reported.frequency,
          reported.start,
          reported.end,
          locale.locode,
          locale.tag,
          engine.id,
          engine.name,
          prompt.topic,
          promptText,
          prompt.intent,
          prompt.persona,
          responseText(answer),
          collectionDate(prompt.key, reported),
          prompt.groupNames,
        ],
      ],
    ];
  },
};

/** For every dataset that is not derived from result pages. */
export const AI_ROWS: Readonly<Record<Exclude<DatasetName, RankingName>, AiRows>> = {
  ai_search_brands: brands,
  ai_search_citations: citations,
  ai_search_fan_out: fanOut,
  ai_search_sentiments: sentiments,
  ai_search_response: response,
};

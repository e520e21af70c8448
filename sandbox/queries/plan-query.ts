// From a query to the plan of its answer.
import { DEFAULT_COLLECTION_FREQUENCY } from '../../src/datasets/submit-body.ts';
import { type Calendar, type ReportedPeriod, reportedDays, reportedWeeks } from '../world/reported-weeks.ts';
import type { World } from '../world/world.ts';
import { AiPlan } from './ai-plan.ts';
import { AiQuestions, ANSWER_COLUMNS } from './ai-questions.ts';
import { AI_ROWS } from './ai-rows.ts';
import { conditionsLeft, conditionsOf } from './conditions.ts';
import type { Plan } from './plan.ts';
import type { Query } from './query.ts';
import { isRanking, RANKINGS, RankingPlan } from './ranking-plan.ts';
import { RankingSearches, SEARCH_COLUMNS } from './ranking-searches.ts';
import { ResultTests } from './result-tests.ts';
import { RevisedPlan } from './revised-plan.ts';

/** The rows that a query selects, including its revisions. Every filter of the dataset must be supported here. */
export function planQuery(world: World, calendar: Calendar, query: Query): Plan {
  const plan = planOriginal(world, calendar, query);
  return query.revisions.length === 0 ? plan : new RevisedPlan(plan, query);
}

function planOriginal(world: World, calendar: Calendar, query: Query): Plan {
  const { dataset } = query;
  const properties = world.propertiesByAccount.get(query.accountId) ?? [];
  const periods = reportedPeriods(query, calendar);
  const conditions = conditionsOf(query);
  if (!isRanking(dataset.name)) {
    const questions = new AiQuestions(world, properties, periods, conditions);
    const left = conditionsLeft(conditions, ANSWER_COLUMNS);
    return new AiPlan(dataset, questions, AI_ROWS[dataset.name], { conditions: left, duplicates: world.duplicates });
  }
  const searches = new RankingSearches(world, properties, periods, conditions);
  const tests = new ResultTests(conditionsLeft(conditions, SEARCH_COLUMNS), properties, world.sizes.resultsPerKeyword);
  return new RankingPlan(world, searches, tests, {
    dataset,
    hasVolumes: query.filters.includeMsv === true,
    isHighestOnly: RANKINGS[dataset.name].isHighestOnly,
  });
}

/** Weeks unless the query asks for DAILY; none for any other frequency, for which no data is collected. */
function reportedPeriods({ window, newestWeek, filters }: Query, calendar: Calendar): ReportedPeriod[] {
  const frequency = filters.collection_frequency ?? DEFAULT_COLLECTION_FREQUENCY;
  if (frequency === 'DAILY') return reportedDays(window, newestWeek, calendar);
  return frequency === 'WEEKLY' ? reportedWeeks(window, newestWeek, calendar) : [];
}

/** Maximum rows of the query: its `limit`, if its dataset has one. */
export function rowLimit({ filters }: Query): number {
  return typeof filters.limit === 'number' ? filters.limit : Number.POSITIVE_INFINITY;
}

// All answers that an AI search query covers, by number: period by web property by prompt by engine by locale, with the last one changing
// fastest.
import { type AiAnswer, answerTo } from '../world/ai-answer.ts';
import { hashText, mix } from '../world/hash.ts';
import type { AiEngine, AiLocale } from '../world/markets.ts';
import { type Prompt, promptAt } from '../world/prompts.ts';
import { DAILY_STEP, type ReportedPeriod } from '../world/reported-weeks.ts';
import { favourOf, isTracked, likePeriod, mostTracked } from '../world/stories.ts';
import type { WebProperty, World } from '../world/world.ts';
import { type Condition, keepMatching, meets } from './conditions.ts';

/** The columns whose conditions are met by choosing answers. */
export const ANSWER_COLUMNS = [
  'web_property_id',
  'topic',
  'prompt',
  'prompt_type',
  'intent',
  'persona',
  'prompt_group_names',
  'ai_search_engine',
  'locode',
  'language',
];

type TrackedPrompt = Readonly<{ property: WebProperty; index: number }>;

export class AiQuestions {
  readonly count: number;
  readonly #world: World;
  readonly #periods: readonly Readonly<{ reported: ReportedPeriod; like: ReportedPeriod }>[];
  readonly #prompts: readonly TrackedPrompt[];
  readonly #engines: readonly AiEngine[];
  readonly #locales: readonly AiLocale[];
  readonly #conditions: readonly Condition[];
  /** Cache of the last prompt, because its answers follow each other. */
  #last: { tracked: TrackedPrompt; prompt: Prompt } | undefined;

  constructor(world: World, properties: readonly WebProperty[], periods: readonly ReportedPeriod[], conditions: readonly Condition[]) {
    this.#world = world;
    this.#periods = periods.map((reported) => ({ reported, like: likePeriod(world.story, reported) }));
    const step = periods[0]?.frequency === 'DAILY' ? DAILY_STEP : 1;
    this.#engines = keepMatching(world.aiEngines, conditions);
    this.#locales = keepMatching(world.aiLocales, conditions);
    this.#prompts = keepMatching(properties, conditions).flatMap((property) =>
      Array.from({ length: mostTracked(world.story, world.sizes.prompts) }, (_, index) => ({ property, index })).filter(
        ({ index }) => index % step === 0 && meets(promptAt(property, index).columns, conditions),
      ),
    );
    this.#conditions = conditions;
    this.count = this.#periods.length * this.#prompts.length * this.#engines.length * this.#locales.length;
  }

  /** The answer number `unit`; undefined when its prompt, in the words of its locale, does not match, or is not tracked yet. */
  at(unit: number): AiAnswer | undefined {
    const locale = this.#locales[unit % this.#locales.length];
    const byEngine = Math.floor(unit / this.#locales.length);
    const engine = this.#engines[byEngine % this.#engines.length];
    const byPrompt = Math.floor(byEngine / this.#engines.length);
    const tracked = this.#prompts[byPrompt % this.#prompts.length];
    const period = this.#periods[Math.floor(byPrompt / this.#prompts.length)];
    if (!locale || !engine || !tracked || !period) throw new RangeError(`there is no answer ${unit}`);
    const { story, sizes } = this.#world;
    if (!isTracked(story, tracked.index, sizes.prompts, period.reported.number)) return undefined;
    const prompt = this.#promptOf(tracked);
    const promptText = prompt.text(locale.language);
    if (!meets({ prompt: promptText }, this.#conditions)) return undefined;
    const key = mix(mix(prompt.key, hashText(engine.id)), hashText(`${locale.locode} ${locale.tag}`));
    const { reported, like } = period;
    const favour = favourOf(tracked.index, sizes.prompts);
    return answerTo({ key, property: tracked.property, prompt, promptText, engine, locale, reported, period: like, favour });
  }

  #promptOf(tracked: TrackedPrompt): Prompt {
    if (this.#last?.tracked !== tracked) this.#last = { tracked, prompt: promptAt(tracked.property, tracked.index) };
    return this.#last.prompt;
  }
}

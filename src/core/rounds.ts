// The rounds of a process as a list of declarations. Start, stop, health and reconfiguration follow from the list.
import { Round, type Standing } from './round.ts';

export type RoundDeclaration<Name extends string, Role extends string> = Readonly<{
  name: Name;
  everyMs: number;
  /** The roles of the processes that do it. */
  roles: readonly Role[];
  run: () => Promise<unknown>;
  /** What a failure is called in the log. */
  failed: string;
  /** It is done at once when the configuration changes. */
  isConfigured?: true;
  /** The start does not wait for its first time. */
  isInBackground?: true;
}>;

export class Rounds<Name extends string, Role extends string> {
  readonly #rounds: readonly (RoundDeclaration<Name, Role> & Readonly<{ round: Round }>)[];

  /** Those of `declared` that a process of this role does. `onError` is told of each failure. */
  constructor(
    role: Role,
    declared: readonly RoundDeclaration<Name, Role>[],
    onError: (declaration: RoundDeclaration<Name, Role>, error: unknown) => void,
  ) {
    const own = declared.filter(({ roles }) => roles.includes(role));
    this.#rounds = own.map((each) => ({ ...each, round: new Round(each.everyMs, each.run, (error) => onError(each, error)) }));
  }

  /** How each goes that this process does. */
  get standings(): Partial<Readonly<Record<Name, Standing>>> {
    return Object.fromEntries(this.#rounds.map(({ name, round }) => [name, round.standing])) as Partial<Record<Name, Standing>>;
  }

  /** Those that have failed since they last succeeded, and not for a reason that passes by itself. */
  get failing(): readonly Readonly<{ name: Name; failed: string; failure: string; since: Date }>[] {
    return this.#rounds.flatMap(({ name, failed, round: { standing } }) => {
      const { failure, failingSince: since } = standing;
      return failure !== undefined && since !== undefined ? [{ name, failed, failure, since }] : [];
    });
  }

  /** Does each for the first time, one after the other as they are declared. Never rejects. */
  async start(): Promise<void> {
    for (const { round, isInBackground } of this.#rounds) {
      const started = round.start();
      if (!isInBackground) await started;
    }
  }

  /** Does again what depends on the configuration, in order. Never rejects. */
  async configure(): Promise<void> {
    for (const { round, isConfigured } of this.#rounds) if (isConfigured) await round.again();
  }

  /** Waits for the work at hand; none follows. */
  async stop(): Promise<void> {
    await Promise.all(this.#rounds.map(({ round }) => round.stop()));
  }
}

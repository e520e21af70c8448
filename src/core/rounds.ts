// The rounds of a process as a list of declarations. Start, stop, health and reconfiguration follow from the list.
import { Round, type Standing } from './round.ts';

export type RoundDeclaration<Name extends string, Role extends string> = Readonly<{
  name: Name;
  everyMs: number;
  /** The roles of the processes that do this round. */
  roles: readonly Role[];
  run: () => Promise<unknown>;
  /** The log message of a failure. */
  failed: string;
  /** It runs at once when the configuration changes. */
  isConfigured?: true;
  /** The start does not wait for its first run. */
  isInBackground?: true;
}>;

export class Rounds<Name extends string, Role extends string> {
  readonly #rounds: readonly (RoundDeclaration<Name, Role> & Readonly<{ round: Round }>)[];

  /** The rounds of `declared` for a process of this role. `onError` is called for each failure. */
  constructor(
    role: Role,
    declared: readonly RoundDeclaration<Name, Role>[],
    onError: (declaration: RoundDeclaration<Name, Role>, error: unknown) => void,
  ) {
    const own = declared.filter(({ roles }) => roles.includes(role));
    this.#rounds = own.map((each) => ({ ...each, round: new Round(each.everyMs, each.run, (error) => onError(each, error)) }));
  }

  /** The state of each round of this process. */
  get standings(): Partial<Readonly<Record<Name, Standing>>> {
    return Object.fromEntries(this.#rounds.map(({ name, round }) => [name, round.standing])) as Partial<Record<Name, Standing>>;
  }

  /** The rounds that have failed since they last succeeded, for lasting reasons. */
  get failing(): readonly Readonly<{ name: Name; failed: string; failure: string; since: Date }>[] {
    return this.#rounds.flatMap(({ name, failed, round: { standing } }) => {
      const { failure, failingSince: since } = standing;
      return failure !== undefined && since !== undefined ? [{ name, failed, failure, since }] : [];
    });
  }

  /** Runs each for the first time, in the order of declaration. Never rejects. */
  async start(): Promise<void> {
    for (const { round, isInBackground } of this.#rounds) {
      const started = round.start();
      if (!isInBackground) await started;
    }
  }

  /** Runs the rounds that depend on the configuration again, in order. Never rejects. */
  async configure(): Promise<void> {
    for (const { round, isConfigured } of this.#rounds) if (isConfigured) await round.again();
  }

  /** Stops all, and waits for current runs. */
  async stop(): Promise<void> {
    await Promise.all(this.#rounds.map(({ round }) => round.stop()));
  }
}

// Executions whose process died or hung while it held them. Nobody knows which of its loads was the reason, and most often none
// was: deploys kill processes, too. So each is a suspect until it gets on. One suspect at a time in each process works on the
// answer that has come for it, and the ledger says which. Further deaths count only while it does.
import { contextOf, type Execution, hold, markAtWork } from '../warehouse/executions.ts';
import { resubmit } from './failures.ts';
import { ASK_AGAIN } from './outcome.ts';
import type { Pipeline } from './pipeline.ts';

/** The first death makes a load a suspect. The third one after it, while it worked alone, ends the load. */
const MAX_DEATHS_OF_LOAD = 3;
/** A publish is at work for longer than a page, and so meets more kills that have nothing to do with it. */
const MAX_DEATHS_OF_PUBLISH = 10;

/** What a step of an execution does about the suspicion. */
export type Suspicion = Readonly<{
  /** It reads one page and commits it before it reads another, so that it is known which one it was. */
  isSuspect: boolean;
  /** Waits until no other suspect of this process is at work, then says that this one is. Only the first call counts. Never throws. */
  enter: () => Promise<void>;
  /** It has got on, or failed: the next may enter. */
  leave: () => void;
}>;

const UNSUSPECTED: Suspicion = { isSuspect: false, enter: async () => undefined, leave: () => undefined };

/** The suspicion of an execution whose lease was just taken. Its step must leave at its end. */
export function suspicionOf(pipeline: Pipeline, execution: Execution): Suspicion {
  if (execution.deathsInRow === 0) return UNSUSPECTED;
  let hasEntered = false;
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  return {
    isSuspect: true,
    leave,
    async enter() {
      if (hasEntered) return;
      hasEntered = true;
      await pipeline.shared.suspects.enter(left);
      // Without the mark a death does not count; a database that is away fails the step soon enough.
      await markAtWork(pipeline.pool, execution).catch(() => undefined);
    },
  };
}

/** Whether more deaths count against an execution than are allowed: then a load ends, and a publish is held. */
export function isConvicted({ state, deathsInRow }: Pick<Execution, 'state' | 'deathsInRow'>): boolean {
  return deathsInRow > (state === 'staged' ? MAX_DEATHS_OF_PUBLISH : MAX_DEATHS_OF_LOAD);
}

/** Ends a load that killed its processes, and asks anew as long as the day's submits last. Holds a publish. Throws LostLeaseError. */
export async function convict(pipeline: Pipeline, execution: Execution): Promise<void> {
  // The first made it a suspect only.
  const times = `${execution.deathsInRow - 1} processes in a row died or hung`;
  const advice = 'Find out why they ended: check their last log lines and their memory limit.';
  if (execution.state !== 'staged') {
    const reason =
      `${times} while they worked on page ${execution.pages + 1} of executionId ${execution.remoteExecutionId}. ${advice} ` +
      'If other loads succeed, report this page to the service';
    await resubmit(pipeline, execution, { state: 'abandoned', reason, code: 'protocol' }, ASK_AGAIN);
    return;
  }
  const message = `${times} while they published it. ${advice} approve publishes it after the usual audit, discard drops it.`;
  await hold(pipeline.pool, execution, [{ rule: 'deaths', message }], 0);
  pipeline.observer.onHeld?.(execution);
  pipeline.log.error({ ...contextOf(execution), err: message }, 'held: its processes died');
}

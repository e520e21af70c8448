// Executions whose process died or hung while holding their lease. Which of its loads was the cause is unknown, and usually none
// was, since deploys kill processes too. So each is a suspect until it makes progress. In each process only one suspect at a time
// works on its answer, and the ledger records which. Further deaths count only during that work.
import { contextOf, type Execution, hold, markAtWork } from '../ledger/executions.ts';
import { resubmit } from './failures.ts';
import { ASK_AGAIN } from './outcome.ts';
import type { Pipeline } from './pipeline.ts';

/** The first death makes a load a suspect. The third death after that, while it works as the only suspect, ends the load. */
const MAX_DEATHS_OF_LOAD = 3;
/** A publish works longer than a page takes, so more unrelated kills hit it. */
const MAX_DEATHS_OF_PUBLISH = 10;

/** How a step treats its execution. `isSuspect` is false for one whose processes did not die. */
export type Suspicion = Readonly<{
  /** If true, each page is committed before the next is read, so that the page that kills a process is known. */
  isSuspect: boolean;
  /** Waits until no other suspect of this process works, then marks this one as at work. Later calls do nothing. Never throws. */
  enter: () => Promise<void>;
  /** Call it after progress or failure: the next suspect may enter. */
  leave: () => void;
}>;

const UNSUSPECTED: Suspicion = { isSuspect: false, enter: async () => undefined, leave: () => undefined };

/** The suspicion of an execution whose lease was just taken. The step must call `leave` when it ends. */
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
      // Errors are ignored: without the mark a death does not count, and a database outage fails the step later anyway.
      await markAtWork(pipeline.pool, execution).catch(() => undefined);
    },
  };
}

/** Whether an execution has more deaths than allowed. Then a load ends, and a publish is held. */
export function isConvicted({ state, deathsInRow }: Pick<Execution, 'state' | 'deathsInRow'>): boolean {
  return deathsInRow > (state === 'staged' ? MAX_DEATHS_OF_PUBLISH : MAX_DEATHS_OF_LOAD);
}

/** Ends a load that killed its processes and plans it again, up to max_submits in 24 hours. Holds a publish. Throws LostLeaseError. */
export async function convict(pipeline: Pipeline, execution: Execution): Promise<void> {
  // The first death only made it a suspect.
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

// A clock that shows a time of the test's choice and runs on from there; it can be set forward. Waiting takes real time.
import { type Clock, systemClock } from '../../src/core/clock.ts';

export interface SimulatedClock extends Clock {
  /** Shows `time` from now on. */
  set(time: string): void;
}

/** Starts at `time`, ISO 8601. */
export function createSimulatedClock(time: string): SimulatedClock {
  let shift = 0;
  const set = (to: string): void => {
    shift = Date.parse(to) - Date.now();
  };
  set(time);
  return { set, now: () => new Date(Date.now() + shift), sleep: systemClock.sleep };
}

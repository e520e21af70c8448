// Which problems an operator has acknowledged. Only those that nothing else ends, or that end later than a person has understood them.
import type { ProblemKind } from './kinds.ts';
import type { FoundProblem, Status } from './status.ts';

/** Kinds that can be acknowledged. */
export const ACKNOWLEDGEABLE = [
  'failed',
  'discarded',
  'reload-failed',
  'rows-differ',
  'rows-left',
  'unknown-submits',
  'cancelled',
  'spellings-apart',
  'other-filters',
  'quarantine',
  'drift',
] as const satisfies readonly ProblemKind[];

export function isAcknowledgeable(kind: string): kind is (typeof ACKNOWLEDGEABLE)[number] {
  return ACKNOWLEDGEABLE.some((known) => known === kind);
}

/** Whether all of a problem happened before it was acknowledged. One whose time is not known is told. */
export function isAcknowledged(
  { kind, job, latest, since }: FoundProblem,
  { acknowledgements }: Pick<Status, 'acknowledgements'>,
): boolean {
  const newest = latest ?? since;
  if (!newest || !isAcknowledgeable(kind)) return false;
  return acknowledgements.some((one) => one.kind === kind && (one.job === '' || one.job === job) && newest <= one.acknowledgedAt);
}

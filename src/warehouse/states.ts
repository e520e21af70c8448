// The states of an execution and the ways between them: the one table behind the statements that change a state (each names
// its ways in its header, and a test holds it to them), the guard of every ending, and the diagram in docs/architecture.md.

export const LIVE_STATES = ['planned', 'submitting', 'in_progress', 'loading', 'staged', 'held'] as const;
export const END_STATES = ['published', 'failed', 'abandoned', 'discarded', 'cancelled'] as const;
export type LiveState = (typeof LIVE_STATES)[number];
export type EndState = (typeof END_STATES)[number];
export type State = LiveState | EndState;

/** What leads to a state whatever the load was doing; the diagram leaves it out. */
export const CANCELLED = 'cancel';
export const REMOVED = 'its job was removed';

/** From each state the states that may follow it, and what leads there. A state that has ended is never left. */
export const TRANSITIONS: Readonly<Record<State, Readonly<Partial<Record<State, string>>>>> = {
  planned: { submitting: 'permit taken', cancelled: CANCELLED, abandoned: REMOVED },
  submitting: {
    planned: 'surely not begun',
    in_progress: 'executionId',
    failed: 'refused, FAILED',
    abandoned: 'unreadable, unknown',
    cancelled: CANCELLED,
  },
  in_progress: {
    loading: 'first page',
    staged: 'only page',
    failed: 'FAILED',
    abandoned: 'overdue, expired',
    cancelled: CANCELLED,
  },
  loading: { staged: 'last page', failed: 'FAILED', abandoned: 'expired, nonsense', cancelled: CANCELLED },
  staged: { published: 'no objection', held: 'objection', failed: 'staging lost', abandoned: 'staging lost', cancelled: CANCELLED },
  held: { staged: 'approve, replay', discarded: 'discard', abandoned: REMOVED },
  published: {},
  failed: {},
  abandoned: {},
  discarded: {},
  cancelled: {},
};

/** The states from which an execution may get to `state`. */
export function statesBefore(state: State): State[] {
  return LIVE_STATES.filter((from) => TRANSITIONS[from][state] !== undefined);
}

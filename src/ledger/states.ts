// The states of an execution and their transitions: the one table behind the statements that change a state (each lists its transitions in
// its header, and a test compares them), the guard of every ending, and the diagram in docs/architecture.md.

export const LIVE_STATES = ['planned', 'submitting', 'in_progress', 'loading', 'staged', 'held'] as const;
export const END_STATES = ['published', 'failed', 'abandoned', 'discarded', 'cancelled'] as const;
export type LiveState = (typeof LIVE_STATES)[number];
export type EndState = (typeof END_STATES)[number];
export type State = LiveState | EndState;

/** Transitions that may happen in any stage of a load; the diagram leaves them out. */
export const CANCELLED = 'cancel';
export const REMOVED = 'its job was removed';

/** For each state, the states that may follow and the reason. An end state is never left. */
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

/** The states from which an execution may move to `state`. */
export function statesBefore(state: State): State[] {
  return LIVE_STATES.filter((from) => TRANSITIONS[from][state] !== undefined);
}
